import t from 'tap';
import { gcdLargeSteps } from '../../../natives/core/numbers/gcd.js';
import { finish } from '../../../vm/values/steps.js';
import { atPlaces } from '../../../natives/core/numbers/selection.js';
import { deepCopy } from '../../../vm/values/deepcopy.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { compare, equal } from '../../../vm/values/equal.js';
import { Hash } from '../../../vm/values/hash.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { check } from './property.js';
import { call, f, h, send, shown } from './support.js';

/** Compares natives that are optimised for large values with simple implementations. */

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'z', '-', '^', '\\', 'é', 'Ā', '😀', '😁', '\ud83d', '\ude00'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const long = fc.tuple(text, fc.constantFrom(1, 1, 2, 500)).map(([part, times]) => part.repeat(times));

/** Characters of a set without ranges. */
const set = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'z', 'é', 'Ā', '😀'), {
  minLength: 1,
  maxLength: 4,
});

t.test('tr, delete, count, squeeze', async (t) => {
  const mapped = (text: string, from: readonly string[], to: readonly string[]): string[] =>
    Array.from(text, (c) => (from.includes(c) ? (to[from.indexOf(c)] ?? to.at(-1) ?? '') : c));
  check(
    t,
    fc.property(
      long,
      set,
      set,
      (text, from, to) => send(text, 'tr', [from.join(''), to.join('')]) === mapped(text, from, to).join(''),
    ),
  );
  check(
    t,
    fc.property(long, set, (text, from) => send(text, 'tr', [from.join(''), '']) === mapped(text, from, []).join('')),
  );
  const among = (text: string, set: string[], belongs: boolean): string[] =>
    Array.from(text).filter((c) => set.includes(c) === belongs);
  check(
    t,
    fc.property(long, set, (text, set) => send(text, 'count', [set.join('')]) === among(text, set, true).length),
  );
  check(
    t,
    fc.property(long, set, (text, set) => send(text, 'count', [`^${set.join('')}`]) === among(text, set, false).length),
  );
  check(
    t,
    fc.property(long, set, (text, set) => send(text, 'delete', [set.join('')]) === among(text, set, false).join('')),
  );
  check(
    t,
    fc.property(
      long,
      set,
      (text, set) => send(text, 'delete', [`^${set.join('')}`]) === among(text, set, true).join(''),
    ),
  );
  const squeezed = (text: string, belongs: (c: string) => boolean): string =>
    Array.from(text)
      .filter((c, i, all) => c !== all[i - 1] || !belongs(c))
      .join('');
  check(
    t,
    fc.property(long, (text) => send(text, 'squeeze') === squeezed(text, () => true)),
  );
  check(
    t,
    fc.property(
      long,
      set,
      (text, set) => send(text, 'squeeze', [set.join('')]) === squeezed(text, (c) => set.includes(c)),
    ),
  );
  t.equal(send('hello', 'tr_s', ['el', 'x']), 'hxo');
  t.equal(send('aabb', 'tr_s', ['^a', 'x']), 'aax');
  t.equal(send('hello', 'tr', ['aab', 'xyz']), 'hello'.replace('a', 'x'));
  t.equal(send('aab', 'tr', ['aa', 'xy']), 'yyb', 'the last place of a character counts');
  t.equal(send('héllo', 'tr', ['^a-z', '*']), 'h*llo');
});

t.test('reverse, bytes, codepoints, chars, swapcase', async (t) => {
  check(
    t,
    fc.property(long, (text) => send(text, 'reverse') === Array.from(text).reverse().join('')),
  );
  check(
    t,
    fc.property(
      long.filter((text) => text.isWellFormed()),
      (text) => (send(text, 'bytes') as number[]).join() === new TextEncoder().encode(text).join(),
    ),
  );
  check(
    t,
    fc.property(
      long,
      (text) => (send(text, 'codepoints') as number[]).join() === Array.from(text, (c) => c.codePointAt(0)).join(),
    ),
  );
  check(
    t,
    fc.property(long, (text) => (send(text, 'chars') as string[]).join() === Array.from(text).join()),
  );
  const swapped = (c: string): string => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase());
  check(
    t,
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'Z', '@', '[', '`', '{', 'ß', 'É', 'ǆ', '𐐨', '1') }),
      (text) => send(text, 'swapcase') === Array.from(text, swapped).join(''),
    ),
  );
});

/** Numbers whose prime factors lead to greatest common divisors of every size. */
const large = fc
  .array(fc.tuple(fc.constantFrom(2n, 3n, 5n, 1_000_003n, 2n ** 61n - 1n), fc.nat(900)), { maxLength: 4 })
  .map((powers) => powers.reduce((n, [base, exponent]) => n * base ** BigInt(exponent), 1n));

const gcdLarge = (a: bigint, b: bigint): bigint => finish(gcdLargeSteps(a, b));

function euclid(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

t.test('greatest common divisors of large Integers', async (t) => {
  const near = fc
    .tuple(
      fc.oneof(
        large,
        large.map((n) => -n),
        fc.bigInt(0n, 2n ** 5000n),
      ),
      fc.bigInt(-9n, 9n),
    )
    .map(([n, add]) => n + add);
  check(
    t,
    fc.property(
      near,
      near,
      fc.oneof(fc.constant(1n), large),
      (a, b, common) => gcdLarge(a * common, b * common) === euclid(a * common, b * common),
    ),
  );
  t.equal(gcdLarge(0n, 0n), 0n);
  t.equal(gcdLarge(0n, -(7n ** 5000n)), 7n ** 5000n);
  t.equal(call('gcd', [3n ** 20_000n, 6n ** 10_000n]), 3n ** 10_000n);
  let [a, b] = [1n, 1n];
  for (let i = 0; i < 20_000; i++) [a, b] = [b, a + b];
  t.equal(gcdLarge(a, b), 1n, 'neighbours among the Fibonacci numbers take the most steps');
});

t.test('order statistics without sorting', async (t) => {
  const number = fc.constantFrom<Value>(0, 1, 2, f(0), f(-0), f(1), f(1.5), 7, f(Infinity), f(-3.25), 2 ** 53 - 1);
  const same = (a: Value, b: Value): boolean =>
    a instanceof Float && b instanceof Float ? Object.is(a.n, b.n) : a === b;
  check(
    t,
    fc.property(fc.array(number, { minLength: 1, maxLength: 300, size: 'max' }), fc.nat(), (list, n) => {
      const place = n % list.length;
      return same((finish(atPlaces(list, [place])) as Value[])[0], list.slice().sort(compare)[place]);
    }),
  );
  t.equal(finish(atPlaces([1, f(NaN)], [0])), null);
  t.equal(finish(atPlaces([1, 2n ** 60n], [0])), null);
  const many = Array.from({ length: 1001 }, (_, i) => (i * 7919) % 1001);
  t.equal(
    shown(() => send(many, 'median')),
    '500',
  );
  t.equal(
    shown(() => send([...many, 1001], 'median')),
    '500.5',
  );
  t.equal(
    shown(() => send([...many, 2n ** 70n], 'median')),
    '500.5',
  );
});

t.test('making vectors and hashes', async (t) => {
  const small = fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom<Value>('a', null, f(1), f(0.5))), {
    maxLength: 200,
    size: 'max',
  });
  const integers = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 64, maxLength: 200 });
  const counted = (list: Value[]): string => {
    const counts = new Hash();
    for (const item of list) counts.set(item, ((counts.get(item) ?? 0) as number) + 1);
    return shown(() => counts);
  };
  check(
    t,
    fc.property(fc.oneof(small, integers), (list) => shown(() => send(list, 'tally')) === counted(list)),
  );
  check(
    t,
    fc.property(
      small,
      small,
      (a, b) => shown(() => send(a, 'zip', [b])) === shown(() => a.map((item, i) => [item, b[i] ?? null])),
    ),
  );
  check(
    t,
    fc.property(
      fc.oneof(small, integers),
      (list) =>
        send(list, 'join', ['/']) ===
        list.map((item) => (item === null ? '' : shown(() => item).replaceAll('"', ''))).join('/'),
    ),
  );
  t.equal(
    shown(() => call('linspace', [0, 1, 5])),
    '[0.0, 0.25, 0.5, 0.75, 1.0]',
  );
  t.equal(
    shown(() => call('rep', [[1, 2], 3])),
    '[1, 2, 1, 2, 1, 2]',
  );
  t.equal(
    shown(() => call('seq', [2 ** 53 - 2, 2n ** 53n + 1n])),
    '[9007199254740990, 9007199254740991, 9007199254740992, 9007199254740993]',
  );
  t.equal(
    shown(() => call('linspace', [0, 1, 2 ** 27])),
    'MemoryError: vector would have more than 67108864 elements',
  );
});

/** Hashes with few keys, and with more than a shape can have. */
const hash = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom<Value>(1, f(1), 2, 'x')), { maxLength: 3 }),
  )
  .map(([large, entries]) => {
    const made = Hash.from(entries);
    if (large) made.set(1.5, null);
    if (large) made.delete(1.5);
    return made;
  });

t.test('hashes of every representation are compared and merged', async (t) => {
  const plainEqual = (a: Hash, b: Hash): boolean =>
    a.size === b.size && a.entries().every(([key, value]) => b.has(key) && equal(value, b.get(key) as Value));
  check(
    t,
    fc.property(hash, hash, (a, b) => equal(a, b) === plainEqual(a, b)),
  );
  check(
    t,
    fc.property(
      hash,
      hash,
      (a, b) => shown(() => send(a, 'merge', [b])) === shown(() => Hash.from([...a.entries(), ...b.entries()])),
    ),
  );
  check(
    t,
    fc.property(
      hash,
      (a) =>
        shown(() => send(a, 'invert')) ===
        shown(() => Hash.from(a.entries().map(([key, value]): [Value, Value] => [value, key]))),
    ),
  );
  const own = h({ a: 1 });
  t.equal(
    shown(() => send(own, 'replace', [own])),
    '{a: 1}',
  );
  t.equal(
    shown(() => send(own, 'update', [own])),
    '{a: 1}',
  );
});

t.test('deep copies share nothing with the original', async (t) => {
  const inner: Value[] = [1, f(2)];
  const names = Array.from({ length: 20 }, (_, i) => `field${i}`);
  const record = RecordValue.of(
    new RecordType('Wide', names, null),
    names.map(() => inner),
  );
  const numbered = Hash.from([
    [1, inner],
    [2, h({ deep: inner })],
  ]);
  const copy = deepCopy([record, numbered, h({ inner })]) as [RecordValue, Hash, Hash];
  t.ok(equal(copy, [record, numbered, h({ inner })]));
  const copied = copy[2].get('inner') as Value[];
  t.not(copied, inner);
  t.equal(copy[0].fields.get('field19'), copied, 'what was shared is shared among the copies');
  t.equal(copy[1].get(1), copied);
  copied.push(3);
  t.equal(inner.length, 2);
  t.equal(record.fields.get('field0'), inner);
});

t.test('sets compare dates by their moment', async (t) => {
  const day = (n: number): Value => call('date_from', [2024, 1, 1 + n]);
  t.equal(
    (
      send(
        Array.from({ length: 50 }, (_, i) => day(i % 3)),
        'uniq',
      ) as Value[]
    ).length,
    3,
  );
});
