import { RecordValue } from '../values/compound.js';
import { FieldCache } from '../values/function.js';
import { Hash, NO_SHAPE } from '../values/hash.js';
import type { Value } from '../values/value.js';
import type { Generator } from './generator.js';

/** How generated code gets at a field: when `condition` holds (empty: it does), `read` is its value, and `store` puts one there. */
export interface FieldAccess {
  condition: string;
  read: string;
  store: (value: string) => string;
}

/**
 * The field of register `r` at instruction `pc`. The shape that the interpreter has met there becomes part of the code; where it has met none,
 * the code reads what is noted as it runs.
 */
export function fieldAccess(g: Generator, pc: number, r: number): FieldAccess | null {
  const cache = cacheOf(g, pc);
  if (cache.shape === NO_SHAPE) return null;
  const { slot } = cache;
  const shape = g.value(cache.shape);
  if (!cache.ofRecord) return { condition: `r${r} instanceof Hash&&r${r}.shape===${shape}`, read: `r${r}.slots[${slot}]`, store: (value) => `r${r}.slots[${slot}]=${value}` };
  const isKnown = g.isRecord(r, cache.shape);
  const fields = isKnown ? `h${r}` : `r${r}.fields`;
  return { condition: isKnown ? '' : `r${r} instanceof RecordValue&&r${r}.fields.shape===${shape}`, read: `${fields}.at(${slot})`, store: (value) => `${fields}.store(${slot},${value})` };
}

/** Where a field was found last at instruction `pc`. */
export function cacheOf(g: Generator, pc: number): FieldCache {
  return (g.fn.caches[pc] ??= new FieldCache());
}

/** Whether only methods have been called at instruction `pc`, which could be fields. */
export function isMethod(g: Generator, pc: number): boolean {
  return g.feedback(pc) !== 0 && (g.fn.caches[pc] === undefined || g.fn.caches[pc].shape === NO_SHAPE);
}

/** The field of a value whose shape is the one that was noted last, else undefined. */
export function fieldAt(value: Value, { shape, slot, ofRecord }: FieldCache): Value | undefined {
  if (value instanceof Hash) return value.shape === shape && !ofRecord ? value.slots[slot] : undefined;
  return value instanceof RecordValue && value.fields.shape === shape ? value.fields.at(slot) : undefined;
}

/** Changes the field of a value whose shape is the one that was noted last; false: it is another. */
export function storeAt(receiver: Value, { shape, slot, ofRecord }: FieldCache, value: Value): boolean {
  if (receiver instanceof Hash) {
    if (receiver.shape !== shape || ofRecord) return false;
    receiver.slots[slot] = value;
    return true;
  }
  if (!(receiver instanceof RecordValue) || receiver.fields.shape !== shape) return false;
  receiver.fields.store(slot, value);
  return true;
}
