import { add, compact, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';

/**
 * An incremental sum of numbers, or of values that `+` can add to a number. From the first Float it is compensated: ten
 * times 0.1 is 1.0. A value that is not a number ends the compensation.
 */
export class Sum {
  private kind: 'exact' | 'compensated' | 'other' = 'exact';
  /** Neumaier's sum: `lost` collects the rounding errors of the additions. */
  private sum = 0;
  private lost = 0;

  /** @param lost rounding errors of previous additions, when `total` is a compensated sum */
  constructor(
    private total: Value = 0,
    lost: number | null = null,
  ) {
    if (lost !== null) {
      this.kind = 'compensated';
      this.sum = toDouble(total as Float);
      this.lost = lost;
    }
  }

  /** The constructor arguments that continue this sum. */
  parts(): [total: Value, lost: Value] {
    return this.kind === 'compensated' ? [new Float(this.sum), new Float(this.lost)] : [this.total, null];
  }

  /** Adds the elements at `from` … `to` − 1. @throws TypeError */
  add(list: readonly Value[], from: number, to: number): void {
    let i = from;
    while (i < to) {
      if (this.kind === 'compensated') i = this.addDoubles(list, i, to);
      else if (this.kind === 'exact') i = this.addIntegers(list, i, to);
      else this.total = add(this.total, list[i++]);
    }
  }

  /** Adds a double to a sum of Floats. */
  addDouble(n: number): void {
    const next = this.sum + n;
    // The difference of infinities would be nan.
    if (Number.isFinite(next))
      this.lost += Math.abs(this.sum) >= Math.abs(n) ? this.sum - next + n : n - next + this.sum;
    this.sum = next;
  }

  get value(): Value {
    return this.kind === 'compensated' ? new Float(this.double) : this.total;
  }

  /** The sum of the doubles added so far. */
  get double(): number {
    return this.sum + this.lost;
  }

  /** Adds elements up to the first Float; returns the index of the first element not added. */
  private addIntegers(list: readonly Value[], from: number, to: number): number {
    let total = this.total;
    let i = from;
    for (; i < to; i++) {
      const item = list[i];
      if (item instanceof Float && isNumber(total)) {
        this.kind = 'compensated';
        this.sum = toDouble(total);
        break;
      }
      const next: unknown = typeof total === 'number' && typeof item === 'number' ? total + item : NaN;
      total = Number.isSafeInteger(next) ? (next as number) : add(total, item);
    }
    this.total = typeof total === 'number' ? compact(total) : total;
    return i;
  }

  /** Adds numbers up to the first other value; returns the index of the first element not added. */
  private addDoubles(list: readonly Value[], from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const item = list[i];
      if (item instanceof Float) this.addDouble(item.n);
      else if (typeof item === 'number') this.addDouble(item);
      else if (typeof item === 'bigint') this.addDouble(toDouble(item));
      else {
        this.total = new Float(this.double);
        this.kind = 'other';
        return i;
      }
    }
    return to;
  }
}

/** Adds to a sum kept in a vector: the total, and its rounding errors, nil before the first Float. @throws TypeError */
export function addToSum(parts: Value[], item: Value): null {
  // Without the iterators of destructuring: this runs for each element.
  const total = parts[0];
  const lost = parts[1];
  if (lost === null && !(item instanceof Float && isNumber(total))) {
    parts[0] = add(total, item);
    return null;
  }
  const sum = new Sum(total, lost instanceof Float ? lost.n : null);
  sum.add([item], 0, 1);
  [parts[0], parts[1]] = sum.parts();
  return null;
}

export function endOfSum([total, lost]: readonly Value[]): Value {
  return lost instanceof Float ? new Float(toDouble(total as Float) + lost.n) : total;
}
