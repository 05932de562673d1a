import t from 'tap';
import { EnumType, Range, RecordType, RecordValue } from '../../../vm/values/structured.js';
import { length, pointIndex, points, slice, unitOffset } from '../../../vm/values/text/codepoints.js';
import { equal } from '../../../vm/values/equal.js';
import { Errors, ErrorValue } from '../../../vm/values/error.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { unique, ValueSet } from '../../../vm/values/unique.js';
import type { Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { call, f, h, send, shown, takePrinted, vm } from './support.js';
import { check } from './property.js';

t.test('code points', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\ud800', '\udc00', '𝒳') });
  check(
    t,
    fc.property(text, fc.nat(12), fc.nat(12), (s, from, count) => {
      const all = Array.from(s);
      return (
        length(s) === all.length &&
        points(s).join('|') === all.join('|') &&
        slice(s, from, count) === all.slice(from, from + count).join('') &&
        pointIndex(s, unitOffset(s, from)) === Math.min(from, all.length)
      );
    }),
  );
});

const scalars = fc.oneof(
  fc.constantFrom<Value>(null, true, 1, 2n ** 60n, 'a', '\0[', '1', 0),
  fc.constantFrom(0, 1, 0.5, 2 ** 60).map((n): Value => f(n)),
  fc.constant<Value>(new ErrorValue(Errors.ValueError, 'a')),
  fc.constant(NaN).map((n): Value => f(n)),
);
const nested = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 2 }),
  fc.array(scalars, { maxLength: 2 }).map((list): Value => Hash.from(list.map((value, i) => [`k${i}`, value]))),
  fc
    .array(scalars, { maxLength: 2 })
    .map((list): Value => Hash.from(list.map((value, i): [string, Value] => [`k${i}`, value]).reverse())),
);

t.test('uniq agrees with equal', async (t) => {
  check(
    t,
    fc.property(fc.array(nested, { maxLength: 12 }), (list) => {
      const slow: Value[] = [];
      for (const item of list) if (!slow.some((other) => equal(other, item))) slow.push(item);
      const fast = unique(list);
      return (
        fast.length === slow.length &&
        fast.every((item, i) => item === slow[i]) &&
        list.every((item) => new ValueSet(list).has(item) === list.some((other) => equal(other, item)))
      );
    }),
    { numRuns: 1000 },
  );
});

t.test('methods of all values', async (t) => {
  const POINT = new RecordType('Point', ['x', 'y'], Shape.of(['x', 'y']));
  const point = RecordValue.of(POINT, [1, 2]);
  const status = new EnumType('Status', ['open', 'done'], new Map());
  const error = new ErrorValue(Errors.KeyError, 'gone');
  // prettier-ignore
  const rows: [Value, string, Value[], string][] = [
    [null, 'to_s', [], '""'],
    [null, 'inspect', [], '"nil"'],
    [null, 'nil?', [], 'true'],
    [null, 'to_a', [], '[]'],
    [null, 'upcase', [], "AttributeError: nil has no method 'upcase'"],
    [1, 'type', [], '"Integer"'],
    [1, 'class', [], 'Integer'],
    [1, 'is_a?', [vm.globals.get('Number') as Value], 'true'],
    [1, 'is_a?', ['Float'], 'false'],
    [error, 'is_a?', [Errors.Error], 'true'],
    [error, 'type', [], '"KeyError"'],
    [error, 'class', [], 'KeyError'],
    [error, 'line', [], 'nil'],
    [error, 'backtrace', [], '[]'],
    [error, 'full_message', [], '"KeyError: gone"'],
    [error, 'cause', [], 'nil'],
    [point, 'to_h', [], '{x: 1, y: 2}'],
    [point, 'keys', [], '["x", "y"]'],
    [point, 'each', [], '[["x", 1], ["y", 2]]'],
    [point, 'class', [], 'Point'],
    [point, 'copy', [], 'Point(x: 1, y: 2)'],
    [status, 'values', [], '["open", "done"]'],
    [status, 'include?', ['open'], 'true'],
    [status, 'map', [], '["open", "done"]'],
    [status, 'name', [], '"Status"'],
    ['a', 'between?', ['a', 'c'], 'true'],
    ['a', 'respond_to?', ['upcase'], 'true'],
    [h({ a: 1 }), 'to_json', [], '"{\\"a\\":1}"'],
    [new Range(1, 2, false), 'class', [], 'Range'],
    [vm.globals.get('gcd') as Value, 'arity', [], '2'],
    [vm.globals.get('round') as Value, 'arity', [], '-2'],
    [vm.globals.get('gcd') as Value, 'name', [], '"gcd"'],
    [vm.globals.get('gcd') as Value, 'call', [12, 8], '4'],
    [vm.globals.get('Exception') as Value, 'name', [], '"Error"'],
  ];
  for (const [receiver, name, args, expected] of rows)
    t.equal(
      shown(() => send(receiver, name, args)),
      expected,
      `${shown(() => receiver)}.${name}`,
    );
});

t.test('copies share only elements', async (t) => {
  const vector: Value[] = [1, [2]];
  const copy = send(vector, 'copy') as Value[];
  copy.push(3);
  t.equal(vector.length, 2);
  t.equal(copy[1], vector[1]);
});

t.test('a seed repeats random numbers', async (t) => {
  const draw = (): string => {
    call('rand_seed', [42]);
    return shown(() => [
      call('rand', []),
      call('rand_int', [1, 6]),
      call('rand_int', [0, 10n ** 30n]),
      call('shuffle', [[1, 2, 3, 4]]),
      call('sample', [[1, 2, 3]]),
    ]);
  };
  const first = draw();
  t.equal(draw(), first);
  call('rand_seed', [43]);
  t.not(
    shown(() => call('rand', [])),
    first.slice(1, 20),
  );
});

t.test('random numbers stay within their limits and reach them', async (t) => {
  call('rand_seed', [1]);
  const dice = new Set(Array.from({ length: 500 }, () => call('rand_int', [1, 6])));
  t.strictSame([...dice].sort(), [1, 2, 3, 4, 5, 6]);
  t.strictSame([...new Set(Array.from({ length: 200 }, () => call('rand', [3])))].sort(), [0, 1, 2]);
  t.equal(call('rand', [new Range(7, 7, false)]), 7);
  t.match(
    shown(() => call('rand', [0])),
    'ValueError',
  );
  t.match(
    shown(() => call('rand_int', [2, 1])),
    'ValueError: no Integer lies between 2 and 1',
  );
  t.equal(call('sample', [[]]), null);
  t.equal((call('sample', [[1, 2, 3], 2]) as Value[]).length, 2);
});

t.test('tokens', async (t) => {
  t.match(call('uuid', []), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.match(call('random_token', [8]), /^[0-9a-f]{16}$/);
  t.equal((call('random_token', []) as string).length, 64);
});

t.test('assertions', async (t) => {
  // prettier-ignore
  const passing: [string, Value[]][] = [
    ['assert_true', [1]], ['assert_eq', [[1], [f(1)]]], ['assert_neq', [1, 2]], ['assert_nil', [null]], ['assert_not_nil', [false]],
    ['assert_in', [1, [1]]], ['assert_in', ['b', 'abc']], ['assert_match', ['b', 'abc']], ['assert_approx_eq', [f(0.1 + 0.2), f(0.3)]],
  ];
  for (const [name, args] of passing) t.equal(call(name, args), null, name);
  // prettier-ignore
  const failing: [string, Value[], string][] = [
    ['assert_true', [null], 'AssertionError: expected true, got nil'],
    ['assert_eq', [1, 2], 'AssertionError: expected 2, got 1'],
    ['assert_eq', [1, 2, 'sum'], 'AssertionError: sum: expected 2, got 1'],
    ['assert_neq', [1, f(1)], 'AssertionError: expected anything but 1.0'],
    ['assert_in', [2, [1]], 'AssertionError: expected [1] to include 2'],
    ['assert_match', ['x', 'abc'], 'AssertionError: expected "abc" to match "x"'],
    ['assert_approx_eq', [1, 2], 'AssertionError: expected 2 within 1e-06, got 1'],
  ];
  for (const [name, args, expected] of failing)
    t.equal(
      shown(() => call(name, args)),
      expected,
      name,
    );
  takePrinted();
});
