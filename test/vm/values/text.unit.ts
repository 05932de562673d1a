import t from 'tap';
import * as codepoints from '../../../vm/values/text/codepoints.js';
import { Hash } from '../../../vm/values/hash.js';
import { floatText, inspect, toText } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { settings, values } from '../support/values.js';

/** Floats and their texts, at the limits of each form. */
// prettier-ignore
const FLOATS: [number, string][] = [
  [4, '4.0'], [0.1, '0.1'], [3e10, '30000000000.0'], [1e16, '1e+16'], [1e-5, '1e-05'], [Infinity, 'inf'], [-Infinity, '-inf'], [NaN, 'nan'],
  [0, '0.0'], [-0, '-0.0'], [1e-4, '0.0001'], [9.999e-5, '9.999e-05'], [9999999999999998, '9999999999999998.0'], [-1e16, '-1e+16'],
  [1.5e-7, '1.5e-07'], [1e100, '1e+100'], [1.25e-200, '1.25e-200'], [5e-324, '5e-324'], [1.7976931348623157e308, '1.7976931348623157e+308'],
  [123456789.125, '123456789.125'], [0.1 + 0.2, '0.30000000000000004'], [2 ** 53, '9007199254740992.0'],
];

t.test('the text of a Float', async (t) => {
  for (const [n, text] of FLOATS) t.equal(floatText(n), text);
});

t.test('the text of a Float reads back, is the shortest, and differs from an Integer', async () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
      const text = floatText(n);
      const digits = (s: string): string =>
        s
          .replace(/e.*/, '')
          .replace(/[-.]/g, '')
          .replace(/^0+|0+$/g, '');
      return Object.is(Number(text), n) && /[.e]/.test(text) && digits(text) === digits(String(n));
    }),
    settings(3000),
  );
});

t.test('printing', async (t) => {
  t.equal(toText([1, 'two', null, new Float(3), Hash.from([['a', 1]])]), '[1, two, nil, 3.0, {a: 1}]');
  t.equal(inspect([1, 'two', null]), '[1, "two", nil]');
  t.equal(toText(null), '');
  t.equal(inspect(null), 'nil');
  t.equal(inspect('a"#{b}\n'), '"a\\"\\#{b}\\n"');
  t.equal(toText(2n ** 70n), '1180591620717411303424');
  t.equal(
    inspect(
      Hash.from([
        ['a b', 1],
        ['ok?', 2],
        [1, 3],
        [null, 4],
      ]),
    ),
    '{"a b": 1, ok?: 2, 1: 3, nil: 4}',
  );
});

t.test('printing a cycle ends', async (t) => {
  const vector: Value[] = [1];
  vector.push(vector);
  t.equal(toText(vector), '[1, [...]]');
  const hash = Hash.from([['a', 1]]);
  hash.set('self', hash);
  t.equal(toText(hash), '{a: 1, self: {...}}');
  const part = [1];
  t.equal(toText([part, part]), '[[1], [1]]', 'what occurs twice is no cycle');
});

t.test('every plain value prints in both ways', async () => {
  fc.assert(
    fc.property(values, (value) => typeof toText(value) === 'string' && inspect(value).length > 0),
    settings(300),
  );
});

// Any UTF-16 units, also lone surrogates, in short texts and in texts long enough for the cache.
const units = fc.oneof(
  fc.integer({ min: 97, max: 122 }),
  fc.integer({ min: 0xd7f0, max: 0xe010 }),
  fc.constantFrom(0xd83d, 0xde00),
);
const texts = fc.oneof(
  fc.array(units, { maxLength: 12 }).map((list) => String.fromCharCode(...list)),
  fc.array(units, { minLength: 32, maxLength: 70, size: 'max' }).map((list) => String.fromCharCode(...list)),
  fc.string({ minLength: 30, maxLength: 50, size: 'max' }),
  fc.constantFrom('', 'é', '😀', 'a😀b', `${'x'.repeat(40)}😀`),
);

t.test('length, slices and indexes count code points', async () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(80), fc.nat(80), (text, other, start, count) => {
      const points = Array.from(text);
      codepoints.isPlain(other);
      const prefix = points.slice(0, start).join('');
      return (
        codepoints.length(text) === points.length &&
        codepoints.points(text).join('|') === points.join('|') &&
        codepoints.slice(text, start, count) === points.slice(start, start + count).join('') &&
        codepoints.unitOffset(text, start) === prefix.length &&
        codepoints.pointIndex(text, prefix.length) === Math.min(start, points.length) &&
        codepoints.isPlain(text) === !/[\ud800-\udfff]/.test(text)
      );
    }),
    settings(2000),
  );
});

t.test('texts of successive calls are separate', async (t) => {
  const plain = 'x'.repeat(40);
  const wide = `${'x'.repeat(38)}😀`;
  for (let i = 0; i < 3; i++) {
    t.equal(codepoints.length(plain), 40);
    t.equal(codepoints.length(wide), 39);
  }
});

const long = fc
  .array(units, { minLength: 60, maxLength: 400, size: 'max' })
  .map((list) => String.fromCharCode(...list));
const queries = fc.array(fc.record({ which: fc.nat(5), at: fc.integer({ min: -420, max: 420 }), count: fc.nat(50) }), {
  maxLength: 40,
  size: 'max',
});

t.test('questions about several long texts in turn', async () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(long, texts), { minLength: 6, maxLength: 6 }), queries, (list, asked) =>
      asked.every(({ which, at, count }) => {
        const text = list[which];
        const points = Array.from(text);
        const start = Math.abs(at);
        const unit = Math.min(start, text.length);
        return (
          codepoints.characterAt(text, at) === (points.at(at) ?? null) &&
          codepoints.slice(text, start, count) === points.slice(start, start + count).join('') &&
          codepoints.pointIndex(text, unit) === Array.from(text.slice(0, unit)).length &&
          codepoints.unitOffset(text, start) === points.slice(0, start).join('').length &&
          (count % 2 === 0 || codepoints.length(text) === points.length)
        );
      }),
    ),
    settings(500),
  );
});

t.test('characters of long texts take the same time anywhere, of one text or of two in turn', async (t) => {
  const time = (a: string, b: string): number => {
    const start = process.cpuUsage();
    for (let n = 0; n < 30_000; n++) {
      codepoints.characterAt(a, n % 3000);
      codepoints.characterAt(b, 2999 - (n % 3000));
    }
    return process.cpuUsage(start).user;
  };
  const plain = 'The quick brown fox jumps €. '.repeat(200);
  const [other, wide] = [plain.replaceAll('fox', 'dog'), `${plain}😀`];
  time(wide, plain);
  const one = Math.min(time(plain, plain), time(plain, plain));
  // 100 times as long if each text is looked through again, and 50 times if characters are counted from its start.
  t.ok(Math.min(time(plain, other), time(plain, other)) < one * 20);
  t.ok(Math.min(time(wide, wide), time(wide, wide)) < one * 20);
});
