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
  const isRecord = value instanceof RecordValue;
  const hash = isRecord ? value.fields : value;
  if (
    !(hash instanceof Hash) ||
    hash.shape === null ||
    (!isRecord && (hash instanceof Fields || tables.table('Hash').has(name)))
  )
    return;
  const slot = hash.shape.index.get(name);
  if (slot === undefined) return;
  const cache = (fn.caches[pc] ??= new FieldCache());
  if (cache.shape !== hash.shape) cache.shapes = addShape(cache, { shape: hash.shape, slot, ofRecord: isRecord });
  cache.shape = hash.shape;
  cache.slot = slot;
  cache.ofRecord = isRecord;
  cache.isFloat = isRecord ? value.fields.isFloat(slot) : hash.slots[slot] instanceof Float;
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
