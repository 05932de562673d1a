import { finish, STEP } from '../steps.js';
import { checkRoom } from '../heaproom.js';

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
  private mask: number;
  /** A free slot holds nan. */
  private keys: Float64Array;

  constructor(slots = SMALLEST) {
    this.mask = slots - 1;
    this.keys = new Float64Array(slots).fill(NaN);
  }

  has(n: number): boolean {
    return this.keys[this.slotOf(n)] === n;
  }

  /** Adds `n`; false when it was there already. */
  add(n: number): boolean {
    const slot = this.slotOf(n);
    if (this.keys[slot] === n) return false;
    this.keys[slot] = n;
    // Three quarters full at most: probing stays short.
    if (++this.size * 4 > this.keys.length * 3) finish(this.grow());
    return true;
  }

  /** Makes room for `count` more numbers, in steps. */
  *prepare(count: number): Generator<void, void, void> {
    while ((this.size + count) * 4 > this.keys.length * 3) yield* this.grow();
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

  private *grow(): Generator<void, void, void> {
    const { keys } = this;
    // Small tables grow faster: each growth costs as much as what it holds.
    const slots = keys.length * (keys.length < LARGE ? 4 : 2);
    if (slots > LARGE) checkRoom(slots * 8, `a set of ${this.size} numbers cannot grow`);
    const larger = new NumberSet(slots);
    for (let lo = 0; lo < keys.length; lo += STEP) {
      larger.take(keys, lo, Math.min(lo + STEP, keys.length));
      yield;
    }
    this.keys = larger.keys;
    this.mask = larger.mask;
  }

  /** Adds numbers of a smaller table. */
  private take(keys: Float64Array, lo: number, hi: number): void {
    for (let i = lo; i < hi; i++) if (keys[i] === keys[i]) this.keys[this.slotOf(keys[i])] = keys[i];
  }
}

/** Least and greatest of numbers. */
export interface Bounds {
  min: number;
  max: number;
}

/** Least and greatest of the elements when all are Integers that JavaScript holds as numbers, else null. */
export function* numberBounds(list: readonly unknown[]): Generator<void, Bounds | null, void> {
  const bounds = { min: Infinity, max: -Infinity };
  for (let lo = 0; lo < list.length; lo += STEP) {
    const hi = Math.min(lo + STEP, list.length);
    if (!widen(bounds, list, lo, hi)) return null;
    if (hi < list.length) yield;
  }
  return bounds;
}

function widen(bounds: Bounds, list: readonly unknown[], lo: number, hi: number): boolean {
  let { min, max } = bounds;
  for (let i = lo; i < hi; i++) {
    const item = list[i];
    if (typeof item !== 'number') return false;
    if (item < min) min = item;
    if (item > max) max = item;
  }
  bounds.min = min;
  bounds.max = max;
  return true;
}
