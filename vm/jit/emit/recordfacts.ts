import { GAVE_UP } from '../../interpreter/feedback.js';
import type { FieldCache, Fn } from '../../values/function.js';
import type { Shape } from '../../values/hash.js';
import type { CodeWriter } from './codewriter.js';
import { ofObject } from './kinds.js';

/** In place of a set of slots: an assumption about this shape was wrong. */
const DOUBTED = -1;

/** Deoptimizes before the current instruction unless a condition holds. */
type Guard = (condition: string) => void;

/** What is known of the records in registers at the current instruction. */
export class RecordFacts {
  /** Registers known to hold records, with their shape. A record never changes its shape. */
  private readonly records = new Map<number, Shape>();
  /** Bit set of slots of those records that are known to hold Floats; their numbers are in locals `e0`, `e1` … */
  private readonly floatSlots = new Map<number, number>();
  /** Registers whose records' numbers are in such a local somewhere. */
  readonly withDoubles = new Set<number>();
  /**
   * Bit set of slots, by shape, that instructions of this function assume to hold Floats; DOUBTED if an assumption was
   * wrong.
   */
  private readonly believed = new Map<Shape, number>();

  constructor(
    private readonly fn: Fn,
    private readonly writer: CodeWriter,
    private readonly guard: Guard,
  ) {}

  /** Forgets everything: control comes from elsewhere. */
  clear(): void {
    this.records.clear();
    this.floatSlots.clear();
  }

  /** Forgets which slots hold Floats: a field may have been written. */
  clearFloats(): void {
    this.floatSlots.clear();
  }

  forget(r: number): void {
    this.records.delete(r);
    this.floatSlots.delete(r);
  }

  /** Whether register `r` is known to hold a record of this shape. */
  isRecord(r: number, shape: Shape): boolean {
    return this.records.get(r) === shape;
  }

  /** Deoptimizes unless register `r` holds a record of the cached shape. */
  expectRecord(r: number, { shape, ofRecord }: FieldCache): void {
    if (!ofRecord || this.isRecord(r, shape)) return;
    this.guard(ofObject(`r${r}`, (x) => `${x}.layout===${this.writer.value(shape)}`));
    this.records.set(r, shape);
  }

  believe(pc: number): void {
    const cache = this.fn.caches[pc];
    if (cache === undefined || !cache.ofRecord || !cache.isFloat) return;
    // If an assumption was wrong once, check each slot separately.
    if ((this.fn.feedback[pc] & GAVE_UP) !== 0) this.believed.set(cache.shape, DOUBTED);
    else if (this.believed.get(cache.shape) !== DOUBTED)
      this.believed.set(cache.shape, (this.believed.get(cache.shape) ?? 0) | (1 << cache.slot));
  }

  /**
   * Deoptimizes unless the slot of the record in register `r`, and all other slots assumed to hold Floats, hold Floats.
   */
  expectFloats(r: number, { shape, slot }: FieldCache): void {
    if (this.hasFloat(r, slot)) return;
    const believed = this.believed.get(shape) as number;
    const slots = believed === DOUBTED ? 1 << slot : believed;
    this.guard(`(r${r}.floats&${slots})===${slots}`);
    this.haveFloats(r, slots);
  }

  /**
   * Whether a slot of the record in register `r` is known to hold a Float; its number is then in `e0[slot]` for
   * register 0.
   */
  hasFloat(r: number, slot: number): boolean {
    return ((this.floatSlots.get(r) ?? 0) & (1 << slot)) !== 0;
  }

  /** Stores the number of a Float in a slot of the record in register `r`. */
  storeFloat(r: number, slot: number, number: string): void {
    this.writer.out(`r${r}.storeFloat(${slot},${number});`);
    this.haveFloats(r, 1 << slot);
  }

  private haveFloats(r: number, slots: number): void {
    this.writer.out(`e${r}=r${r}.doubles;`);
    this.withDoubles.add(r);
    this.floatSlots.set(r, (this.floatSlots.get(r) ?? 0) | slots);
  }
}
