import { Float, type Value } from '../../../vm/values/value.js';

/** Range of places that is sorted rather than divided. */
const FEW = 32;

function toNumber(item: Value): number | bigint {
  return item instanceof Float ? item.n : (item as number | bigint);
}

/** The numbers as doubles, or null when that would lose something: the order of nan, digits of a large Integer. */
function toDoubles(list: readonly Value[]): Float64Array | null {
  const out = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const n = toNumber(list[i]);
    if (typeof n !== 'number' || n !== n) return null;
    out[i] = n;
  }
  return out;
}

/** Hoare's selection: moves the numbers until the one at `place` is that which sorting would put there. */
function select(numbers: Float64Array, place: number): number {
  let from = 0;
  let to = numbers.length - 1;
  while (to - from > FEW) {
    const pivot = pivotOf(numbers, from, to);
    let i = from;
    let j = to;
    while (i <= j) {
      while (numbers[i] < pivot) i++;
      while (numbers[j] > pivot) j--;
      if (i > j) break;
      const moved = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = moved;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else return numbers[place];
  }
  numbers.subarray(from, to + 1).sort();
  return numbers[place];
}

/** The middle one of three numbers, two of them by chance: no order of elements makes selection slow. */
function pivotOf(numbers: Float64Array, from: number, to: number): number {
  const any = (): number => numbers[from + Math.floor(Math.random() * (to - from + 1))];
  const [a, b, c] = [any(), numbers[(from + to) >> 1], any()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** The element that a stable sort would put at `place`, where `n` stands: 1 and 1.0, 0.0 and -0.0 are equal but not the same. */
function elementAt(list: readonly Value[], place: number, n: number): Value {
  let before = 0;
  for (const item of list) if (toNumber(item) < n) before++;
  for (const item of list) if (toNumber(item) === n && before++ === place) return item;
  return null;
}

/** The numbers that sorting would put at some places, in a fraction of its time; null when only sorting can tell. */
export function atPlaces(list: readonly Value[], places: readonly number[]): Value[] | null {
  const doubles = toDoubles(list);
  return doubles === null ? null : places.map((place) => elementAt(list, place, select(doubles, place)));
}
