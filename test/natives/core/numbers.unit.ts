import t from 'tap';
import { exponentialText, fixedText } from '../../../vm/values/text/decimal.js';
import { Range } from '../../../vm/values/structured.js';
import { floatText } from '../../../vm/values/text/text.js';
import type { Float, Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { call, f, send, shown } from './support.js';
import { check } from './property.js';

/** Function, arguments, output of `p`. */
// prettier-ignore
const FUNCTIONS: [string, Value[], string][] = [
  ['round', [f(2.5)], '3'],
  ['round', [f(-2.5)], '-3'],
  ['round', [f(2.675), 2], '2.67'],
  ['round', [f(1.005), 2], '1.0'],
  ['round', [f(0.49999999999999994)], '0'],
  ['round', [1250, -2], '1300'],
  ['round', [-1250, -2], '-1300'],
  ['round', [5, -1], '10'],
  ['round', [4, -9], '0'],
  ['round', [f(1234.5), -2], '1200'],
  ['round', [f(1e300), 2], '1e+300'],
  ['round', [f(1e20)], '100000000000000000000'],
  ['round', [f(NaN), 2], 'nan'],
  ['round', [f(Infinity)], 'ValueError: cannot convert inf to Integer'],
  ['floor', [f(-1.5)], '-2'],
  ['floor', [f(3.999), 2], '3.99'],
  ['floor', [f(0.29), 2], '0.29'],
  ['floor', [-15, -1], '-20'],
  ['ceil', [f(1.1), 1], '1.1'],
  ['ceil', [-15, -1], '-10'],
  ['ceil', [f(-0.5)], '0'],
  ['abs', [f(-0)], '0.0'],
  ['abs', [-(2n ** 64n)], '18446744073709551616'],
  ['sqrt', [16], '4.0'],
  ['sqrt', [-1], 'ValueError: sqrt() needs a number of 0 or more, got -1'],
  ['sqrt', [2n ** 1200n], floatText(2 ** 600)],
  ['sqrt', ['4'], 'TypeError: sqrt(): x must be Number, got String'],
  ['log10', [10n ** 400n], '400.0'],
  ['log', [8, 2], '3.0'],
  ['log2', [2n ** 2000n], '2000.0'],
  ['asin', [2], 'ValueError: asin() needs a number from -1 to 1, got 2'],
  ['min', [3, f(1.5), 2], '1.5'],
  ['min', [new Range(1, 5, false)], '1'],
  ['max', [[]], 'nil'],
  ['max', [], 'ArgumentError: max() takes at least 1 argument, got 0: max(*values)'],
  ['max', [1, 'a'], 'TypeError: cannot compare String and Integer'],
  ['sum', [Array.from({ length: 10 }, () => f(0.1))], '1.0'],
  ['sum', [[f(1e308), f(1e308)]], 'inf'],
  ['sum', [[2 ** 53 - 1, 1]], '9007199254740992'],
  ['sum', [1, f(0.5)], '1.5'],
  ['sum', [new Range(1, 100_000_000_000, false)], '5000000000050000000000'],
  ['mean', [[1, 2]], '1.5'],
  ['mean', [['a']], 'TypeError: mean(): values must be Number, got String'],
  ['median', [[3, 1, 2]], '2'],
  ['stdev', [[2, 4, 4, 4, 5, 5, 7, 9]], '2.138089935299395'],
  ['clamp', [5, 1, 3], '3'],
  ['clamp', [5, 3, 1], 'ValueError: clamp(): low 3 is greater than high 1'],
  ['seq', [3], '[1, 2, 3]'],
  ['seq', [0], '[]'],
  ['seq', [3, 1], '[3, 2, 1]'],
  ['seq', [0, 1, f(0.1)], '[0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001, 0.8, 0.9, 1.0]'],
  ['seq', [1, 5, -1], 'ValueError: seq(): a step of -1 moves away from the end'],
  ['linspace', [0, 1, 3], '[0.0, 0.5, 1.0]'],
  ['linspace', [0, 1, 1], '[0.0]'],
  ['rep', [[1, 2], 2], '[1, 2, 1, 2]'],
  ['gcd', [2n ** 64n, 48], '16'],
  ['lcm', [-4, 6], '12'],
  ['factorial', [20], '2432902008176640000'],
  ['factorial', [70_001], 'OverflowError: factorial() goes up to 70000, got 70001'],
  ['to_int', ['0b101'], '5'],
  ['to_int', ['12.5'], 'ValueError: "12.5" is not an Integer'],
  ['to_int', [`${'9'.repeat(40)}`], '9'.repeat(40)],
  ['to_float', ['1_000.5e2'], '100050.0'],
  ['to_float', ['nan'], 'ValueError: "nan" is not a number'],
  ['type', [2n ** 64n], '"Integer"'],
];

// prettier-ignore
const METHODS: [Value, string, Value[], string][] = [
  [255, 'to_s', [2], '"11111111"'],
  [5, 'to_s', [99], 'ValueError: base must be from 2 to 36, got 99'],
  [123, 'digits', [], '[3, 2, 1]'],
  [-(2n ** 64n), 'even?', [], 'true'],
  [-3, 'odd?', [], 'true'],
  [2n ** 64n, 'pow', [2, 1000], '456'],
  [3, 'pow', [-1, 7], 'ValueError: pow() with a modulus needs an exponent of 0 or more, got -1'],
  [-7, 'pow', [3, 5], '2'],
  [-1, 'bit_length', [], '0'],
  [2n ** 64n, 'bit_length', [], '65'],
  [-7, 'divmod', [2], '[-4, 1]'],
  [9007199254740991, 'succ', [], '9007199254740992'],
  [1, 'step', [2, f(0.5)], '[1.0, 1.5, 2.0]'],
  [f(2.5), 'clamp', [0, 1], '1'],
  [f(1e16), 'to_s', [], '"1e+16"'],
  [f(3.7), 'to_i', [], '3'],
  [f(NaN), 'nan?', [], 'true'],
  [0x1f600, 'chr', [], '"😀"'],
  [0xd800, 'chr', [], 'ValueError: 55296 is not the code point of a character'],
  ['12abc', 'to_i', [], '12'],
  [' -1_2_', 'to_i', [], '-12'],
  ['zz', 'to_i', [36], '1295'],
  ['f'.repeat(30), 'to_i', [16], String(16n ** 30n - 1n)],
  ['z'.repeat(30), 'to_i', [36], String(36n ** 30n - 1n)],
  ['1e3x', 'to_f', [], '1000.0'],
  ['.5.6', 'to_f', [], '0.5'],
  ['-', 'to_f', [], '0.0'],
  ['0x1f', 'oct', [], '31'],
];

t.test('functions of numbers', async (t) => {
  for (const [name, args, expected] of FUNCTIONS)
    t.equal(
      shown(() => call(name, args)),
      expected,
      `${name}(${args
        .map((arg) => shown(() => arg))
        .join(', ')
        .slice(0, 60)})`,
    );
});

t.test('methods of numbers', async (t) => {
  for (const [receiver, name, args, expected] of METHODS)
    t.equal(
      shown(() => send(receiver, name, args)),
      expected,
      `${shown(() => receiver)}.${name}`,
    );
});

/** Floats and their texts. */
// prettier-ignore
const FLOATS: [number, string][] = [
  [4, '4.0'], [0.1, '0.1'], [3e10, '30000000000.0'], [1e16, '1e+16'], [1e15, '1000000000000000.0'], [123456789012345680, '1.2345678901234568e+17'],
  [1e-4, '0.0001'], [1e-5, '1e-05'], [1.5e-7, '1.5e-07'], [5e-324, '5e-324'], [1e100, '1e+100'], [-0, '-0.0'], [0, '0.0'], [NaN, 'nan'], [-Infinity, '-inf'], [0.1 + 0.2, '0.30000000000000004'],
];

t.test('text of Floats', async (t) => {
  for (const [n, text] of FLOATS) t.equal(floatText(n), text);
});

t.test('decimals agree with JavaScript except for ties, which round to even', async (t) => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e20 });
  check(
    t,
    fc.property(finite, fc.integer({ min: 0, max: 20 }), (n, places) => {
      const tie = Number.isInteger(n * 2 ** (places + 1));
      return tie || fixedText(n, places) === n.toFixed(places);
    }),
  );
  check(
    t,
    fc.property(fc.double({ noNaN: true, min: 1e-50, max: 1e300 }), (n) => Number(fixedText(n, 110)) === n),
  );
  check(
    t,
    fc.property(fc.integer({ min: 0, max: 1000 }), (n) => Number(fixedText(n + 0.5, 0)) % 2 === 0),
  );
  check(
    t,
    fc.property(
      finite,
      fc.integer({ min: 0, max: 17 }),
      (n, places) => Math.abs(Number(exponentialText(n, places)) - n) <= n * 10 ** -places,
    ),
  );
});

t.test('round inverts the printing of a decimal', async (t) => {
  check(
    t,
    fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 6 }), (n, digits) => {
      const x = Number(`${n}e-${digits}`);
      return shown(() => call('round', [f(x), digits])) === floatText(x) || x === 0;
    }),
  );
});

t.test('Floats are rounded by their exact value, also next to a half', async (t) => {
  const digits = fc.integer({ min: 1, max: 24 });
  const free = fc.double({ min: 0, max: 2 ** 52, noNaN: true });
  /** Half a unit of the last digit, and some doubles away from it. */
  const near = fc.tuple(fc.nat(10 ** 9), digits, fc.integer({ min: -3, max: 3 })).map(([k, d, away]) => {
    const half = (k + 0.5) / 10 ** d;
    return half + away * 2 ** (Math.floor(Math.log2(half)) - 52);
  });
  check(
    t,
    fc.property(fc.oneof(free, near), digits, fc.boolean(), (n, d, isNegative) => {
      const rounded = call('round', [f(isNegative ? -n : n), d]) as Float;
      const expected = n < 2 ** 52 ? Number(fixedText(n, d)) : n;
      return Object.is(rounded.n, isNegative ? -expected : expected);
    }),
    { numRuns: 3000 },
  );
});
