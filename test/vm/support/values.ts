import { Hash } from '../../../vm/values/hash.js';
import { normalize } from '../../../vm/values/numbers/arithmetic.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';

/** FC_SEED repeats a run of property tests, FC_RUNS sets the number of cases. */
export function settings(runs: number): fc.Parameters<unknown> {
  const { FC_SEED, FC_RUNS } = process.env;
  return {
    numRuns: FC_RUNS === undefined ? runs : Number(FC_RUNS),
    ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
  };
}

const LIMIT = 2n ** 53n;

/** Integers of all sizes, often near 0, 2^31, ±2^53 and 2^64, where representations change. */
export const wholes: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt(-20n, 20n),
  fc.bigInt(-(2n ** 33n), 2n ** 33n),
  ...[2n ** 31n, LIMIT, 2n ** 64n].flatMap((edge) => [
    fc.bigInt(edge - 9n, edge + 9n),
    fc.bigInt(-edge - 9n, -edge + 9n),
  ]),
  fc.bigInt(-LIMIT, LIMIT),
  fc.bigInt(-(2n ** 120n), 2n ** 120n),
);

export const integers: fc.Arbitrary<number | bigint> = wholes.map(normalize);

export const floats: fc.Arbitrary<Float> = fc
  .oneof(
    fc.double(),
    fc.integer({ min: -4, max: 4 }),
    fc.constantFrom(-0, 0.5, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 2 ** 64, 1e300, Infinity, -Infinity, NaN),
  )
  .map((n) => new Float(n));

export const numbers: fc.Arbitrary<number | bigint | Float> = fc.oneof(integers, floats);

/** Names of JavaScript and texts like indexes, which are special keys of JavaScript objects. */
export const names = fc.constantFrom(
  'a',
  'b',
  'c',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '0',
  '1',
  '2',
  '10',
  '-1',
  '1.5',
  'nil',
  'true',
  '',
);

export const keys: fc.Arbitrary<Value> = fc.oneof(
  names,
  fc.integer({ min: 0, max: 40 }).map((n) => `k${n}`),
  fc.integer({ min: -2, max: 12 }),
  fc.integer({ min: -2, max: 12 }).map((n) => new Float(n)),
  numbers,
  fc.boolean(),
  fc.constant(null),
);

/** Vectors and hashes of plain values, a few levels deep. */
export const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Value>(null, true, false, 0, 1, 2, new Float(1), new Float(0.5), '', 'a', '1', 10n ** 20n),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(
          keys.filter((key) => !(key instanceof Float && Number.isNaN(key.n))),
          tie('value'),
        ),
        { maxLength: 3 },
      )
      .map((pairs) => Hash.from(pairs)),
  ),
})).value;

/** Number of a numeric Svc value. */
export function plainNumber(value: Value): number | bigint {
  if (value instanceof Float) return value.n;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  throw new Error('no number');
}
