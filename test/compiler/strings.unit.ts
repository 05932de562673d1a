import t from 'tap';
import { dedent, normalizeLines, unescape, unescapeSingle } from '../../compiler/strings.js';

t.test('escapes between double quotes', async (t) => {
  t.equal(unescape(String.raw`\n\t\r\0\e\\\"\'\#`), '\n\t\r\0\u001b\\"\'#');
  t.equal(unescape(String.raw`\u00e9 \u{1F600} \x41`), 'é 😀 A');
  t.equal(unescape(String.raw`\d+ \. \z`), String.raw`\d+ \. \z`, 'an unknown escape keeps its backslash');
  t.equal(unescape(String.raw`\ud83d\ude00`), '😀', 'a surrogate pair is one character');
  t.equal(
    unescape(String.raw`\ud83d \u{110000} \u{} \xZ`),
    String.raw`\ud83d \u{110000} \u{} \xZ`,
    'no character, no escape',
  );
  t.equal(unescape('one \\\n  two'), 'one   two', 'a backslash joins lines');
});

t.test('escapes between single quotes', async (t) => {
  t.equal(unescapeSingle(String.raw`a\nb\\c\'d\"`), String.raw`a\nb\c'd\"`);
});

t.test('line ends', async (t) => {
  t.equal(normalizeLines('a\r\nb\rc\n'), 'a\nb\rc\n');
  t.equal(unescape('a\r\nb'), 'a\nb');
});

t.test('common indentation', async (t) => {
  t.strictSame(dedent(['    a\n      b\n']), ['a\n  b\n']);
  t.strictSame(dedent(['    a\n\n  \n  b\n']), ['  a\n\n\nb\n'], 'blank lines do not count');
  t.strictSame(dedent(['\ta\n\tb\n']), ['a\nb\n']);
  t.strictSame(dedent(['  a ', '\n    b ', ' c\n']), ['a ', '\n  b ', ' c\n'], 'around interpolations');
  t.strictSame(dedent(['    a\n  ', '\n']), ['  a\n', '\n'], 'a line that starts with an interpolation counts');
  t.strictSame(dedent(['']), ['']);
});
