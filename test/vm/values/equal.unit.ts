import t from 'tap';
import { deepCopy } from '../../../vm/values/deepcopy.js';
import { compare, equal } from '../../../vm/values/equal.js';
import { Hash } from '../../../vm/values/hash.js';
import { unique, ValueSet } from '../../../vm/values/unique.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { run } from '../support/machine.js';
import { integers, numbers, plainNumber, settings, values } from '../support/values.js';

/** Order of two numbers by their exact values; NaN if one is not a number. */
function exactOrder(a: number | bigint, b: number | bigint): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
  if (typeof a === 'number') return -exactOrder(b, a);
  if (typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (!Number.isFinite(b)) return b > 0 ? -1 : b < 0 ? 1 : NaN;
  const floor = BigInt(Math.floor(b));
  return a > floor ? 1 : a < floor || !Number.isInteger(b) ? -1 : 0;
}

t.test('numbers compare by their exact values', async () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const order = exactOrder(plainNumber(a), plainNumber(b));
      return Object.is(compare(a, b) + 0, order + 0) && equal(a, b) === (order === 0);
    }),
    settings(3000),
  );
});

t.test('nan equals nothing', async (t) => {
  const nan = new Float(NaN);
  t.equal(equal(nan, nan), false);
  t.equal(equal(nan, new Float(NaN)), false);
  t.strictSame(run('n = 1e308 * 10 - 1e308 * 10\nputs n == n, n != n, n < n, n >= n, n <=> n').lines, [
    'false',
    'true',
    'false',
    'false',
    '',
  ]);
});

t.test('equality is an equivalence and structural', async () => {
  fc.assert(
    fc.property(values, (a) => equal(a, a) && equal(a, deepCopy(a))),
    settings(500),
  );
  fc.assert(
    fc.property(values, values, (a, b) => equal(a, b) === equal(b, a)),
    settings(1000),
  );
  fc.assert(
    fc.property(fc.array(values, { maxLength: 6 }), (list) =>
      list.every((a) => list.every((b) => list.every((c) => !equal(a, b) || !equal(b, c) || equal(a, c)))),
    ),
    settings(200),
  );
});

t.test('equality of hashes ignores order and representation', async () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 2 }), fc.nat(3)), {
    selector: ([key]) => key,
    maxLength: 6,
  });
  fc.assert(
    fc.property(pairs, fc.nat(), (list, turn) => {
      const a = Hash.from(list);
      const b = Hash.from([...list.slice(turn % 7), ...list.slice(0, turn % 7)]);
      b.set(1, 1);
      b.delete(1);
      const unlike = a.copy();
      unlike.set('more', 1);
      return equal(a, b) && equal(b, a) && !equal(a, unlike) && !equal(unlike, b);
    }),
    settings(300),
  );
});

t.test('values without equality between them', async (t) => {
  const list: Value[] = [null, true, false, 0, 1, '', '1', 'nil', [], new Hash()];
  for (const a of list) for (const b of list) t.equal(equal(a, b), a === b);
  t.equal(equal(1, new Float(1)), true);
  t.equal(equal([1], [new Float(1)]), true);
});

t.test('text is ordered by code points', async () => {
  const text = fc
    .array(
      fc.oneof(fc.constantFrom('a', 'b', 'z', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}')),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(''));
  const points = (s: string): number[] => Array.from(s, (c) => c.codePointAt(0) as number);
  const model = (a: number[], b: number[]): number => {
    const at = a.findIndex((x, i) => x !== b[i]);
    return at < 0 ? Math.sign(a.length - b.length) : at >= b.length ? 1 : Math.sign(a[at] - b[at]);
  };
  fc.assert(
    fc.property(text, text, (a, b) => compare(a, b) === model(points(a), points(b))),
    settings(2000),
  );
});

t.test('vectors are ordered lexicographically', async () => {
  const vectors = fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 4 });
  fc.assert(
    fc.property(vectors, vectors, (a, b) => {
      const order = compare(a, b);
      return order === -compare(b, a) + 0 && (order === 0) === equal(a, b) && compare([...a, 0], a) === 1;
    }),
    settings(500),
  );
});

t.test('an error compares like its message, on either side', async (t) => {
  const text =
    'begin\n  raise "b"\nrescue => e\n  puts e == "b", "b" == e, e < "c", e <=> "a"\n  puts "a" < e, "c" <=> e\nend';
  const { lines, errors } = run(text);
  t.strictSame(lines, ['true', 'true', 'true', '1', 'true', '1']);
  t.strictSame(errors, []);
});

t.test('values without an order', async (t) => {
  for (const pair of ['nil < 1', '"a" < 1', '[] < 1', '{} < {}', 'true < false', '[1, "a"] < [1, 2]', '1 < "a"'])
    t.match(run(`puts ${pair}`).errors, [/^TypeError: cannot compare/], pair);
});

t.test('cycles and deep values raise an error, not a RangeError', async (t) => {
  t.match(run('a = []\na << a\nb = []\nb << b\nputs a == b').errors, [
    /^ValueError: cannot compare values nested deeper/,
  ]);
  t.match(run('a = []\nb = []\n20000.times { a = [a]; b = [b] }\nputs a == b').errors, [
    /^ValueError: cannot compare values nested deeper/,
  ]);
  t.match(run('a = []\nb = []\n20000.times { a = [a]; b = [b] }\nputs a <=> b').errors, [/^(Type|Value)Error/]);
});

t.test('a set of values distinguishes values by equality', async () => {
  const naive = (list: Value[]): Value[] =>
    list.filter((item, i) => !list.slice(0, i).some((other) => equal(other, item)));
  const items = fc.array(fc.oneof(values, numbers, integers), { maxLength: 12 });
  fc.assert(
    fc.property(items, (list) => {
      const kept = unique(list);
      const expected = naive(list);
      const set = new ValueSet(list);
      return (
        kept.length === expected.length &&
        kept.every((item, i) => item === expected[i]) &&
        list.every((item) => set.has(item) === list.some((other) => equal(other, item)))
      );
    }),
    settings(500),
  );
});
