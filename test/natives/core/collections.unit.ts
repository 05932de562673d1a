import t, { type Test } from 'tap';
import { cpuTime } from '../../clock.js';
import { Range } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { call, f, h, send, shown } from './support.js';

type Row = [Value, string, Value[], string];

async function table(t: Test, rows: Row[]): Promise<void> {
  for (const [receiver, name, args, expected] of rows) {
    const label = `${shown(() => receiver)}.${name}(${args.map((arg) => shown(() => arg)).join(', ')})`;
    t.equal(
      shown(() => send(receiver, name, args)),
      expected,
      label,
    );
  }
}

const v = (): Value[] => [3, 1, 2];

// prettier-ignore
t.test('reading a vector', (t) => table(t, [
  [v(), 'first', [], '3'],
  [v(), 'first', [2], '[3, 1]'],
  [v(), 'first', [-1], 'ValueError: n must not be negative, got -1'],
  [[], 'last', [], 'nil'],
  [v(), 'last', [2], '[1, 2]'],
  [v(), 'take', [9], '[3, 1, 2]'],
  [v(), 'drop', [1], '[1, 2]'],
  [v(), 'fetch', [-1], '2'],
  [v(), 'fetch', [7], 'IndexError: index 7 is outside of a vector with 3 elements'],
  [v(), 'fetch', [7, null], 'nil'],
  [v(), 'at', [-3], '3'],
  [v(), 'slice', [1, 2], '[1, 2]'],
  [v(), 'slice', [new Range(1, null, false)], '[1, 2]'],
  [v(), 'slice', [4, 1], 'nil'],
  [v(), 'values_at', [0, -1, 9], '[3, 2, nil]'],
  [[h({ a: [1, h({ b: 2 })] })], 'dig', [0, 'a', 1, 'b'], '2'],
  [[null], 'dig', [0, 'a'], 'nil'],
  [['x'], 'dig', [0, 'a'], 'TypeError: dig(): String has no elements'],
  [[1, 2, f(1)], 'count', [1], '2'],
  [v(), 'count', [], '3'],
  [v(), 'include?', [f(1)], 'true'],
  [v(), 'index', [2], '2'],
  [[1, 2, 1], 'rindex', [1], '2'],
  [v(), 'find_index', [9], 'nil'],
  [[null, false], 'any?', [], 'false'],
  [[1, null], 'all?', [], 'false'],
  [[null], 'none?', [], 'true'],
  [[1, null], 'one?', [], 'true'],
]));

// prettier-ignore
t.test('ordering', (t) => table(t, [
  [v(), 'sort', [], '[1, 2, 3]'],
  [[10, 9, 2n ** 60n, f(1.5)], 'sort', [], '[1.5, 9, 10, 1152921504606846976]'],
  [['b', 'a', 'B'], 'sort', [], '["B", "a", "b"]'],
  [['\ue000', '😀', 'a'], 'sort', [], '["a", "\ue000", "😀"]'],
  [[[2, 'a'], [1, 'b'], [1, 'a']], 'sort', [], '[[1, "a"], [1, "b"], [2, "a"]]'],
  [[1, 'a'], 'sort', [], 'TypeError: cannot compare String and Integer'],
  [[null], 'sort', [], '[nil]'],
  [[], 'min', [], 'nil'],
  [v(), 'min', [2], '[1, 2]'],
  [v(), 'max', [], '3'],
  [v(), 'max', [2], '[3, 2]'],
  [v(), 'minmax', [], '[1, 3]'],
  [v(), 'reverse', [], '[2, 1, 3]'],
  [v(), 'rotate', [], '[1, 2, 3]'],
  [v(), 'rotate', [-1], '[2, 3, 1]'],
  [[], 'rotate', [3], '[]'],
]));

// prettier-ignore
t.test('combining', (t) => table(t, [
  [[1, null, ['a', [f(2)]]], 'join', ['-'], '"1--a-2.0"'],
  [[1, [2, [3, [4]]]], 'flatten', [], '[1, 2, 3, 4]'],
  [[1, [2, [3]]], 'flatten', [1], '[1, 2, [3]]'],
  [[1, null, false], 'compact', [], '[1, false]'],
  [[1, f(1), 'a', 'a', [1], [f(1)], null, null], 'uniq', [], '[1, "a", [1], nil]'],
  [['a', 'b', 'a'], 'tally', [], '{a: 2, b: 1}'],
  [[[1], [f(1)], [2]], 'tally', [], '{[1]: 2, [2]: 1}'],
  [[[f(NaN)]], 'tally', [], 'TypeError: Vector with nan or an error inside cannot be a hash key'],
  [[1, 2], 'zip', [['a'], new Range(5, 6, false)], '[[1, "a", 5], [2, nil, 6]]'],
  [[1, 2, 3], 'each_slice', [2], '[[1, 2], [3]]'],
  [[1, 2, 3], 'chunk', [0], 'ValueError: size must be positive, got 0'],
  [[1, 2, 3], 'each_cons', [2], '[[1, 2], [2, 3]]'],
  [[1, 2], 'product', [['a', 'b']], '[[1, "a"], [1, "b"], [2, "a"], [2, "b"]]'],
  [[[1, 2], [3, 4]], 'transpose', [], '[[1, 3], [2, 4]]'],
  [[[1, 2], [3]], 'transpose', [], 'ValueError: vectors have different lengths: 2 and 1'],
  [[1, 2, 3], 'combination', [2], '[[1, 2], [1, 3], [2, 3]]'],
  [[1, 2], 'combination', [0], '[[]]'],
  [[1, 2], 'combination', [3], '[]'],
  [[1, 2, 3], 'permutation', [2], '[[1, 2], [1, 3], [2, 1], [2, 3], [3, 1], [3, 2]]'],
  [[1, 2], 'union', [[2, 3]], '[1, 2, 3]'],
  [[1, 2, 2, 3], 'intersect', [[2, f(3)]], '[2, 3]'],
  [[1, 2, 2, 3], 'difference', [[2]], '[1, 3]'],
  [[['a', 1], ['b', 2]], 'to_h', [], '{a: 1, b: 2}'],
  [[[1, 2, 3]], 'to_h', [], 'TypeError: to_h(): elements must be pairs [key, value], got [1, 2, 3]'],
  [[1, f(0.5)], 'sum', [], '1.5'],
  [[], 'sum', [], '0'],
  [['a'], 'sum', [], 'TypeError: cannot add Integer and String (use "#{…}" to build text)'],
  [[1, 2], 'mean', [], '1.5'],
]));

// prettier-ignore
t.test('iterators without a block', (t) => table(t, [
  [v(), 'map', [], '[3, 1, 2]'],
  [v(), 'each_with_index', [], '[[3, 0], [1, 1], [2, 2]]'],
  [v(), 'with_index', [1], '[[3, 1], [1, 2], [2, 3]]'],
  [h({ a: 1 }), 'each', [], '[["a", 1]]'],
  [h({ a: 1 }), 'map', [], '[["a", 1]]'],
  [h({ a: 1 }), 'each_with_index', [], '[[["a", 1], 0]]'],
  [new Range(1, 3, false), 'each_cons', [2], '[[1, 2], [2, 3]]'],
  [3, 'times', [], '[0, 1, 2]'],
  [3, 'downto', [1], '[3, 2, 1]'],
]));

t.test('changing a vector', async (t) => {
  // prettier-ignore
  const steps: [string, Value[], string, string][] = [
    ['push', [4, 5], '[3, 1, 2, 4, 5]', '[3, 1, 2, 4, 5]'],
    ['pop', [], '5', '[3, 1, 2, 4]'],
    ['pop', [2], '[2, 4]', '[3, 1]'],
    ['unshift', [8, 9], '[8, 9, 3, 1]', '[8, 9, 3, 1]'],
    ['shift', [], '8', '[9, 3, 1]'],
    ['insert', [1, 'x', 'y'], '[9, "x", "y", 3, 1]', '[9, "x", "y", 3, 1]'],
    ['insert', [-1, 9], '[9, "x", "y", 3, 1, 9]', '[9, "x", "y", 3, 1, 9]'],
    ['delete', [9], '9', '["x", "y", 3, 1]'],
    ['delete', [9], 'nil', '["x", "y", 3, 1]'],
    ['delete_at', [-1], '1', '["x", "y", 3]'],
    ['delete_at', [7], 'nil', '["x", "y", 3]'],
    ['concat', [[1], new Range(5, 6, false)], '["x", "y", 3, 1, 5, 6]', '["x", "y", 3, 1, 5, 6]'],
    ['slice!', [1, 2], '["y", 3]', '["x", 1, 5, 6]'],
    ['slice!', [new Range(2, null, false)], '[5, 6]', '["x", 1]'],
    ['replace', [[7]], '[7]', '[7]'],
    ['clear', [], '[]', '[]'],
    ['shift', [2], '[]', '[]'],
    ['insert', [1, 1], '[nil, 1]', '[nil, 1]'],
    ['insert', [-4, 1], 'IndexError: index -4 is outside of a vector with 2 elements', '[nil, 1]'],
    ['clear', [], '[]', '[]'],
  ];
  const vector = v();
  for (const [name, args, result, after] of steps) {
    t.equal(
      shown(() => send(vector, name, args)),
      result,
      name,
    );
    t.equal(
      shown(() => vector),
      after,
      `${name}: the vector`,
    );
  }
  const twice: Value[] = [1, 2];
  send(twice, 'concat', [twice, twice]);
  t.equal(
    shown(() => twice),
    '[1, 2, 1, 2, 1, 2]',
  );
});

// prettier-ignore
t.test('hashes', (t) => table(t, [
  [h({ a: 1, b: null }), 'keys', [], '["a", "b"]'],
  [h({ a: 1, b: null }), 'has_key?', ['b'], 'true'],
  [h({ a: 1 }), 'has_value?', [f(1)], 'true'],
  [h({ colour: 1 }), 'fetch', ['color'], 'KeyError: no key "color", did you mean "colour"?'],
  [h({ a: 1 }), 'fetch', ['x', 0], '0'],
  [h({ a: null }), 'fetch', ['a'], 'nil'],
  [h({ a: h({ b: [1] }) }), 'dig', ['a', 'b', 0], '1'],
  [h({ a: 1 }), 'merge', [h({ a: 2, b: 3 }), h({ c: 4 })], '{a: 2, b: 3, c: 4}'],
  [h({ a: h({ x: 1, y: 2 }), b: 1 }), 'deep_merge', [h({ a: h({ y: 3 }), b: h({}) })], '{a: {x: 1, y: 3}, b: {}}'],
  [h({ a: 1, b: 'x' }), 'invert', [], '{1: "a", x: "b"}'],
  [h({ a: 1, b: 2, c: 3 }), 'slice', ['c', 'a', 'z'], '{c: 3, a: 1}'],
  [h({ a: 1, b: 2 }), 'except', ['a'], '{b: 2}'],
  [h({ a: 1, b: null }), 'compact', [], '{a: 1}'],
  [h({ a: 1, b: 2 }), 'to_a', [], '[["a", 1], ["b", 2]]'],
  [h({ a: 1, b: 2 }), 'values_at', ['b', 'x'], '[2, nil]'],
  [h({ b: 1, a: 2 }), 'sort', [], '[["a", 2], ["b", 1]]'],
  [h({ b: 1, a: 2 }), 'min', [], '["a", 2]'],
  [h({ b: 1, a: 2 }), 'first', [], '["b", 1]'],
  [h({ b: 1, a: 2 }), 'first', [1], '[["b", 1]]'],
  [h({}), 'any?', [], 'false'],
  [h({ a: 1 }), 'count', [], '1'],
  [h({ a: 1, b: 2 }), 'key', [2], '"b"'],
  [h({ a: 1 }), 'delete', ['x'], 'nil'],
  [h({ a: 1 }), 'store', [[f(NaN)], 2], 'TypeError: Vector with nan or an error inside cannot be a hash key'],
  [h({ a: 1 }), 'update', [h({ b: 2 })], '{a: 1, b: 2}'],
]));

// prettier-ignore
t.test('a key hides a method of the same name', (t) => table(t, [
  [h({ first: 'Ann' }), 'first', [], '"Ann"'],
  [h({ min: 1, max: 5 }), 'max', [], '5'],
  [h({ type: 'click' }), 'type', [], '"click"'],
  [h({}), 'type', [], '"Hash"'],
  [h({ key: 'k' }), 'key', [], '"k"'],
  [h({ first: 1 }), 'first', [1], '[["first", 1]]'],
]));

// prettier-ignore
t.test('ranges', (t) => table(t, [
  [new Range(1, 5, false), 'to_a', [], '[1, 2, 3, 4, 5]'],
  [new Range(1, 5, true), 'length', [], '4'],
  [new Range(5, 1, false), 'length', [], '0'],
  [new Range(1, 10n ** 30n, false), 'sum', [], '500000000000000000000000000000500000000000000000000000000000'],
  [new Range(1, f(4.5), false), 'length', [], '4'],
  [new Range(1, f(4), true), 'to_a', [], '[1, 2, 3]'],
  [new Range(1, null, false), 'first', [3], '[1, 2, 3]'],
  [new Range(1, null, false), 'take', [2], '[1, 2]'],
  [new Range(10n ** 20n, null, false), 'first', [1], '[100000000000000000000]'],
  [new Range(1, null, false), 'to_a', [], 'ValueError: to_a() needs a range with an end'],
  [new Range(1, null, false), 'length', [], 'ValueError: length() needs a range with an end'],
  [new Range(1, null, false), 'sum', [], 'ValueError: sum() needs a range with an end'],
  [new Range(1, null, false), 'last', [], 'ValueError: last() needs a range with an end'],
  [new Range(1, null, false), 'map', [], 'ValueError: map() needs a range with an end'],
  [new Range(1, null, false), 'min', [], '1'],
  [new Range(1, null, false), 'include?', [99], 'true'],
  [new Range(1, 5, true), 'max', [], '4'],
  [new Range(1, 5, false), 'last', [2], '[4, 5]'],
  [new Range(1, 2, false), 'last', [5], '[1, 2]'],
  [new Range(1, 5, false), 'last', [], '5'],
  [new Range('a', 'e', false), 'last', [2], '["d", "e"]'],
  [new Range('a', 'e', true), 'max', [], '"d"'],
  [new Range(f(0.5), f(1.5), false), 'max', [], '1.5'],
  [new Range(f(0.5), f(1.5), false), 'to_a', [], 'TypeError: cannot iterate from Float'],
  [new Range(1, 10, false), 'step', [3], '[1, 4, 7, 10]'],
  [new Range(1, 10, true), 'step', [3], '[1, 4, 7]'],
  [new Range(10, 1, false), 'step', [-3], '[10, 7, 4, 1]'],
  [new Range(1, 10, false), 'step', [0], 'ValueError: step must not be 0'],
  [new Range(f(0), f(1), false), 'step', [f(0.1)], '[0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001, 0.8, 0.9, 1.0]'],
  [new Range(f(0), f(1), true), 'step', [f(0.25)], '[0.0, 0.25, 0.5, 0.75]'],
  [new Range(1, 4, false), 'each_slice', [2], '[[1, 2], [3, 4]]'],
  [new Range(3, 1, false), 'min', [], 'nil'],
]));

// prettier-ignore
t.test('results that are too large are errors', (t) => table(t, [
  [new Range(1, 10n ** 12n, false), 'to_a', [], 'MemoryError: vector would have more than 67108864 elements'],
  [Array.from({ length: 60 }, (_, i) => i), 'combination', [30], 'MemoryError: vector would have more than 67108864 elements'],
  [Array.from({ length: 30 }, (_, i) => i), 'permutation', [], 'MemoryError: vector would have more than 67108864 elements'],
  [10n ** 12n, 'times', [], 'MemoryError: vector would have more than 67108864 elements'],
]));

t.test('vectors that contain themselves', async (t) => {
  const cycle: Value[] = [1];
  cycle.push(cycle);
  t.equal(
    shown(() => send(cycle, 'flatten')),
    'ValueError: cannot flatten a vector nested deeper than 1000 levels, or one that contains itself',
  );
  t.match(
    shown(() => send(cycle, 'join')),
    'ValueError',
  );
  let shared: Value[] = [];
  for (let i = 0; i < 60; i++) shared = [shared, shared];
  t.match(
    shown(() => send(shared, 'flatten')),
    'MemoryError',
  );
});

t.test('uniq, tally and set operations take linear time', async (t) => {
  const many = Array.from({ length: 20_000 }, (_, i): Value => (i % 2 === 0 ? [i, `k${i}`] : h({ a: i })));
  const ms = cpuTime(() => {
    t.equal((send([...many, ...many], 'uniq') as Value[]).length, 20_000);
    t.equal((send(many, 'intersect', [many]) as Value[]).length, 20_000);
    t.equal((send(many, 'difference', [many]) as Value[]).length, 0);
  });
  t.ok(ms < 10_000, `${ms} ms`);
});

t.test('length and zip as functions', async (t) => {
  t.equal(call('length', [h({ a: 1 })]), 1);
  t.equal(
    shown(() =>
      call('zip', [
        [1, 2],
        ['a', 'b'],
      ]),
    ),
    '[[1, "a"], [2, "b"]]',
  );
  t.equal(
    shown(() => call('vec', [1, 2])),
    '[1, 2]',
  );
});
