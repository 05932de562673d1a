import { Errors, fail } from './error.js';
import { isRoomFor } from './room.js';

/** Slots of a new table, and from which number of slots on the heap is asked for room. */
const SMALLEST = 16;
const LARGE = 1 << 18;
/** Other in every process: nobody who sends numbers can choose ones that all meet in one place. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

/** The bits of a double. */
const double = new Float64Array(1);
const bits = new Int32Array(double.buffer);

/**
 * A set of doubles other than nan: an open table of doubles takes a third of the memory of JavaScript's Set and a fraction of its time when there are
 * millions of them, and is not bound to its 2^24 elements.
 */
export class NumberSet {
  private size = 0;
  private mask = SMALLEST - 1;
  /** A free slot holds nan. */
  private keys = new Float64Array(SMALLEST).fill(NaN);

  has(n: number): boolean {
    return this.keys[this.slotOf(n)] === n;
  }

  /** Adds `n`; false when it was there already. */
  add(n: number): boolean {
    const slot = this.slotOf(n);
    if (this.keys[slot] === n) return false;
    this.keys[slot] = n;
    // Three quarters full at most: probing stays short.
    if (++this.size * 4 > this.keys.length * 3) this.grow();
    return true;
  }

  /** The slot that holds `n`, or the free one where it belongs. */
  private slotOf(n: number): number {
    const { keys, mask } = this;
    // 0.0 and -0.0 are one number.
    double[0] = n + 0;
    // Both halves are mixed as in MurmurHash3.
    let hash = Math.imul(bits[0] ^ Math.imul(bits[1] ^ SEED, 0x9e3779b1), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
    let slot = (hash ^ (hash >>> 13)) & mask;
    for (let key = keys[slot]; key !== n && key === key; key = keys[slot]) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys } = this;
    // Small tables grow faster: each growth costs as much as what it holds.
    const slots = keys.length * (keys.length < LARGE ? 4 : 2);
    if (slots > LARGE && !isRoomFor(slots * 8)) fail(Errors.MemoryError, `out of memory: a set of ${this.size} numbers cannot grow`);
    this.keys = new Float64Array(slots).fill(NaN);
    this.mask = slots - 1;
    for (const key of keys) if (key === key) this.keys[this.slotOf(key)] = key;
  }
}

/** Least and greatest of the elements when all are Integers that JavaScript holds as numbers, else null. */
export function numberBounds(list: readonly unknown[]): { min: number; max: number } | null {
  let min = Infinity;
  let max = -Infinity;
  for (const item of list) {
    if (typeof item !== 'number') return null;
    if (item < min) min = item;
    if (item > max) max = item;
  }
  return { min, max };
}
