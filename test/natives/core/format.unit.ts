import t from 'tap';
import type { Value } from '../../../vm/values/value.js';
import { modulo } from '../../../vm/values/numbers/arithmetic.js';
import { call, f, h, shown } from './support.js';

/** Format, values, result. */
// prettier-ignore
const TABLE: [string, Value[], string][] = [
  ['%d', [42], '42'],
  ['%5d|', [42], '   42|'],
  ['%-5d|', [42], '42   |'],
  ['%05d', [42], '00042'],
  ['%05d', [-42], '-0042'],
  ['%+d', [42], '+42'],
  ['%+d', [-42], '-42'],
  ['% d', [42], ' 42'],
  ['%+05d', [42], '+0042'],
  ['%-05d|', [42], '42   |'],
  ['%.3d', [5], '005'],
  ['%6.3d', [5], '   005'],
  ['%d', [f(3.99)], '3'],
  ['%d', [f(-3.99)], '-3'],
  ['%d', [f(1e20)], '100000000000000000000'],
  ['%d', [2n ** 70n], '1180591620717411303424'],
  ['%i', [7], '7'],
  ['%u', [7], '7'],
  ['%x', [255], 'ff'],
  ['%X', [255], 'FF'],
  ['%#x', [255], '0xff'],
  ['%#X', [255], '0XFF'],
  ['%x', [-255], '-ff'],
  ['%08x', [255], '000000ff'],
  ['%#010x', [255], '0x000000ff'],
  ['%o', [8], '10'],
  ['%#o', [8], '010'],
  ['%b', [5], '101'],
  ['%08b', [5], '00000101'],
  ['%#b', [5], '0b101'],
  ['%x', [2n ** 64n], '10000000000000000'],
  ['%f', [f(1.5)], '1.500000'],
  ['%.2f', [f(3.14159)], '3.14'],
  ['%8.2f|', [f(3.14159)], '    3.14|'],
  ['%-8.2f|', [f(3.14159)], '3.14    |'],
  ['%08.2f', [f(-3.14159)], '-0003.14'],
  ['%+.1f', [f(2.5)], '+2.5'],
  ['%.0f', [f(0.5)], '0'],
  ['%.0f', [f(1.5)], '2'],
  ['%.0f', [f(2.5)], '2'],
  ['%.1f', [f(0.25)], '0.2'],
  ['%.1f', [f(0.35)], '0.3'],
  ['%.2f', [f(1.005)], '1.00'],
  ['%.2f', [f(0.125)], '0.12'],
  ['%.2f', [f(0.375)], '0.38'],
  ['%.1f', [f(99.95)], '100.0'],
  ['%f', [3], '3.000000'],
  ['%.0f', [f(1e21)], '1000000000000000000000'],
  ['%.1f', [f(1e22)], '10000000000000000000000.0'],
  ['%.3f', [2n ** 70n], '1180591620717411303424.000'],
  ['%.25f', [f(0.1)], '0.1000000000000000055511151'],
  ['%.105f', [f(0.5)], `0.5${'0'.repeat(104)}`],
  ['%f', [f(Infinity)], 'inf'],
  ['%08.1f', [f(-Infinity)], '    -inf'],
  ['%f', [f(NaN)], 'nan'],
  ['%.1f', [f(-0)], '-0.0'],
  ['%e', [f(12345.678)], '1.234568e+04'],
  ['%.2e', [f(12345.678)], '1.23e+04'],
  ['%.0e', [f(2.5)], '2e+00'],
  ['%.0e', [f(3.5)], '4e+00'],
  ['%.1e', [f(9.96)], '1.0e+01'],
  ['%E', [f(0.00012)], '1.200000E-04'],
  ['%e', [0], '0.000000e+00'],
  ['%12.3e|', [f(1e100)], '  1.000e+100|'],
  ['%g', [f(0.0001)], '0.0001'],
  ['%g', [f(0.00001)], '1e-05'],
  ['%g', [100000], '100000'],
  ['%g', [1000000], '1e+06'],
  ['%g', [f(3.14159265)], '3.14159'],
  ['%.3g', [f(1234.5)], '1.23e+03'],
  ['%.10g', [f(0.1)], '0.1'],
  ['%#g', [1], '1.00000'],
  ['%G', [f(1e-10)], '1E-10'],
  ['%.0g', [f(0.5)], '0.5'],
  ['%s', ['abc'], 'abc'],
  ['%6s|', ['abc'], '   abc|'],
  ['%-6s|', ['abc'], 'abc   |'],
  ['%.2s', ['a😀b'], 'a😀'],
  ['%4s|', ['😀'], '   😀|'],
  ['%s %s', [null, [1, 'a']], ' [1, a]'],
  ['%p %p', ['a', null], '"a" nil'],
  ['%c%c', [65, 'xyz'], 'Ax'],
  ['%c', [0x1f600], '😀'],
  ['%%', [], '%'],
  ['100%% of %s', ['x'], '100% of x'],
  ['%*d|%-*d|', [4, 7, 4, 7], '   7|7   |'],
  ['%*d|', [-4, 7], '7   |'],
  ['%.*f', [1, f(2.25)], '2.2'],
  ['%2$s %1$s', ['a', 'b'], 'b a'],
  ['%d and %d', [1, 2, 3], '1 and 2'],
];

// prettier-ignore
const BAD: [string, Value[], string][] = [
  ['%d', ['42'], "TypeError: format(): '%d' needs a Number, got String"],
  ['%d', [null], "TypeError: format(): '%d' needs a Number, got nil"],
  ['%f', [[1]], "TypeError: format(): '%f' needs a Number, got Vector"],
  ['%d', [f(NaN)], "ValueError: format(): '%d' cannot show nan"],
  ['%d %d', [1], "ArgumentError: format(): '%d' has no value, 1 given"],
  ['50%', [], "ValueError: format(): '%' is no directive; write %% for a percent sign"],
  ['%y', [1], "ValueError: format(): '%y' is no directive; write %% for a percent sign"],
  ['%{a}', [1], "ArgumentError: format(): 'a' needs a Hash of values"],
  ['%{a}', [h({})], "KeyError: format(): no key 'a'"],
  ['%999999999999d', [1], 'MemoryError: text would be longer than 268435456 characters'],
  ['%.99999f', [1], "ValueError: format(): the precision of '%.99999f' is greater than 10000"],
];

t.test('format', async (t) => {
  for (const [format, values, expected] of TABLE)
    t.equal(
      shown(() => call('format', [format, ...values])),
      JSON.stringify(expected),
      format,
    );
});

t.test('format with names', async (t) => {
  const values = h({ name: 'Ann', n: 3, x: f(2.5) });
  t.equal(call('format', ['%{name} has %<n>03d and %<x>.2f', values]), 'Ann has 003 and 2.50');
  t.equal(call('format', ['%-6{name}|%6<n>d|', values]), 'Ann   |     3|');
});

t.test('bad formats and values', async (t) => {
  for (const [format, values, expected] of BAD)
    t.equal(
      shown(() => call('format', [format, ...values])),
      expected,
      format,
    );
});

t.test('the operator % formats too', async (t) => {
  t.equal(modulo('%s has %d', ['Bob', 12]), 'Bob has 12');
  t.equal(modulo('%.1f%%', f(12.34)), '12.3%');
  t.equal(modulo('%{a}', h({ a: 1 })), '1');
});
