import { add, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';

/**
 * A sum of numbers, or of what `+` can add to one, that is built up. From the first Float on it is compensated: ten times 0.1 is 1.0. What is no
 * number ends that.
 */
export class Sum {
  private kind: 'exact' | 'compensated' | 'other' = 'exact';
  /** Neumaier's sum: `lost` collects what the additions dropped. */
  private sum = 0;
  private lost = 0;

  /** @param lost what additions dropped before, when `total` is a compensated sum */
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

  /** What the constructor takes to go on. */
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
    // Differences of infinities would be nan.
    if (Number.isFinite(next))
      this.lost += Math.abs(this.sum) >= Math.abs(n) ? this.sum - next + n : n - next + this.sum;
    this.sum = next;
  }

  get value(): Value {
    return this.kind === 'compensated' ? new Float(this.double) : this.total;
  }

  /** The sum of what `addDouble` got. */
  get double(): number {
    return this.sum + this.lost;
  }

  /** Adds until a Float comes; the index of what is left. */
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
    this.total = total;
    return i;
  }

  /** Adds numbers until something else comes; the index of what is left. */
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

/** Adds to a sum of which the parts are elements of a vector: so far, and what the additions dropped, nil while there was no Float. @throws TypeError */
export function addToSum(parts: Value[], item: Value): null {
  const [total, lost] = parts;
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
