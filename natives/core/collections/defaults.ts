import { DefaultHash } from '../../../vm/values/defaulthash.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Closure, NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { methodsOfType, type Row } from '../declare.js';
import { atMost } from '../limits.js';
import { keyFirst } from './hash.js';

/** An empty hash whose missing keys have a value, or what the block makes of the hash and a key. @throws ArgumentError */
function newHash(rest: Value[], block: Closure | NativeFunction | null): Hash {
  const given = atMost(rest, 1, 'Hash.new');
  if (block !== null && given.length > 0) fail(Errors.ArgumentError, 'Hash.new() takes a default or a block, not both');
  return given.length === 0 && block === null ? new Hash() : new DefaultHash(given[0] ?? null, block);
}

/** Methods of the type Hash itself. */
// prettier-ignore
export const hashTypeMethods = methodsOfType('Hash', [
  ['new', '*default: Any, &block: Function?', 'Hash', 'An empty hash. Its missing keys have the default, or what the block returns for the hash and the key; `h[key]` and `h.key` use it, other methods see no such key.', (_vm: unknown, _type: unknown, rest: Value[], block: Closure | null) => newHash(rest, block)],
]);

// prettier-ignore
export const defaultRows: readonly Row[] = [
  ['default', '', 'Any', 'The value of the key `default` if there is one, else that of missing keys; nil if there is none or a block makes it.', keyFirst('default', (_vm, hash) => (hash instanceof DefaultHash ? hash.fallback : null))],
];
