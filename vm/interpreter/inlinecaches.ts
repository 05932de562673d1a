import { kindOf, type MethodTables } from '../calls/members.js';
import { Fields } from '../values/fields.js';
import { FieldCache, type Fn } from '../values/function.js';
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
  if (cache.shape !== hash.shape) keepShape(cache);
  cache.shape = hash.shape;
  cache.slot = slot;
  cache.ofRecord = isRecord;
  cache.isFloat = isRecord ? value.fields.isFloat(slot) : hash.slots[slot] instanceof Float;
}

/** Shapes that are kept besides the last one: compiled code tests them all. */
const MAX_OTHERS = 3;

/** Keeps the cached shape before another one takes its place. */
function keepShape(cache: FieldCache): void {
  const { shape, slot, ofRecord } = cache;
  if (shape === NO_SHAPE) return;
  const others = (cache.others ??= []);
  if (others.length < MAX_OTHERS && !others.some((other) => other.shape === shape))
    others.push({ shape, slot, ofRecord });
}

/** Records the receiver of the method call at instruction `pc`. */
export function noteReceiver(fn: Fn, pc: number, value: Value): void {
  fn.feedback[pc] |= RECEIVERS[kindOf(value)] ?? OTHER_RECEIVER;
  if (!(value instanceof Handle)) return;
  const cache = (fn.caches[pc] ??= new FieldCache());
  cache.handleType = value.type;
  cache.methods = value.type.methods;
}
