import t from 'tap';
import { finish } from '../../../../vm/values/steps.js';
import { rangesOf } from '../../../../vm/values/regex/sets.js';

const ATOMS = [
  'a',
  'K',
  'ß',
  'σ',
  'ς',
  'ǆ',
  'ſ',
  'İ',
  'ı',
  'µ',
  'Å',
  '1',
  '-',
  '\\x41',
  '\\u00e9',
  '\\u0130',
  '\\cA',
  '\\.',
  '\\n',
  '\\t',
  '\\-',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '[a-z]',
  '[^a-z]',
  '[À-ÿ]',
  '[^À-ÿ]',
  '[α-ω]',
  '[ſ]',
  '[K-\\u017f]',
  '[\\w-]',
  '[a-]',
  '[-a]',
  '[+--]',
  '[\\d-x]',
  '[\\]a]',
  '[\\x41-\\x43]',
  '[\\x4142]',
  '[\\u0100-\\u0104_]',
  '[^]',
  '[]',
  '[\\0-\\x1f]',
  '[\\b]',
  '[\\n-A]',
  '[^\\W]',
  '[^\\W_]',
  '[\\S\\n]',
  '[\\cA-\\cZ]',
  '[\\1-\\7]',
  '[.]',
  '[$^|]',
  '[\\ud800-\\udbff]',
  '\\0',
];
const UNICODE = [
  '😀',
  '\\u{1f600}',
  '\\ud83d\\ude00',
  '[😀-😎a]',
  '[\\u{10000}-\\u{10ffff}]',
  '\\p{Lu}',
  '\\P{L}',
  '[\\p{Ll}\\d]',
  '[^\\p{L}]',
  '𐐀',
  '[𐐀-𐐧]',
  '\\p{Cn}',
  '\\p{Noncharacter_Code_Point}',
];

/** Characters that an atom matches in V8. */
function byV8(raw: string, flags: string): number[] {
  const re = new RegExp(`^(?:${raw})$`, flags);
  const out: number[] = [];
  for (let code = 0; code <= (flags.includes('u') ? 0x1ffff : 0xffff); code++)
    if (re.test(String.fromCodePoint(code))) out.push(code);
  return out;
}

function codesIn(ranges: readonly number[], most: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < ranges.length; i += 2)
    for (let code = ranges[i]; code <= Math.min(most, ranges[i + 1]); code++) out.push(code);
  return out;
}

function isValid(raw: string, flags: string): boolean {
  try {
    new RegExp(raw, flags);
    return true;
  } catch {
    return false;
  }
}

t.test('an atom matches the same characters as in V8', async (t) => {
  for (const flags of ['', 'i', 's', 'u', 'iu']) {
    const isUnicode = flags.includes('u');
    for (const raw of isUnicode ? [...ATOMS, ...UNICODE] : ATOMS) {
      if (!isValid(raw, flags)) continue;
      const found = codesIn(finish(rangesOf(raw, flags)), isUnicode ? 0x1ffff : 0xffff);
      const expected = byV8(raw, flags);
      const at = expected.findIndex((code, i) => code !== found[i]);
      t.ok(
        at < 0 && found.length === expected.length,
        `/${raw}/${flags}: U+${(expected[at] ?? found[expected.length] ?? 0).toString(16)}`,
      );
    }
  }
});

t.test('planes that contain only two noncharacters', async (t) => {
  const ranges = finish(rangesOf('\\p{Noncharacter_Code_Point}', 'u'));
  t.equal(codesIn(ranges, 0x10ffff).length, 66);
});
