import t from 'tap';
import { codesOf, reversed } from '../../../vm/values/text/codepoints.js';
import { Errors, type SvcError } from '../../../vm/values/error.js';
import { inspect } from '../../../vm/values/text/text.js';
import { joinIntegers, UnitText } from '../../../vm/values/text/textbuilder.js';
import fc from '../../property.js';

/** Texts of one and two bytes per unit, with pairs of surrogates and lone ones, some longer than one write. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'z', '\x7f', '\x80', 'ÿ', 'Ā', '\ud83d', '\ude00', '😀', '\uffff'), {
      maxLength: 12,
    }),
    fc.constantFrom(1, 1, 3, 700, 3000),
  )
  .map(([parts, times]) => parts.join('').repeat(times));

t.test('a text of units and of code points', async (t) => {
  fc.assert(
    fc.property(text, (text) => {
      const [units, points] = [new UnitText(), new UnitText()];
      units.text(text);
      for (const code of codesOf(text)) points.point(code);
      return units.end() === text && points.end() === text;
    }),
  );
  t.equal(new UnitText().end(), '');
});

t.test('code points and their reverse', async (t) => {
  fc.assert(fc.property(text, (text) => reversed(text) === Array.from(text).reverse().join('')));
  fc.assert(fc.property(text, (text) => codesOf(text).join() === Array.from(text, (c) => c.codePointAt(0)).join()));
  t.pass();
});

t.test('digits of Integers', async (t) => {
  const edges = [
    0,
    1,
    -1,
    9,
    10,
    99,
    100,
    999_999_999,
    1e9,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 53 - 1,
    1 - 2 ** 53,
  ];
  t.equal(joinIntegers(edges, ', '), edges.join(', '));
  const list = fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.nat(20)), { maxLength: 2000, size: 'max' });
  fc.assert(
    fc.property(
      list,
      fc.constantFrom('', ',', ' – '),
      (list, separator) => joinIntegers(list, separator) === list.join(separator),
    ),
  );
  fc.assert(fc.property(list, (list) => inspect(list) === `[${list.join(', ')}]`));
});

t.test('a text that is too long is a MemoryError', async (t) => {
  const out = new UnitText();
  const long = 'x'.repeat(1 << 20);
  try {
    for (let i = 0; i < 257; i++) out.text(long);
    t.fail('no error');
  } catch (error) {
    t.equal((error as SvcError).value.type, Errors.MemoryError);
  }
});
