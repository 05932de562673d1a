import { kindOf, type MethodTables } from '../calls/members.js';
import { Fields } from '../values/fields.js';
import { FieldCache, type Fn, type ShapeSlot } from '../values/function.js';
import { Handle } from '../values/handle.js';
import { Hash, NO_SHAPE } from '../values/hash.js';
import { RecordValue } from '../values/structured.js';
import { Float, type Value } from '../values/value.js';
import { OTHER_RECEIVER, RECEIVERS } from './feedback.js';

/** Caches the slot of `name` for instruction `pc` of `fn` if it is a plain key of the hash's shape. */
export function cacheField(tables: MethodTables, fn: Fn, pc: number, value: Value, name: string): void {
  const ofRecord = value instanceof RecordValue;
  if (!ofRecord && (!(value instanceof Hash) || value instanceof Fields || tables.table('Hash').has(name))) return;
  const shape = ofRecord ? value.layout : value.shape;
  const slot = shape?.index.get(name);
  if (shape === null || slot === undefined) return;
  const cache = (fn.caches[pc] ??= new FieldCache());
  if (cache.shape !== shape) cache.shapes = addShape(cache, { shape, slot, ofRecord });
  cache.shape = shape;
  cache.slot = slot;
  cache.ofRecord = ofRecord;
  cache.isFloat = ofRecord ? value.isFloat(slot) : value.slots[slot] instanceof Float;
}

/** Maximum shapes that compiled code tests at one instruction. */
const MAX_SHAPES = 4;

/** Lists a shape that differs from the cached one. */
function addShape({ shape, slot, ofRecord, shapes }: FieldCache, next: ShapeSlot): ShapeSlot[] | null {
  if (shape === NO_SHAPE) return shapes;
  const seen = shapes ?? [{ shape, slot, ofRecord }];
  if (seen.length < MAX_SHAPES && !seen.some((other) => other.shape === next.shape)) seen.push(next);
  return seen;
}

/** Records the receiver of the method call at instruction `pc`. */
export function noteReceiver(fn: Fn, pc: number, value: Value): void {
  fn.feedback[pc] |= RECEIVERS[kindOf(value)] ?? OTHER_RECEIVER;
  if (!(value instanceof Handle)) return;
  const cache = (fn.caches[pc] ??= new FieldCache());
  cache.handleType = value.type;
  cache.methods = value.type.methods;
}
