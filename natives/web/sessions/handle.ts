import { ErrorValue, Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { Float, type Value } from '../../../vm/values/value.js';

export const SESSION = new HandleType('SvcSession');

/** A session as seen by programs: a hash whose keys are strings, as in JSON. */
export abstract class SessionHandle extends Handle {
  constructor(readonly data: Hash) {
    super();
  }

  get type(): HandleType {
    return SESSION;
  }

  override items(): Value[] {
    return this.data.entries();
  }

  /** Called before each change. @throws RuntimeError if changes would be lost */
  change(): void {}
}

/** Converts a key to a string at once, since it comes back as a string. */
export function keyOf(key: Value): string {
  if (typeof key === 'object' && key !== null && !(key instanceof Float) && !(key instanceof ErrorValue))
    fail(Errors.TypeError, `a key of a session must be String, Integer, Float, Boolean or nil, got ${typeName(key)}`);
  return toText(key);
}
