import { shownInteger } from '../numbers/digits.js';
import { add, normalize, subtract, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Range } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, isInteger, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { builtin } from '../../builtin.js';
import { integerBounds } from '../collections/elements.js';
import { sample, shuffled } from '../collections/ordering.js';
import { functions, type Int, type Num } from '../declare.js';
import { positive } from '../limits.js';
import { withElements } from '../steps.js';
import { randomOf, seedRandom } from './source.js';

/** Maximum random bytes of a token. */
const MAX_TOKEN = 65_536;

/** A random Integer from `low` to `high`. @throws ValueError when there is none */
function integerBetween(low: Int, high: Int, random: () => number): Int {
  const count = add(subtract(high, low), 1) as Int;
  if (count < 1) fail(Errors.ValueError, `no Integer lies between ${shownInteger(low)} and ${shownInteger(high)}`);
  return add(low, typeof count === 'number' ? Math.floor(random() * count) : bigBelow(count, random)) as Int;
}

/** A random Integer below a large limit. 64 extra bits make the bias of the remainder negligible. */
function bigBelow(limit: bigint, random: () => number): Int {
  const digits = limit.toString(16);
  const bits = digits.length * 4 - Math.clz32(parseInt(digits[0], 16)) + 28 + 64;
  let hex = '0x';
  for (let needed = bits; needed > 0; needed -= 32)
    hex += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return normalize(BigInt(hex) % limit);
}

function floatBetween(low: Num, high: Num, random: () => number): Float {
  const [a, b] = [toDouble(low), toDouble(high)];
  return new Float(a + (b - a) * random());
}

/** `rand()`, `rand(6)` below 6, `rand(2.5)` below 2.5, `rand(1..6)`. */
function rand(vm: NativeContext, limit: Value): Value {
  const random = randomOf(vm);
  if (limit === null) return new Float(random());
  if (isInteger(limit))
    return integerBetween(0, subtract(positive(limit, 'limit') === Number(limit) ? limit : 1, 1) as Int, random);
  if (limit instanceof Float) return floatBetween(0, limit, random);
  const bounds = limit instanceof Range ? integerBounds(limit) : null;
  if (bounds !== null && bounds.last !== null) return integerBetween(bounds.first, bounds.last, random);
  if (limit instanceof Range && limit.lo instanceof Float && limit.hi !== null)
    return floatBetween(limit.lo, limit.hi as Num, random);
  return fail(Errors.ValueError, 'rand() needs a number, or a range of numbers with an end');
}

function token(bytes: Int): string {
  const count = positive(bytes, 'bytes');
  if (count > MAX_TOKEN) fail(Errors.ValueError, `bytes must be at most ${MAX_TOKEN}, got ${shownInteger(bytes)}`);
  return builtin('node:crypto').randomBytes(count).toString('hex');
}

function seed(vm: NativeContext, value: Int): null {
  seedRandom(vm, value);
  return null;
}

/** Random functions; `rand_seed` makes all but `uuid` and `random_token` repeatable. */
// prettier-ignore
export const randomness = functions([
  ['random rand', 'limit: Number|Range? = nil', 'Number', 'A random Float from 0 to 1, a number below a limit and of its type, or a number of a range.', rand],
  ['rand_int', 'low: Integer, high: Integer', 'Integer', 'A random Integer from `low` to `high`, both included.', (vm: NativeContext, low: Int, high: Int) => integerBetween(low, high, randomOf(vm))],
  ['rand_float', 'low: Number = 0.0, high: Number = 1.0', 'Float', 'A random Float from `low` up to, not including, `high`.', (vm: NativeContext, low: Num, high: Num) => floatBetween(low, high, randomOf(vm))],
  ['shuffle', 'items: Any', 'Vector', 'The elements of a collection in random order.', (vm: NativeContext, items: Value) => withElements(vm, items, 'shuffle', (list) => shuffled(vm, list, Infinity))],
  ['sample', 'items: Any, n: Integer? = nil', 'Any', 'A random element of a collection, nil if it is empty; or `n` different ones.', (vm: NativeContext, items: Value, n: Int | null) => withElements(vm, items, 'sample', (list) => sample(vm, list, n))],
  ['rand_seed', 'seed: Integer', 'Nil', 'Makes all further random numbers depend on a seed.', seed],
  ['uuid', '', 'String', 'An unguessable random UUID (version 4).', () => builtin('node:crypto').randomUUID()],
  ['random_token', 'bytes: Integer = 32', 'String', 'Hexadecimal text of unguessable random bytes.', (_: unknown, bytes: Int) => token(bytes)],
]);
