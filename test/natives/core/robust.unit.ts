import t from 'tap';
import { CORE_MODULES } from '../../../natives/core/index.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from '../../../vm/values/structured.js';
import { Errors, ErrorValue, Signal, SvcError } from '../../../vm/values/error.js';
import { NativeFunction } from '../../../vm/values/function.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { allOf } from '../../../vm/values/methodgroup.js';
import { compileRegex } from '../../../vm/values/regex/index.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { rounds } from '../../rounds.js';
import { f, h, send, takePrinted, vm } from './support.js';

const POINT = new RecordType('Point', ['x', 'y'], Shape.of(['x', 'y']));

/** Makes values of all kinds, new ones for each call because natives change some. */
const POOL: (() => Value)[] = [
  () => null,
  () => true,
  () => 0,
  () => 1,
  () => -1,
  () => 3,
  () => 40,
  () => 2 ** 40,
  () => 10n ** 30n,
  () => -(10n ** 20n),
  () => f(0),
  () => f(0.5),
  () => f(-2.5),
  () => f(NaN),
  () => f(Infinity),
  () => f(1e300),
  () => '',
  () => 'abc',
  () => 'a😀é',
  () => '\ud800',
  () => '12',
  () => '%d %s',
  () => '[',
  () => 'a-z',
  () => '{"a": [1.5]}',
  () => 'a',
  () => '\\1',
  () => 'first',
  () => [],
  () => [1, 2, 3],
  () => ['a', 'b'],
  () => [
    [1, 2],
    [3, 4],
  ],
  () => [null, f(1.5), 'x', [1]],
  () => cycle(),
  () => h({}),
  () => h({ a: 1, first: 2 }),
  () =>
    Hash.from([
      [1, 'x'],
      [null, [1]],
    ]),
  () => hashCycle(),
  () => new Range(1, 3, false),
  () => new Range(1, null, false),
  () => new Range('a', 'c', true),
  () => new Range(f(0.5), 2, false),
  () => new Range(10n ** 20n, 10n ** 21n, false),
  () => new Range(-2, -1, false),
  () => compileRegex('(?<a>b)|(c)?', ''),
  () => compileRegex('', 'i'),
  () => send('abc', 'match', [compileRegex('(b)', '')]),
  () => vm.globals.get('gcd') as Value,
  () => vm.globals.get('Integer') as Value,
  () => Errors.KeyError,
  () => new ErrorValue(Errors.ValueError, 'bad'),
  () => RecordValue.of(POINT, [1, 'two']),
  () => POINT,
  () => new EnumType('E', ['a', 'b'], new Map()),
];

function cycle(): Value[] {
  const list: Value[] = [1];
  list.push(list);
  return list;
}

function hashCycle(): Hash {
  const hash = h({ a: 1 });
  hash.set('self', hash);
  return hash;
}

/** Fault of a result, or null. Natives return Svc values: no undefined, no number that is not an Integer. */
function flaw(value: unknown, depth = 0): string | null {
  if (value === undefined) return depth === 0 ? null : 'undefined inside';
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? null : `the number ${value}`;
  if (typeof value === 'bigint')
    return value >= -BigInt(Number.MAX_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? `the bigint ${value}`
      : null;
  if (depth > 4) return null;
  if (Array.isArray(value)) return value.map((item) => flaw(item, depth + 1)).find((found) => found !== null) ?? null;
  if (value instanceof Hash) return flaw([...value.keys(), ...value.values()], depth);
  return typeof value === 'symbol' ? 'a symbol' : null;
}

// prettier-ignore
const KINDS: Record<string, (value: Value) => boolean> = {
  Vector: Array.isArray, String: (v) => typeof v === 'string' || v instanceof ErrorValue, Integer: (v) => typeof v === 'number' || typeof v === 'bigint', Float: (v) => v instanceof Float, Hash: (v) => v instanceof Hash,
  Range: (v) => v instanceof Range, Regex: (v) => v instanceof Regex, Record: (v) => v instanceof RecordValue, Enum: (v) => v instanceof EnumType, Error: (v) => v instanceof ErrorValue,
  Function: (v) => v instanceof NativeFunction, Nil: (v) => v === null, Type: (v) => v === POINT || v === Errors.KeyError, Any: () => true, Match: (v) => v !== null && typeof v === 'object' && 'found' in v,
};

/** Calls `fn`. Returns a result or exception that must not occur, or null. */
function escaped(fn: NativeFunction, receiver: Value, args: Value[]): string | null {
  // Errors find the methods of texts as methods of their messages.
  const found = receiver instanceof ErrorValue && fn.owner === 'String' ? vm.methods.find(receiver, fn.name) : fn;
  try {
    const value =
      fn.owner === ''
        ? vm.invokeNative(fn, args, null)
        : vm.invokeMethod(found as NativeFunction, receiver, args, null);
    return flaw(value);
  } catch (error) {
    if (error instanceof SvcError || error instanceof Signal) return null;
    return String(error instanceof Error ? error.stack : error);
  } finally {
    vm.callee = null;
    vm.takeWait();
    takePrinted();
  }
}

/** Natives of threads and the process need a running program; `upto` of different texts counts to a million. */
const SKIPPED = new Set(['Threads', 'Process']);
const isSlow = (fn: NativeFunction): boolean => fn.owner === 'String' && fn.name === 'upto';
const natives = Object.entries(CORE_MODULES)
  .flatMap(([section, list]) => (SKIPPED.has(section) ? [] : allOf(list)))
  .filter((fn) => (fn.owner in KINDS || fn.owner === '') && !isSlow(fn));
const cases = fc.constantFrom(...natives).chain((fn) => {
  const receivers = POOL.filter((make) => fn.owner === '' || KINDS[fn.owner](make()));
  return fc.tuple(fc.constant(fn), fc.constantFrom(...receivers), fc.array(fc.constantFrom(...POOL), { maxLength: 3 }));
});

t.test('every native returns a value or a Svc error for any arguments', async (t) => {
  const property = fc.property(cases, ([fn, receiver, args]) => {
    const found = escaped(
      fn,
      receiver(),
      args.map((make) => make()),
    );
    if (found !== null) throw new Error(`${fn.owner}.${fn.name}: ${found}`);
  });
  fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? rounds(10_000, 100_000)) });
  t.pass();
});
