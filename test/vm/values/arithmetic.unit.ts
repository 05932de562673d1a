import t, { type Test } from 'tap';
import * as arithmetic from '../../../vm/values/numbers/arithmetic.js';
import { fractionOf, nearestQuotient, nearestRoot } from '../../../vm/values/numbers/quotient.js';
import { SvcError } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { run } from '../support/machine.js';
import { floats, integers, numbers, plainNumber, settings, wholes } from '../support/values.js';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Floored division of whole numbers, the remainder with the divisor's sign. */
function floored(a: bigint, b: bigint): { quotient: bigint; remainder: bigint } {
  const quotient = a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);
  return { quotient, remainder: a - quotient * b };
}

type Binary = (a: Value, b: Value) => Value;

/** Whether the result is the Integer `expected` in its only representation. */
function isWhole(result: Value, expected: bigint): boolean {
  if (typeof result === 'number')
    return Number.isSafeInteger(result) && !Object.is(result, -0) && BigInt(result) === expected;
  return typeof result === 'bigint' && result === expected && (expected > SAFE || expected < -SAFE);
}

function agrees(
  t: Test,
  name: string,
  operation: Binary,
  model: (a: bigint, b: bigint) => bigint,
  second = wholes,
): void {
  t.doesNotThrow(
    () =>
      fc.assert(
        fc.property(wholes, second, (a, b) =>
          isWhole(operation(arithmetic.normalize(a), arithmetic.normalize(b)), model(a, b)),
        ),
        settings(2000),
      ),
    name,
  );
}

/** Text of the Svc error that `f` raises. */
function raised(f: () => unknown): string {
  try {
    return `no error but ${String(f())}`;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return `${error.value.type.name}: ${error.value.message}`;
  }
}

const divisors = wholes.filter((b) => b !== 0n);

t.test('Integers never lose precision', async (t) => {
  agrees(t, 'add', arithmetic.add, (a, b) => a + b);
  agrees(t, 'subtract', arithmetic.subtract, (a, b) => a - b);
  agrees(t, 'multiply', arithmetic.multiply, (a, b) => a * b);
  agrees(t, 'floor division', arithmetic.floorDivide, (a, b) => floored(a, b).quotient, divisors);
  agrees(t, 'modulo', arithmetic.modulo, (a, b) => floored(a, b).remainder, divisors);
  agrees(t, 'power', arithmetic.power, (a, b) => a ** b, fc.bigInt(0n, 40n));
  agrees(
    t,
    'negate',
    (a) => arithmetic.negate(a),
    (a) => -a,
  );
});

t.test('floor division around ±2^53', async (t) => {
  const max = Number.MAX_SAFE_INTEGER;
  for (const [a, b] of [
    [max, -3],
    [-max, 3],
    [max, -7],
    [-max, 5],
    [max, 3],
    [max - 1, -3],
  ]) {
    const { quotient, remainder } = floored(BigInt(a), BigInt(b));
    t.ok(
      isWhole(arithmetic.floorDivide(a, b), quotient),
      `${a} // ${b} is ${quotient}, got ${String(arithmetic.floorDivide(a, b))}`,
    );
    t.ok(isWhole(arithmetic.modulo(a, b), remainder), `${a} % ${b}`);
  }
});

t.test('all powers below 2^53 are exact', async (t) => {
  let wrong = 0;
  for (let exponent = 3n; exponent <= 53n; exponent++) {
    for (let base = 2n; base ** exponent <= SAFE; base++) {
      if (arithmetic.power(Number(base), Number(exponent)) !== Number(base ** exponent)) wrong++;
    }
  }
  t.equal(wrong, 0);
  fc.assert(
    fc.property(fc.nat(94_906_265), (a) => isWhole(arithmetic.power(-a, 2), BigInt(a) ** 2n)),
    settings(500),
  );
});

t.test('powers of 0, 1 and -1 have no limit', async (t) => {
  const odd = 2n ** 60n + 1n;
  t.equal(arithmetic.power(0, odd), 0);
  t.equal(arithmetic.power(1, odd), 1);
  t.equal(arithmetic.power(-1, odd), -1);
  t.equal(arithmetic.power(-1, odd + 1n), 1);
  t.equal(arithmetic.power(0, 0), 1);
});

t.test('powers up to the limit of 1,048,576 bits', async (t) => {
  t.equal(arithmetic.power(2, 100_000), 2n ** 100_000n);
  t.equal(arithmetic.power(10, 80_000), 10n ** 80_000n);
  t.match(
    raised(() => arithmetic.power(2, 5_000_000)),
    /^OverflowError/,
  );
  t.match(
    raised(() => arithmetic.power(2, 2n ** 70n)),
    /^OverflowError/,
  );
  const large = 2n ** 3_000_000n;
  t.match(
    raised(() => arithmetic.multiply(large, large)),
    /^OverflowError/,
  );
});

t.test('a power with a negative exponent or a Float is a Float', async (t) => {
  t.strictSame(arithmetic.power(2, -1), new Float(0.5));
  t.strictSame(arithmetic.power(4, new Float(0.5)), new Float(2));
  t.equal(
    raised(() => arithmetic.power(0, -1)),
    'ZeroDivisionError: division by zero',
  );
});

// prettier-ignore
const FLOAT_OPERATIONS: [string, Binary, (a: number, b: number) => number][] = [
  ['add', arithmetic.add, (a, b) => a + b],
  ['subtract', arithmetic.subtract, (a, b) => a - b],
  ['multiply', arithmetic.multiply, (a, b) => a * b],
];

t.test('an operation with a Float uses the nearest doubles', async (t) => {
  for (const [name, operation, model] of FLOAT_OPERATIONS) {
    const same = (a: Value, b: Value): boolean => {
      const result = operation(a, b);
      return result instanceof Float && Object.is(result.n, model(Number(plainNumber(a)), Number(plainNumber(b))));
    };
    t.doesNotThrow(
      () =>
        fc.assert(
          fc.property(floats, numbers, (a, b) => same(a, b) && same(b, a)),
          settings(500),
        ),
      name,
    );
  }
  t.doesNotThrow(
    () =>
      fc.assert(
        fc.property(numbers, numbers, (a, b) => {
          const divisor = Number(plainNumber(b));
          if (divisor === 0) return raised(() => arithmetic.divide(a, b)) === 'ZeroDivisionError: division by zero';
          const result = arithmetic.divide(a, b);
          const exact =
            typeof a !== 'object' && typeof b !== 'object' && (typeof a === 'bigint' || typeof b === 'bigint');
          return result instanceof Float && (exact || Object.is(result.n, Number(plainNumber(a)) / divisor));
        }),
        settings(500),
      ),
    'divide',
  );
});

/** Whether `n` is the double nearest to a / b, by exact comparison; ties round to even. */
function isNearest(n: number, a: bigint, b: bigint): boolean {
  const [size, x, y] = [Math.abs(n), a < 0n ? -a : a, b < 0n ? -b : b];
  const bits = new BigUint64Array(new Float64Array([size]).buffer);
  const at = bits[0];
  const middle = (low: bigint): [bigint, bigint] => {
    const [p, q] = fractionOf(new Float64Array(new BigUint64Array([low]).buffer)[0]);
    const [r, s] = fractionOf(new Float64Array(new BigUint64Array([low + 1n]).buffer)[0]);
    return [p * s + r * q, 2n * q * s];
  };
  const above = (low: bigint): bigint => {
    const [p, q] = middle(low);
    return x * q - p * y;
  };
  const even = at % 2n === 0n;
  const under = above(at);
  const over = at === 0n ? 1n : above(at - 1n);
  return (
    (even ? under <= 0n && over >= 0n : under < 0n && over > 0n) && ((n < 0 || Object.is(n, -0)) === a < 0n) !== b < 0n
  );
}

t.test('a quotient of Integers is the nearest double', async (t) => {
  const large = fc
    .tuple(fc.bigInt(-(2n ** 80n), 2n ** 80n), fc.nat(1000))
    .map(([n, by]) => n << BigInt(by))
    .filter((n) => n !== 0n);
  t.doesNotThrow(
    () =>
      fc.assert(
        fc.property(large, large, (a, b) => {
          const n = nearestQuotient(a, b);
          return !Number.isFinite(n) || isNearest(n, a, b);
        }),
        settings(2000),
      ),
    'of any size',
  );
  // Near ties, and near 0, where Floats lose bits.
  t.doesNotThrow(
    () =>
      fc.assert(
        fc.property(
          fc.bigInt(2n ** 53n, 2n ** 54n),
          fc.integer({ min: -1, max: 1 }),
          fc.integer({ min: 0, max: 1140 }),
          (n, off, by) => {
            const a = (n << 20n) + BigInt(off);
            return isNearest(nearestQuotient(a, 1n << BigInt(by)), a, 1n << BigInt(by));
          },
        ),
        settings(2000),
      ),
    'near the middle of two doubles',
  );
  t.equal(nearestQuotient(10n ** 400n, -1n), -Infinity);
  t.doesNotThrow(
    () =>
      fc.assert(
        fc.property(fc.bigInt(0n, 2n ** 200n), (n) => {
          const [p, q] = fractionOf(nearestRoot(n * n));
          return isNearest(Number(p) / Number(q), n, 1n);
        }),
        settings(500),
      ),
    'roots of squares',
  );
});

t.test('% of Floats has the sign of the divisor', async () => {
  const finite = floats.filter(({ n }) => Number.isFinite(n) && n !== 0);
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      const result = arithmetic.modulo(a, b);
      return (
        result instanceof Float && (result.n === 0 || result.n < 0 === b.n < 0) && Math.abs(result.n) <= Math.abs(b.n)
      );
    }),
    settings(500),
  );
});

t.test('division by zero raises, Floats too', async (t) => {
  for (const zero of [0, new Float(0), new Float(-0)]) {
    for (const operation of [arithmetic.divide, arithmetic.floorDivide, arithmetic.modulo]) {
      for (const a of [1, 0, new Float(1), 2n ** 70n])
        t.equal(
          raised(() => operation(a, zero)),
          'ZeroDivisionError: division by zero',
        );
    }
  }
});

t.test('Integers have no negative zero', async (t) => {
  const operations: Binary[] = [
    arithmetic.add,
    arithmetic.subtract,
    arithmetic.multiply,
    arithmetic.floorDivide,
    arithmetic.modulo,
  ];
  const small = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(
      small,
      small.filter((b) => b !== 0),
      (a, b) => operations.every((f) => !Object.is(f(a, b), -0)),
    ),
    settings(200),
  );
  fc.assert(
    fc.property(small, fc.nat(3), (a, b) => !Object.is(arithmetic.power(a, b), -0)),
    settings(100),
  );
  t.ok(Object.is(arithmetic.negate(0), 0));
  // The interpreter has its own fast paths. Conversion to a Float shows the sign.
  const { lines } = run(
    'z = 0\nputs z * -5 * 1.0, -z * 1.0, (0 * -1 + 0) * 1.0, (0 // -5) * 1.0, (0 % -5) * 1.0, (-4 % 2) * 1.0, (z - 0) * 1.0',
  );
  t.strictSame(lines, Array<string>(7).fill('0.0'));
});

t.test('the fast paths of the interpreter agree with the functions', async (t) => {
  const list: Value[] = [
    0,
    1,
    -1,
    127,
    -128,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 52,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    2n ** 53n,
    -(2n ** 53n),
  ];
  const literal = (value: Value): string => `(${String(value)})`;
  for (const [sign, operation] of [
    ['+', arithmetic.add],
    ['-', arithmetic.subtract],
    ['*', arithmetic.multiply],
  ] as const) {
    const pairs = list.flatMap((a) => list.map((b) => [a, b] as const));
    const { lines, errors } = run(
      `op = ->(a, b) { a ${sign} b }\n${pairs.map(([a, b]) => `puts op.(${literal(a)}, ${literal(b)})`).join('\n')}`,
    );
    t.strictSame(errors, []);
    t.strictSame(
      lines,
      pairs.map(([a, b]) => String(operation(a, b))),
      sign,
    );
  }
  const { lines } = run(list.map((a) => `x = ${literal(a)}\nputs x + 1, x - 1, x + 127, x - 127`).join('\n'));
  t.strictSame(
    lines,
    list.flatMap((a) => [1, -1, 127, -127].map((n) => String(arithmetic.add(a, n)))),
    'with a small literal',
  );
});

t.test('vectors element by element', async (t) => {
  const vectors = fc
    .integer({ min: 0, max: 6 })
    .chain((n) =>
      fc.tuple(fc.array(integers, { minLength: n, maxLength: n }), fc.array(integers, { minLength: n, maxLength: n })),
    );
  for (const operation of [arithmetic.add, arithmetic.subtract, arithmetic.multiply]) {
    fc.assert(
      fc.property(vectors, integers, ([a, b], n) => {
        const both = operation(a, b) as Value[];
        const scalar = operation === arithmetic.multiply ? null : (operation(a, n) as Value[]);
        return (
          both.every((x, i) => x === operation(a[i], b[i])) &&
          (scalar === null || scalar.every((x, i) => x === operation(a[i], n)))
        );
      }),
      settings(100),
    );
  }
  t.equal(
    raised(() => arithmetic.add([1], [1, 2])),
    'ValueError: vectors have different lengths: 1 and 2',
  );
  t.strictSame(arithmetic.multiply([1, 2], 2), [1, 2, 1, 2]);
});

t.test('errors name the types of operands and the operation', async (t) => {
  t.equal(
    raised(() => arithmetic.add(null, 1)),
    'TypeError: cannot add Nil and Integer',
  );
  t.equal(
    raised(() => arithmetic.subtract('a', 1)),
    'TypeError: cannot subtract Integer from String',
  );
  t.strictSame(run('puts "a" - 1').errors, ['TypeError: cannot subtract Integer from String']);
  t.strictSame(run('puts "a" - 0').errors, ['TypeError: cannot subtract Integer from String']);
  t.strictSame(run('x = -0.0\nputs x - 0').lines, ['-0.0'], 'nor does a Float lose its sign');
});

t.test('products reduced at once', async () => {
  const sizes = [2 ** 16, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER];
  const operand = fc.oneof(...sizes.map((max) => fc.integer({ min: -max, max })));
  const constant = fc.oneof(...sizes.map((max) => fc.integer({ min: 0, max })));
  fc.assert(
    fc.property(operand, operand, constant, constant, (a, b, addend, least) => {
      const modulus = Math.max(1, least);
      const { remainder } = floored(BigInt(a) * BigInt(b) + BigInt(addend), BigInt(modulus));
      return Object.is(arithmetic.productModulo(a, b, addend, modulus), Number(remainder));
    }),
    settings(2000),
  );
});

t.test('large Integers make later operations on small bigints no slower', async (t) => {
  const time = (): number => {
    const start = process.cpuUsage();
    let sum: Value = 0;
    for (let n = 0; n < 200_000; n++) sum = arithmetic.add(sum, arithmetic.multiply(n, 10_000_000_000_000));
    t.type(sum, 'bigint');
    const { user } = process.cpuUsage(start);
    return user;
  };
  const before = Math.min(time(), time(), time());
  let product: Value = 1;
  for (let n = 1; n < 3000; n++) product = arithmetic.multiply(product, n);
  t.type(product, 'bigint');
  const after = Math.min(time(), time(), time());
  // V8 negated the bounds of sizes at each use: 20 times as long.
  t.ok(after < before * 5, `${after} against ${before} µs`);
});
