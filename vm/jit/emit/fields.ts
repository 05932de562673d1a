import { RecordValue } from '../../values/structured.js';
import { FieldCache } from '../../values/function.js';
import { Hash, NO_SHAPE } from '../../values/hash.js';
import type { Value } from '../../values/value.js';
import type { Generator } from './generator.js';

/** How generated code gets at a field: by `code`, when `condition` holds; empty: it does. */
export interface FieldAccess {
  condition: string;
  code: string;
}

/**
 * The value of the field of register `r` at instruction `pc`. The shape that the interpreter has met there becomes part of the code; where it has
 * met none, the code reads what is noted as it runs.
 */
export function fieldRead(g: Generator, pc: number, r: number): FieldAccess {
  const cache = cacheOf(g, pc);
  if (cache.shape === NO_SHAPE) return { condition: `(u=fieldAt(r${r},${g.value(cache)}))!==undefined`, code: 'u' };
  const { condition, holder } = shaped(g, cache, r);
  return { condition, code: cache.ofRecord ? `${holder}.at(${cache.slot})` : `${holder}.slots[${cache.slot}]` };
}

/** The same for a statement that puts `value` there. */
export function fieldStore(g: Generator, pc: number, r: number, value: string): FieldAccess {
  const cache = cacheOf(g, pc);
  if (cache.shape === NO_SHAPE) return { condition: `storeAt(r${r},${g.value(cache)},${value})`, code: ';' };
  const { condition, holder } = shaped(g, cache, r);
  return {
    condition,
    code: cache.ofRecord ? `${holder}.store(${cache.slot},${value});` : `${holder}.slots[${cache.slot}]=${value};`,
  };
}

/** What has the slots of register `r`, when it is of the shape that was noted. */
function shaped(g: Generator, { shape, ofRecord }: FieldCache, r: number): { condition: string; holder: string } {
  if (!ofRecord) return { condition: `r${r} instanceof Hash&&r${r}.shape===${g.value(shape)}`, holder: `r${r}` };
  if (g.isRecord(r, shape)) return { condition: '', holder: `h${r}` };
  return { condition: `r${r} instanceof RecordValue&&r${r}.fields.shape===${g.value(shape)}`, holder: `r${r}.fields` };
}

function cacheOf(g: Generator, pc: number): FieldCache {
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
