import { RecordValue } from '../values/compound.js';
import { FieldCache } from '../values/function.js';
import { Hash, NO_SHAPE } from '../values/hash.js';
import type { Value } from '../values/value.js';
import type { Generator } from './generator.js';

/** How generated code gets at the slot of a field: when `condition` holds (empty: it does), `slot` is it. */
export interface SlotAccess {
  condition: string;
  slot: string;
  /** A Float in the slot belongs to it alone. */
  owns: boolean;
}

/**
 * The slot of a field of register `r` at instruction `pc`. The shape that the interpreter has met there becomes part of the code; where it has
 * met none, the code reads what is noted as it runs.
 */
export function slotOf(g: Generator, pc: number, r: number): SlotAccess {
  const cache = (g.fn.caches[pc] ??= new FieldCache());
  if (cache.shape === NO_SHAPE) {
    const name = g.value(cache);
    return { condition: `(u=slotsOf(r${r},${name}))!==null`, slot: `u[${name}.slot]`, owns: true };
  }
  if (g.isRecord(r, cache.shape)) return { condition: '', slot: `s${r}[${cache.slot}]`, owns: true };
  const shape = g.value(cache.shape);
  return cache.ofRecord
    ? { condition: `r${r} instanceof RecordValue&&r${r}.fields.shape===${shape}`, slot: `r${r}.fields.slots[${cache.slot}]`, owns: true }
    : { condition: `r${r} instanceof Hash&&r${r}.shape===${shape}`, slot: `r${r}.slots[${cache.slot}]`, owns: false };
}

/** Whether only methods have been called at instruction `pc`, which could be fields. */
export function isMethod(g: Generator, pc: number): boolean {
  return g.feedback(pc) !== 0 && (g.fn.caches[pc] === undefined || g.fn.caches[pc].shape === NO_SHAPE);
}

/** The slots of a value whose shape is the one that was noted last, else null. */
export function slotsOf(value: Value, { shape, ofRecord }: FieldCache): Value[] | null {
  if (value instanceof Hash) return value.shape === shape && !ofRecord ? value.slots : null;
  return value instanceof RecordValue && value.fields.shape === shape ? value.fields.slots : null;
}
