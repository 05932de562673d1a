import t from 'tap';
import { equal } from '../../../vm/values/equal.js';
import { Errors, ErrorValue } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { finish } from '../../../vm/values/steps.js';
import { NumberSet, numberBounds } from '../../../vm/values/numbers/numberset.js';
import { unique, ValueSet } from '../../../vm/values/unique.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';

/** Elements that equal none before them, found by comparing all pairs. */
function plainUnique(list: readonly Value[]): Value[] {
  const out: Value[] = [];
  for (const item of list) if (!out.some((other) => equal(other, item))) out.push(item);
  return out;
}

const sameElements = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((item, i) => Object.is(item, b[i]));

const double = fc
  .constantFrom(0, -0, 0.5, 1, -1.5, 2 ** 53, 2 ** 60, 1e300, Infinity, -Infinity, NaN)
  .map((n): Value => new Float(n));
const integer = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.maxSafeInteger(),
  fc.constantFrom<Value>(2n ** 53n, 2n ** 60n, -(2n ** 53n), 10n ** 300n),
);
const text = fc.constantFrom('', 'a', 'ab', '1', 'n1;', '\0n1;', '\0', 'é', '😀', '\ud83d', 'z', 'wrong');
const failure = fc.constantFrom<Value>(
  new ErrorValue(Errors.TypeError, 'wrong'),
  new ErrorValue(Errors.ValueError, 'wrong'),
  new ErrorValue(Errors.TypeError, 'a'),
);
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    integer,
    double,
    text,
    fc.constantFrom<Value>(null, true, false),
    failure,
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .array(fc.tuple(fc.constantFrom<Value>('a', 'b', 1), tie('value')), { maxLength: 2 })
      .map((entries): Value => Hash.from(entries)),
  ),
}));

t.test('unique keeps the first of equal values in order, for all values', async (t) => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (list) => sameElements(unique(list), plainUnique(list))),
    { numRuns: 400 },
  );
  t.pass();
});

t.test('many Integers: close together, far apart, and among other values', async (t) => {
  const spread = fc.constantFrom(1, 7, 1000, 2 ** 33, 2 ** 45);
  const list = fc
    .tuple(spread, fc.integer({ min: -100, max: 100 }), fc.array(fc.nat(80), { minLength: 60, maxLength: 200 }))
    .map(([factor, shift, numbers]): Value[] => numbers.map((n) => (n + shift) * factor + 0));
  fc.assert(
    fc.property(list, fc.array(value, { maxLength: 5 }), (numbers, others) => {
      const mixed = [...numbers, ...others, ...numbers.map((n) => new Float(n as number))];
      return sameElements(unique(numbers), plainUnique(numbers)) && sameElements(unique(mixed), plainUnique(mixed));
    }),
    { numRuns: 100 },
  );
  t.pass();
});

const large = fc.oneof(
  fc
    .tuple(fc.constantFrom(9000, 9001), value, fc.nat(9000))
    .map(([length, item, at]): Value => Array.from({ length }, (_, i) => (i === at ? item : i))),
  fc
    .tuple(fc.constantFrom('long '.repeat(40_000), 'long '.repeat(40_001)), value)
    .map(([word, item]): Value => [word, item]),
  fc.tuple(fc.constantFrom(9000, 9001), value, fc.boolean()).map(([length, item, isTurned]): Value => {
    const pairs = Array.from({ length }, (_, i): [Value, Value] => [`k${i}`, i === 70 ? item : i]);
    return Hash.from(isTurned ? pairs.reverse() : pairs);
  }),
  fc.constantFrom<Value>(2n ** 60_000n, 2n ** 60_000n + 1n).map((n): Value => [n]),
);

t.test('large elements, and small ones that contain them', async (t) => {
  const list = fc.array(
    fc.oneof(
      large,
      large.map((item): Value => [item, 1]),
      large.map((item): Value => Hash.from([['a', item]])),
      value,
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(list, fc.array(large, { maxLength: 2 }), (items, others) => {
      const set = new ValueSet(others);
      const known = plainUnique(others);
      return (
        sameElements(unique(items), plainUnique(items)) &&
        sameElements(
          finish(new ValueSet(others).chosenInSteps(items, true)),
          items.filter((item) => known.some((other) => equal(other, item))),
        ) &&
        items.every((item) => set.has(item) === known.some((other) => equal(other, item)))
      );
    }),
    { numRuns: 8 },
  );
  t.pass();
});

t.test('equal hashes have the same weight, with and without a shape', async (t) => {
  const pairs: [Value, Value][] = Array.from({ length: 60 }, (_, i) => ['long key '.repeat(300) + i, i]);
  const shaped = Hash.from(pairs);
  const plain = Hash.from([...pairs, [1, 1]]);
  plain.delete(1);
  t.same(unique([shaped, plain, shaped]).length, 1);
});

// An error equals its message, which equals errors of other types: only the content of the set counts.
t.test('a set contains the values that were added', async (t) => {
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 20 }),
      value,
      (list, item) => new ValueSet(list).has(item) === plainUnique(list).some((other) => equal(other, item)),
    ),
    { numRuns: 400 },
  );
  t.pass();
});

t.test('a set of numbers behaves like a Set', async (t) => {
  const number = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.maxSafeInteger(), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300, size: 'max' }), number, (numbers, other) => {
      const [mine, plain] = [new NumberSet(), new Set<number>()];
      for (const n of numbers) if (mine.add(n) === plain.has(n) || !plain.add(n)) return false;
      return [...numbers, other].every((n) => mine.has(n) === plain.has(n));
    }),
  );
  const many = new NumberSet();
  let added = 0;
  for (let i = 0; i < 300_000; i++) if (many.add((i % 200_000) * 2 ** 20)) added++;
  t.equal(added, 200_000);
  t.notOk(many.has(3));
  t.same(finish(numberBounds([3, -2, 8])), { min: -2, max: 8 });
  t.equal(finish(numberBounds([1, 2n ** 60n])), null);
  t.equal(finish(numberBounds([1, null])), null);
});

t.test('many values that equal nothing take linear time', async (t) => {
  const list = Array.from({ length: 100_000 }, (): Value => new Float(NaN));
  t.equal(unique(list).length, 100_000);
});
