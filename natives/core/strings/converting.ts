import { codesOf, length, points, reversed } from '../../../vm/values/codepoints.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { formatText } from '../../../vm/values/format.js';
import { successor } from '../../../vm/values/successor.js';
import { stringRange } from '../../../vm/iteration.js';
import { Range } from '../../../vm/values/compound.js';
import { toText } from '../../../vm/values/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { Int, Row } from '../declare.js';
import { tabulate } from '../limits.js';
import { excerpt, leadingFloat, leadingInteger } from './parse.js';

function ord(text: string): number {
  return text.codePointAt(0) ?? fail(Errors.ValueError, 'ord() of an empty text');
}

/** Largest code point of each encoding that `encode` knows. */
const ENCODINGS = new Map([
  ['utf8', 0x10ffff],
  ['utf16', 0x10ffff],
  ['ascii', 0x7f],
  ['usascii', 0x7f],
  ['latin1', 0xff],
  ['iso88591', 0xff],
]);

/** Makes sure that an encoding can hold a text; `replacement` stands for what it cannot hold. */
function encode(text: string, encoding: string, replacement: string | null): string {
  const limit = ENCODINGS.get(encoding.toLowerCase().replace(/[-_ ]/g, '')) ?? fail(Errors.ValueError, `unknown encoding ${excerpt(encoding)}`);
  const fits = (c: string): boolean => {
    const code = c.codePointAt(0) as number;
    return code <= limit && (code < 0xd800 || code > 0xdfff);
  };
  return points(text).map((c) => (fits(c) ? c : replacement ?? fail(Errors.ValueError, `${encoding} has no character ${excerpt(c)}`))).join('');
}

const encoder = new TextEncoder();

function bytes(text: string): Value[] {
  const encoded = encoder.encode(text);
  return tabulate(encoded.length, (i) => encoded[i]);
}

/** The number of an octal text, or of one with a prefix that says its base. */
function oct(text: string): Int {
  const prefix = /^\s*[+-]?0([xXbB])/.exec(text)?.[1].toLowerCase();
  return leadingInteger(text, prefix === 'x' ? 16 : prefix === 'b' ? 2 : 8);
}

export const convertingRows: readonly Row[] = [
  ['length size', '', 'Integer', 'Number of characters.', (_: unknown, text: string) => length(text)],
  ['empty?', '', 'Boolean', 'Whether the text has no characters.', (_: unknown, text: string) => text === ''],
  ['reverse', '', 'String', 'The characters in reverse order.', (_: unknown, text: string) => reversed(text)],
  ['bytes', '', 'Vector', 'The bytes of the text in UTF-8.', (_: unknown, text: string) => bytes(text)],
  ['codepoints', '', 'Vector', 'The numbers of the characters.', (_: unknown, text: string) => codesOf(text)],
  ['ord', '', 'Integer', 'Number of the first character.', (_: unknown, text: string) => ord(text)],
  ['to_i', 'base: Integer = 10', 'Integer', 'The Integer that the text starts with, 0 when it starts with none.', (_: unknown, text: string, base: Int) => leadingInteger(text, base)],
  ['to_f', '', 'Float', 'The number that the text starts with, 0.0 when it starts with none.', (_: unknown, text: string) => leadingFloat(text)],
  ['hex', '', 'Integer', 'The Integer that the text starts with in base 16.', (_: unknown, text: string) => leadingInteger(text, 16)],
  ['oct', '', 'Integer', 'The Integer that the text starts with in base 8, or in that of its prefix.', (_: unknown, text: string) => oct(text)],
  ['to_s to_str to_sym', '', 'String', 'The text itself.', (_: unknown, text: string) => text],
  ['succ next', '', 'String', 'The text that follows in counting: after `az` comes `ba`.', (_: unknown, text: string) => successor(text)],
  ['upto', 'last: String', 'Vector', 'The texts from this one to `last` in counting.', (_: unknown, text: string, last: string) => stringRange(new Range(text, last, false))],
  ['format', '*values: Any', 'String', 'The text with its `%` directives filled in.', (_: unknown, text: string, values: Value[]) => formatText(text, values)],
  ['encode', 'encoding: String = "UTF-8", replace: String? = nil', 'String', 'The text, checked to fit an encoding; `replace` stands for characters that do not.', (_: unknown, text: string, encoding: string, replacement: string | null) => encode(text, encoding, replacement)],
  ['unicode_normalize', 'form: String = "nfc"', 'String', 'The text in a normal form of Unicode: nfc, nfd, nfkc or nfkd.', (_: unknown, text: string, form: string) => normalized(text, form)],
];

function normalized(text: string, form: string): string {
  const name = form.toUpperCase();
  return /^NFK?[CD]$/.test(name) ? toText(text.normalize(name)) : fail(Errors.ValueError, `unknown normal form ${excerpt(form)}`);
}
