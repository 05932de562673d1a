import type { FieldCache, Fn } from '../values/function.js';
import { Hash } from '../values/hash.js';
import { RecordValue } from '../values/structured.js';
import type { Value } from '../values/value.js';
import { MAX_MISSES } from './keycache.js';

/** Counts a read that compiled code did not do inline. Returns whether the code should be dropped, for more shapes. */
export function missesShapes(fn: Fn, pc: number): boolean {
  const cache = fn.caches[pc];
  const known = cache?.shapes?.length ?? 0;
  if (cache === undefined || known <= cache.tested || ++cache.misses < MAX_MISSES) return false;
  cache.misses = 0;
  // Code that still runs must not drop the next version.
  cache.tested = known;
  return true;
}

/** The field of a value with the cached shape, else undefined. */
export function fieldAt(value: Value, { shape, slot, ofRecord }: FieldCache): Value | undefined {
  if (value instanceof Hash) return value.shape === shape && !ofRecord ? value.slots[slot] : undefined;
  return value instanceof RecordValue && value.layout === shape ? value.at(slot) : undefined;
}

/** Sets the field of a value with the cached shape. Returns false for other shapes. */
export function storeAt(receiver: Value, { shape, slot, ofRecord }: FieldCache, value: Value): boolean {
  if (receiver instanceof Hash) {
    if (receiver.shape !== shape || ofRecord) return false;
    receiver.slots[slot] = value;
    return true;
  }
  if (!(receiver instanceof RecordValue) || receiver.layout !== shape) return false;
  receiver.store(slot, value);
  return true;
}
