import { INLINE_FIELDS } from '../../values/structured.js';
import { FieldCache, type ShapeSlot } from '../../values/function.js';
import { NO_SHAPE } from '../../values/hash.js';
import type { Generator } from './generator.js';
import { isInstance, ofObject } from './kinds.js';

/** Access to a field in generated code: `code` is valid if `condition` holds; an empty condition always holds. */
export interface FieldAccess {
  condition: string;
  code: string;
}

/**
 * Reads the field of register `r` at instruction `pc`. The shape that the interpreter saw there becomes part of the
 * code; if it saw none, the code checks the cache when it runs.
 */
export function fieldRead(g: Generator, pc: number, r: number): FieldAccess {
  const cache = cacheOf(g, pc);
  if (cache.shape === NO_SHAPE) return { condition: `(u=fieldAt(r${r},${g.value(cache)}))!==undefined`, code: 'u' };
  return readOf(g, cache, r);
}

/** As `fieldRead`, for each of the shapes seen. */
export function fieldReads(g: Generator, pc: number, r: number): FieldAccess[] {
  const first = fieldRead(g, pc, r);
  const cache = cacheOf(g, pc);
  const { shapes } = cache;
  if (first.condition === '' || shapes === null) return [first];
  cache.tested = shapes.length;
  return shapes.map((seen) => readOf(g, seen, r));
}

function readOf(g: Generator, seen: ShapeSlot, r: number): FieldAccess {
  const condition = isShaped(g, seen, r);
  const { slot, ofRecord } = seen;
  return {
    condition,
    code: ofRecord ? `${isBoxed(r, slot)}?${inRecord(r, slot)}:r${r}.at(${slot})` : `r${r}.slots[${slot}]`,
  };
}

/** As `fieldRead`, for a statement that stores `value`. */
export function fieldStore(g: Generator, pc: number, r: number, value: string): FieldAccess {
  const cache = cacheOf(g, pc);
  if (cache.shape === NO_SHAPE) return { condition: `storeAt(r${r},${g.value(cache)},${value})`, code: ';' };
  const condition = isShaped(g, cache, r);
  const { slot, ofRecord } = cache;
  if (!ofRecord) return { condition, code: `r${r}.slots[${slot}]=${value};` };
  const isPlain = `${isBoxed(r, slot)}&&!(${isInstance(value, 'Float')})`;
  return { condition, code: `if(${isPlain})${inRecord(r, slot)}=${value};else r${r}.store(${slot},${value});` };
}

/** The slot of the record in register `r`, where no Float is. */
const inRecord = (r: number, slot: number): string =>
  slot < INLINE_FIELDS ? `r${r}.f${slot}` : `r${r}.more[${slot - INLINE_FIELDS}]`;

/** Condition that a slot of the record in register `r` holds no Float. */
const isBoxed = (r: number, slot: number): string => `(r${r}.floats&${1 << slot})===0`;

/** Condition that register `r` holds a hash or record with the cached shape. */
function isShaped(g: Generator, { shape, ofRecord }: ShapeSlot, r: number): string {
  if (ofRecord && g.records.isRecord(r, shape)) return '';
  return ofObject(`r${r}`, (x) => `${x}.${ofRecord ? 'layout' : 'shape'}===${g.value(shape)}`);
}

function cacheOf(g: Generator, pc: number): FieldCache {
  return (g.fn.caches[pc] ??= new FieldCache());
}

/** Whether only methods were called at instruction `pc`, although it could read a field. */
export function isMethod(g: Generator, pc: number): boolean {
  return g.feedback(pc) !== 0 && (g.fn.caches[pc] === undefined || g.fn.caches[pc].shape === NO_SHAPE);
}
