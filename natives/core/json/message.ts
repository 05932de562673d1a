import { afterwards } from '../../../vm/calls/native.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Hash } from '../../../vm/values/hash.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { withText } from '../strings/valuetext.js';
import { encodeJson, toJson } from './index.js';

/**
 * Calls `then` with a value as a message: texts and Bytes unchanged, hashes, vectors and records as JSON, others as
 * printed; in pieces if it is large.
 */
export function withMessage(
  vm: NativeContext,
  value: Value,
  then: (message: string | Bytes) => Value | undefined,
): Value | undefined {
  if (typeof value === 'string' || value instanceof Bytes) return then(value);
  if (!(value instanceof Hash || Array.isArray(value) || value instanceof RecordValue))
    return withText(vm, value, then);
  if (!RecordType.haveForms && !isLarge(value)) return then(encodeJson(value));
  return afterwards(
    vm,
    () => toJson(vm, value, false),
    (json) => then(json as string),
  );
}
