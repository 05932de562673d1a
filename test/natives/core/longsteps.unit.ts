import t, { type Test } from 'tap';
import { deepCopySteps } from '../../../natives/core/copysteps.js';
import { encodeJson } from '../../../natives/core/json/encode.js';
import { installCore } from '../../../natives/core/index.js';
import { finish, STEP } from '../../../vm/values/steps.js';
import { add } from '../../../vm/values/numbers/arithmetic.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Cell, Float, type Value } from '../../../vm/values/value.js';
import { VM } from '../../../vm/vm.js';
import fc from '../../property.js';

let ticks = 0;

/** The clock advances with each reading, so that every step runs in its own turn. */
const vm = new VM({
  now: () => ticks++,
  wallClock: () => Date.now(),
  heap: () => ({ used: 0, limit: 1 }),
  collect: () => {},
  defer: (callback) => void setImmediate(callback),
  setTimer: () => () => {},
  random: Math.random,
  stdout: () => {},
  stderr: () => {},
});
installCore(vm);

/** Result of a call, or its error as text. `meanwhile` runs after the first step. */
async function outcome(run: () => Value, meanwhile: () => void): Promise<Value> {
  const failed = (error: unknown): Value => {
    if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
    throw error;
  };
  try {
    const now = run();
    const wait = vm.takeWait();
    if (wait === null) return now;
    const { start } = wait;
    if (typeof start === 'number') throw new Error('it sleeps');
    return await new Promise<Value>((resolve) => {
      start(resolve, (error) => resolve(failed(error)));
      meanwhile();
    });
  } catch (error) {
    return failed(error);
  }
}

/** Result of a method of a vector that another thread empties meanwhile. */
function send(list: Value[], name: string, args: Value[] = []): Promise<Value> {
  return outcome(
    () => vm.callMethod(list, name, args, null) as Value,
    () => {
      list.length = 3;
      list.push('changed', null);
    },
  );
}

/** Result of a method of a hash that another thread changes meanwhile. */
function ask(hash: Hash, name: string, args: Value[] = []): Promise<Value> {
  return outcome(
    () => vm.callMethod(hash, name, args, null) as Value,
    () => {
      hash.delete(hash.keys()[5]);
      hash.set('changed', null);
    },
  );
}

function call(name: string, args: Value[]): Promise<Value> {
  return outcome(
    () => vm.invokeNative(vm.globals.get(name) as NativeFunction, args, null) as Value,
    () => {},
  );
}

function same(t: Test, found: Value, wanted: Value, what: string): void {
  t.ok(inspect(found) === inspect(wanted), what);
}

const size = fc.constantFrom(STEP - 1, STEP, STEP + 1, 2 * STEP, 2 * STEP + 17);
// prettier-ignore
const kinds: Record<string, (i: number, seed: number) => Value> = {
  dense: (i, seed) => (i * 7919 + seed) % 20_011,
  sparse: (i, seed) => ((i * 7919 + seed) % 20_011) * 1_000_003 * 97,
  texts: (i, seed) => `w${(i * 7919 + seed) % 20_011}`,
  mixed: (i, seed) => [i % 1000, `t${i % 77}`, null, new Float(i / 8), new Float(i % 50), true, 2n ** 70n + BigInt(i % 9)][(i + seed) % 7],
};
const lists = fc
  .tuple(size, fc.constantFrom(...Object.keys(kinds)), fc.nat(1000))
  .map(([n, kind, seed]) => Array.from({ length: n }, (_, i) => kinds[kind](i, seed)));

/** Value by which a Set compares. */
function keyOf(value: Value): Value {
  return value instanceof Float ? value.n : value;
}

function unique(list: readonly Value[]): Value[] {
  const seen = new Set<Value>();
  return list.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
}

function tally(list: readonly Value[]): Hash {
  const counts = new Hash();
  for (const item of list) counts.set(item, ((counts.get(item) as number | undefined) ?? 0) + 1);
  return counts;
}

const text = (item: Value): string => (typeof item === 'string' ? item : item === null ? '' : inspect(item));

/** Methods of a vector, arguments, expected result. */
// prettier-ignore
const METHODS: readonly (readonly [string, Value[], (list: Value[]) => Value])[] = [
  ['uniq', [], unique],
  ['tally', [], tally],
  ['join', ['-'], (list) => list.map(text).join('-')],
  ['zip', [[1, 2]], (list) => list.map((item, i) => [item, [1, 2][i] ?? null])],
  ['zip', [[1, 2], [3]], (list) => list.map((item, i) => [item, [1, 2][i] ?? null, [3][i] ?? null])],
  ['chunk', [3], (list) => Array.from({ length: Math.ceil(list.length / 3) }, (_, i) => list.slice(3 * i, 3 * i + 3))],
  ['each_cons', [2], (list) => list.slice(1).map((item, i) => [list[i], item])],
  ['each_with_index', [], (list) => list.map((item, i) => [item, i])],
  ['each_with_object', [7], (list) => list.map((item) => [item, 7])],
  ['difference', [[1, 't5', null]], (list) => list.filter((item) => ![1, 't5', null].includes(keyOf(item) as number))],
  ['intersection', [[1, 't5', null]], (list) => unique(list.filter((item) => [1, 't5', null].includes(keyOf(item) as number)))],
  ['intersect?', [[-1, 'none']], () => false],
  ['union', [[-1, 'none']], (list) => unique([...list, -1, 'none'])],
  ['product', [[1, 2]], (list) => list.flatMap((item) => [[item, 1], [item, 2]])],
  ['combination', [1], (list) => list.map((item) => [item])],
  ['permutation', [1], (list) => list.map((item) => [item])],
];

t.test('methods of long vectors return the right result though another thread changes the vector', async (t) => {
  for (const [name, args, wanted] of METHODS) {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => inspect(await send(list.slice(), name, args)) === inspect(wanted(list))),
      { numRuns: 3 },
    );
    t.pass(name);
  }
});

t.test('long vectors of vectors', async (t) => {
  const n = STEP + 5;
  const rows = (): Value[] => Array.from({ length: n }, (_, i) => [`k${i}`, [i, [i % 3]]]);
  same(t, await send(rows(), 'to_h'), Hash.from(rows() as [Value, Value][]), 'to_h');
  same(
    t,
    await send(rows(), 'flatten'),
    rows().flatMap((row) => (row as unknown[]).flat(Infinity) as Value[]),
    'flatten',
  );
  same(
    t,
    await send(rows(), 'flatten', [1]),
    rows().flatMap((row) => row as Value[]),
    'flatten(1)',
  );
  same(
    t,
    await send([rows(), rows()], 'flatten', [2]),
    [...rows(), ...rows()].flatMap((row) => row as Value[]),
    'few long ones',
  );
  same(
    t,
    await send(rows(), 'join', [' ']),
    rows()
      .flatMap((row) => (row as unknown[]).flat(Infinity) as Value[])
      .join(' '),
    'join',
  );
  same(
    t,
    await send(rows(), 'transpose'),
    [rows().map((row) => (row as Value[])[0]), rows().map((row) => (row as Value[])[1])],
    'transpose',
  );
  same(
    t,
    await send([...rows(), 5], 'to_h'),
    'TypeError: to_h(): elements must be pairs [key, value], got 5',
    'what is no pair',
  );
  const own: Value[] = Array.from({ length: n }, () => 1);
  own.push(own);
  t.match(
    await outcome(
      () => vm.callMethod(own, 'flatten', [], null) as Value,
      () => {},
    ),
    /nested deeper than 1000 levels|more than \d+ elements/,
    'a vector within itself',
  );
});

t.test('permutations and combinations', async (t) => {
  const list = Array.from({ length: 200 }, (_, i) => i);
  const pairs = list.flatMap((a) => list.filter((b) => b !== a).map((b) => [a, b]));
  same(t, await send(list.slice(), 'permutation', [2]), pairs, 'permutation');
  same(
    t,
    await send(list.slice(), 'combination', [2]),
    pairs.filter(([a, b]) => a < b),
    'combination',
  );
  const orders = (rest: Value[]): Value[][] =>
    rest.length === 0
      ? [[]]
      : rest.flatMap((item) => orders(rest.filter((other) => other !== item)).map((order) => [item, ...order]));
  same(t, await send([1, 2, 3, 4, 5, 6, 7], 'permutation'), orders([1, 2, 3, 4, 5, 6, 7]), 'all orders');
  const subsets = list
    .flatMap((a) => list.filter((b) => b > a).map((b) => list.filter((c) => c !== a && c !== b)))
    .reverse();
  same(t, await send(list.slice(), 'combination', [198]), subsets, 'nearly all');
});

t.test('statistics', async (t) => {
  for (const n of [STEP + 1, 2 * STEP]) {
    const integers = Array.from({ length: n }, (_, i) => (i * 7919) % 20_011);
    const floats = integers.map((i) => new Float(i / 7));
    const total = integers.reduce((sum, i) => sum + i, 0);
    const sorted = integers.slice().sort((a, b) => a - b);
    const middle = n % 2 === 1 ? sorted[n >> 1] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    const squares = integers.reduce((sum, i) => sum + (i - total / n) ** 2, 0);
    t.equal(await send(integers.slice(), 'sum'), total);
    t.equal(await call('sum', [integers]), total);
    t.equal(
      await send(
        integers.map((i) => BigInt(i) + 2n ** 80n),
        'sum',
      ),
      BigInt(total) + 2n ** 80n * BigInt(n),
    );
    t.equal(((await send(integers.slice(), 'mean')) as Float).n, total / n);
    t.equal(Number(keyOf(await send(integers.slice(), 'median'))), middle);
    t.ok(Math.abs(((await send(integers.slice(), 'variance')) as Float).n / (squares / (n - 1)) - 1) < 1e-9);
    t.ok(Math.abs(((await send(floats.slice(), 'stdev')) as Float).n / (Math.sqrt(squares / (n - 1)) / 7) - 1) < 1e-9);
    t.equal(
      (
        (await send(
          Array.from({ length: n }, () => new Float(0.1)),
          'sum',
        )) as Float
      ).n,
      Math.round(n) / 10,
      'compensated',
    );
    same(
      t,
      await send(['a', ...integers], 'mean'),
      'TypeError: mean(): values must be Number, got String',
      'what is no number',
    );
    same(
      t,
      await send([...floats, 'a'], 'sum'),
      await outcome(
        () => add(new Float(1), 'a'),
        () => {},
      ),
      'nor can be added',
    );
    same(t, await send(integers.slice(), 'min', [3]), sorted.slice(0, 3), 'least');
    same(t, await send(integers.slice(), 'max', [3]), sorted.slice(-3).reverse(), 'greatest');
    const shuffled = (await send(integers.slice(), 'shuffle')) as number[];
    t.not(inspect(shuffled), inspect(integers));
    same(
      t,
      shuffled.slice().sort((a, b) => a - b),
      sorted,
      'the same elements',
    );
    t.equal(((await send(integers.slice(), 'sample', [10])) as Value[]).length, 10);
  }
});

t.test('sequences', async (t) => {
  const n = STEP * 2 + 1;
  same(
    t,
    await call('linspace', [0, 1, n]),
    Array.from({ length: n }, (_, i) => new Float(i / (n - 1))),
    'linspace',
  );
  same(
    t,
    await call('seq', [1, n]),
    Array.from({ length: n }, (_, i) => i + 1),
    'seq',
  );
  same(
    t,
    await call('rep', [[1, 'a'], STEP]),
    Array.from({ length: 2 * STEP }, (_, i) => [1, 'a'][i % 2]),
    'rep',
  );
  t.match(await call('rep', [1, 2 ** 27]), /MemoryError: vector would have more than/);
});

function long(n: number, key = (i: number): Value => `k${i}`): Hash {
  return Hash.from(Array.from({ length: n }, (_, i): [Value, Value] => [key(i), i]));
}

t.test('long hashes', async (t) => {
  const n = STEP + 3;
  const other = Hash.from([
    ['k5', 'new'],
    ['x', 1],
  ]);
  const merged = long(n);
  merged.set('k5', 'new');
  merged.set('x', 1);
  same(t, await ask(long(n), 'copy'), long(n), 'copy');
  same(
    t,
    await ask(
      long(n, (i) => new Float(i / 2)),
      'copy',
    ),
    long(n, (i) => (i % 2 === 0 ? new Float(i / 2) : new Float(i / 2))),
    'Float keys',
  );
  same(t, await ask(long(n), 'merge', [other]), merged, 'merge');
  same(t, await ask(long(n), 'deep_merge', [other]), merged, 'deep_merge');
  same(
    t,
    await ask(long(n), 'invert'),
    Hash.from(
      long(n)
        .entries()
        .map(([key, value]) => [value, key]),
    ),
    'invert',
  );
  same(t, await ask(long(n), 'compact'), long(n), 'compact');
  same(t, await ask(long(n), 'to_a'), long(n).entries(), 'to_a');
  same(t, await ask(long(n), 'except', ['k0', 'none']), Hash.from(long(n).entries().slice(1)), 'except');
  same(
    t,
    await ask(long(n), 'slice', long(n - 1).keys()),
    Hash.from(
      long(n)
        .entries()
        .slice(0, n - 1),
    ),
    'slice',
  );
  const deep = (): Hash =>
    Hash.from([
      [
        'a',
        Hash.from([
          ['b', long(n)],
          ['c', 1],
        ]),
      ],
    ]);
  same(
    t,
    await ask(deep(), 'deep_merge', [Hash.from([['a', Hash.from([['b', other]])]])]),
    Hash.from([
      [
        'a',
        Hash.from([
          ['b', merged],
          ['c', 1],
        ]),
      ],
    ]),
    'deep within',
  );
});

t.test('hashes that are changed in steps show no partial change and lose no other change', async (t) => {
  const [few, many] = [
    (): Hash =>
      Hash.from([
        ['a', 1],
        ['k5', 0],
      ]),
    long(STEP + 3),
  ];
  const wanted = few();
  many.each((key, value) => wanted.set(key, value));
  const untouched = few();
  same(
    t,
    await outcome(
      () => vm.callMethod(untouched, 'merge!', [many], null) as Value,
      () => same(t, untouched, few(), 'nothing is seen before the end'),
    ),
    wanted,
    'merge!',
  );
  same(t, untouched, wanted, 'the hash itself');
  const changed = few();
  await outcome(
    () => vm.callMethod(changed, 'update', [many], null) as Value,
    () => changed.set('b', 2),
  );
  t.equal(changed.get('b'), 2, 'what another thread has set stays');
  t.equal(changed.size, wanted.size + 1);
  const replaced = few();
  await outcome(
    () => vm.callMethod(replaced, 'replace', [many], null) as Value,
    () => same(t, replaced, few(), 'not yet'),
  );
  same(t, replaced, many, 'replace');
  const wrong = Hash.from([...long(STEP + 3).entries(), ['v', [new Float(NaN)]]]);
  same(t, await ask(wrong, 'invert'), 'TypeError: Vector with nan or an error inside cannot be a hash key', 'invert');
});

t.test('large hashes are equal whatever their order', async (t) => {
  const n = 10_000;
  const backwards = Hash.from(long(n).entries().reverse());
  const other = long(n);
  other.set('k77', -1);
  const renamed = long(n);
  renamed.delete('k9');
  renamed.set('other', 9);
  for (const [a, b, wanted] of [
    [long(n), long(n), true],
    [long(n), backwards, true],
    [long(n), other, false],
    [long(n), renamed, false],
    [long(n), long(n + 1), false],
  ] as const) {
    t.equal(
      a.everyBeside(b, (x, y) => x === y),
      wanted,
    );
    t.equal(
      b.everyBeside(a, (x, y) => x === y),
      wanted,
    );
  }
});

t.test('JSON and copies for threads', async (t) => {
  const type = new RecordType('Row', ['a', 'b'], null);
  const inner = [1, 2];
  const rows = Array.from({ length: 3000 }, (_, i) =>
    i % 3 === 0 ? RecordValue.of(type, [i, inner]) : i % 3 === 1 ? long(i % 40) : [i, [[]], '\u00e4"'],
  );
  for (const value of [
    rows,
    long(5000),
    Hash.from([
      ['rows', rows],
      ['n', null],
    ]),
    Array.from({ length: 9000 }, (_, i) => (i % 5000 === 7 ? null : i - 4000)),
  ]) {
    for (const pretty of [false, true])
      t.ok(
        (await outcome(
          () => vm.callMethod(value, 'to_json', [pretty], null) as Value,
          () => {},
        )) === encodeJson(value, pretty),
      );
    same(t, finish(deepCopySteps(value, new Map())), value, 'a copy');
  }
  const copy = (finish(deepCopySteps(new Cell(rows), new Map())) as unknown as Cell).value as Value[];
  const fields = [copy[0], copy[3]].map((row) => (row as RecordValue).fields.get('b'));
  t.equal(fields[0], fields[1], 'what was shared is shared');
  t.not(fields[0], inner, 'but not with the original');
});
