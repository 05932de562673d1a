import { Bytes } from '../../../vm/values/bytes.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { withText } from '../strings/valuetext.js';
import { isStructured } from './encode.js';
import { withJson } from './index.js';

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
  return isStructured(value) ? withJson(vm, value, false, then) : withText(vm, value, then);
}
