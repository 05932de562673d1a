/** Decimals compared with a model: a coefficient and a number of decimals, as BigInt arithmetic. */
import t from 'tap';
import { DecimalValue, ROUNDING } from '../../../natives/decimal/decimal.js';
import {
  add,
  divide,
  floorDivide,
  modulo,
  multiply,
  negate,
  power,
  subtract,
} from '../../../vm/values/numbers/arithmetic.js';
import { compare, equal } from '../../../vm/values/equal.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { ValueSet } from '../../../vm/values/unique.js';
import fc from '../../property.js';
import { settings } from '../../vm/support/values.js';
import { shortest } from '../../clock.js';

/** `coefficient / 10 ** scale`. */
interface Model {
  coefficient: bigint;
  scale: number;
}

const models: fc.Arbitrary<Model> = fc.record({
  coefficient: fc.oneof(fc.bigInt(-1000n, 1000n), fc.bigInt(-(10n ** 40n), 10n ** 40n)),
  scale: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 60 })),
});
const nonZero = models.filter(({ coefficient }) => coefficient !== 0n);

function textOf({ coefficient, scale }: Model): string {
  const digits = String(coefficient < 0n ? -coefficient : coefficient).padStart(scale + 1, '0');
  const sign = coefficient < 0n ? '-' : '';
  return sign + (scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

function decimal(model: Model): DecimalValue {
  return DecimalValue.parse(textOf(model)) as DecimalValue;
}

/** Coefficients of both for their larger scale. */
function aligned(a: Model, b: Model): [a: bigint, b: bigint, scale: number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.coefficient * 10n ** BigInt(scale - a.scale), b.coefficient * 10n ** BigInt(scale - b.scale), scale];
}

function floorQuotient(a: bigint, b: bigint): bigint {
  return a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);
}

function shown(value: Value): string {
  return value instanceof DecimalValue ? value.describe() : String(value);
}

function holds(name: string, property: fc.IRawProperty<unknown>): void {
  t.doesNotThrow(() => fc.assert(property, settings(1000)), name);
}

holds(
  'sums and differences are exact and keep the larger scale',
  fc.property(models, models, (a, b) => {
    const [x, y, scale] = aligned(a, b);
    return (
      shown(add(decimal(a), decimal(b))) === textOf({ coefficient: x + y, scale }) &&
      shown(subtract(decimal(a), decimal(b))) === textOf({ coefficient: x - y, scale })
    );
  }),
);
holds(
  'products are exact and keep the decimals of both',
  fc.property(
    models,
    models,
    (a, b) =>
      shown(multiply(decimal(a), decimal(b))) ===
      textOf({ coefficient: a.coefficient * b.coefficient, scale: a.scale + b.scale }),
  ),
);
holds(
  'quotients and remainders are those of the exact quotient rounded down',
  fc.property(models, nonZero, (a, b) => {
    const [x, y, scale] = aligned(a, b);
    const quotient = floorQuotient(x, y);
    return (
      shown(floorDivide(decimal(a), decimal(b))) === String(quotient) &&
      shown(modulo(decimal(a), decimal(b))) === textOf({ coefficient: x - quotient * y, scale })
    );
  }),
);
holds(
  'quotients differ from the exact one by at most half a unit of the 28th digit',
  fc.property(nonZero, nonZero, (a, b) => {
    const text = shown(divide(decimal(a), decimal(b)));
    const [whole, fraction = ''] = text.split('.');
    const digits = (whole + fraction).replace(/^-?0*/, '').replace(/0+$/, '');
    const [x, y] = aligned(a, b);
    const scale = 10n ** BigInt(fraction.length);
    const error = BigInt(whole + fraction) * y - x * scale;
    const size = error < 0n ? -error : error;
    // One unit of the last digit is `y`, if all 28 digits are used.
    const unit = y < 0n ? -y : y;
    return digits.length <= 28 && (size === 0n || 2n * size <= unit * 10n ** BigInt(trailing(whole + fraction)));
  }),
);

function trailing(digits: string): number {
  return /0*$/.exec(digits)![0].length;
}

holds(
  'Integers mix with Decimals on either side',
  fc.property(models, fc.bigInt(-(10n ** 20n), 10n ** 20n), (a, n) => {
    const integer = n <= BigInt(Number.MAX_SAFE_INTEGER) && n >= -BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
    const other = decimal({ coefficient: n, scale: 0 });
    return [add, subtract, multiply].every(
      (operation) =>
        shown(operation(decimal(a), integer)) === shown(operation(decimal(a), other)) &&
        shown(operation(integer, decimal(a))) === shown(operation(other, decimal(a))),
    );
  }),
);
holds(
  'powers are repeated products',
  fc.property(models, fc.integer({ min: 1, max: 12 }), (a, n) => {
    let product = decimal(a);
    for (let i = 1; i < n; i++) product = multiply(product, decimal(a)) as DecimalValue;
    return shown(power(decimal(a), n)) === shown(product);
  }),
);
holds(
  'negation and absolute value change the sign only',
  fc.property(models, (a) => {
    const size = a.coefficient < 0n ? -a.coefficient : a.coefficient;
    return (
      shown(negate(decimal(a))) === textOf({ ...a, coefficient: -a.coefficient }) &&
      shown(decimal(a).abs()) === textOf({ ...a, coefficient: size })
    );
  }),
);
holds(
  'order and equality are those of the values',
  fc.property(models, models, (a, b) => {
    const [x, y] = aligned(a, b);
    const order = x < y ? -1 : x > y ? 1 : 0;
    return (
      compare(decimal(a), decimal(b)) === order &&
      equal(decimal(a), decimal(b)) === (order === 0) &&
      new ValueSet([decimal(a)]).has(decimal(b)) === (order === 0)
    );
  }),
);

/** `a / 10 ** digits`, rounded to a whole number. */
function roundedModel(a: bigint, unit: bigint, mode: string): bigint {
  const down = floorQuotient(a, unit);
  const rest = a - down * unit;
  if (rest === 0n) return down;
  const towardZero = a < 0n ? down + 1n : down;
  const away = a < 0n ? down : down + 1n;
  const half = 2n * rest === unit;
  const nearest = 2n * rest > unit ? down + 1n : down;
  switch (mode) {
    case 'up':
      return away;
    case 'down':
      return towardZero;
    case 'ceiling':
      return down + 1n;
    case 'floor':
      return down;
    case 'half up':
      return half ? away : nearest;
    case 'half down':
      return half ? towardZero : nearest;
    default:
      return half ? (down % 2n === 0n ? down : down + 1n) : nearest;
  }
}

for (const [mode, rounding] of Object.entries(ROUNDING))
  holds(
    `rounding ${mode}`,
    fc.property(models, fc.integer({ min: -5, max: 10 }), (a, digits) => {
      const { coefficient, scale } = a;
      const dropped = scale - digits;
      const kept =
        dropped <= 0 ? coefficient * 10n ** BigInt(-dropped) : roundedModel(coefficient, 10n ** BigInt(dropped), mode);
      const expected =
        digits >= 0
          ? textOf({ coefficient: kept, scale: digits })
          : textOf({ coefficient: kept * 10n ** BigInt(-digits), scale: 0 });
      return shown(decimal(a).rounded(digits, rounding)) === expected;
    }),
  );

holds(
  'an equal Float has exactly the same value',
  fc.property(fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), fc.integer({ min: 0, max: 40 }), (n, bits) => {
    const exact = decimal({ coefficient: BigInt(n) * 5n ** BigInt(bits), scale: bits });
    const float = new Float(n / 2 ** bits);
    const more = add(exact, decimal({ coefficient: 1n, scale: 60 }));
    return (
      equal(exact, float) &&
      equal(float, exact) &&
      !equal(more, float) &&
      new ValueSet([float]).has(exact) &&
      !new ValueSet([float]).has(more)
    );
  }),
);
t.notOk(equal(DecimalValue.parse('0.1') as Value, new Float(0.1)), '0.1d is not the Float 0.1');

t.test('no operation on the longest Decimals takes long', (t) => {
  const longest = DecimalValue.parse(`${'9'.repeat(1000)}.${'9'.repeat(1000)}`) as DecimalValue;
  const halves = DecimalValue.parse(`${'9'.repeat(499)}.${'9'.repeat(499)}`) as DecimalValue;
  const operations: Record<string, () => unknown> = {
    add: () => subtract(longest, halves),
    multiply: () => multiply(halves, halves),
    divide: () => divide(longest, halves),
    divideByTiny: () => divide(halves, DecimalValue.parse(`0.${'0'.repeat(300)}7`) as Value),
    floorDivide: () => floorDivide(longest, 7),
    modulo: () => modulo(longest, halves),
    power: () => power(DecimalValue.parse('9.9') as Value, 999),
    inverse: () => power(DecimalValue.parse('9.9') as Value, -999),
    round: () => longest.rounded(-500, ROUNDING.floor),
    text: () => longest.describe(),
    integer: () => longest.toInteger(),
    plain: () => longest.plain(),
    parse: () => DecimalValue.parse(longest.describe()),
    order: () => compare(longest, 10n ** 999n),
  };
  for (const [name, operation] of Object.entries(operations)) {
    const ms = shortest(operation);
    t.ok(ms < 10, `${name} takes ${ms.toFixed(2)} ms`);
  }
  t.end();
});
