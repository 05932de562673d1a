import { slice } from '../../../vm/values/codepoints.js';
import { UnitText } from '../../../vm/values/unittext.js';
import type { Row } from '../declare.js';

/** First character in upper case, the rest in lower case. */
function capitalize(text: string): string {
  const first = slice(text, 0, 1);
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

function swapCase(text: string): string {
  const out = new UnitText();
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code > 0xffff) i++;
    if (code < 0x80) out.unit(isLetter(code) ? code ^ 0x20 : code);
    else out.text(swapped(String.fromCodePoint(code)));
  }
  return out.end();
}

/** Whether an ASCII character is a letter. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function swapped(c: string): string {
  return c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase();
}

/** Words are runs of letters, digits and apostrophes: `o'neil's` has no capital S. */
function title(text: string): string {
  return text.replace(/[\p{L}\p{M}\p{N}'’]+/gu, capitalize);
}

export const casingRows: readonly Row[] = [
  ['upcase', '', 'String', 'The text in upper case.', (_: unknown, text: string) => text.toUpperCase()],
  ['downcase', '', 'String', 'The text in lower case.', (_: unknown, text: string) => text.toLowerCase()],
  ['capitalize', '', 'String', 'The text in lower case with a first character in upper case.', (_: unknown, text: string) => capitalize(text)],
  ['swapcase', '', 'String', 'The text with upper and lower case exchanged.', (_: unknown, text: string) => swapCase(text)],
  ['title', '', 'String', 'The text with each word capitalized.', (_: unknown, text: string) => title(text)],
  ['casecmp?', 'other: String', 'Boolean', 'Whether two texts are equal but for their case.', (_: unknown, text: string, other: string) => fold(text) === fold(other)],
];

/** Upper case first: it takes ß apart. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
}
