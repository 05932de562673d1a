import type { RawToken } from '../lexer.js';
import type { Layout } from './layout.js';

const HINTS: Record<string, string> = {
  '@': 'Svc has no instance variables: use a plain name',
  $: 'Svc has no `$` names: use a plain name',
  '`': 'to run a command use `shell("…")`',
  '~': 'Svc has no bit operators',
  '\u00a0': 'it looks like a space: replace it by one',
  '\u201c': 'write straight quotes `"`',
  '\u201d': 'write straight quotes `"`',
  '\u2212': 'write the minus of the keyboard, `-`',
  '\u2013': 'write the minus of the keyboard, `-`',
  '\u00d7': 'write `*`',
  '\u00f7': 'write `/`',
  '\u2264': 'write `<=`',
  '\u2265': 'write `>=`',
  '\u2260': 'write `!=`',
  '\u2018': "write straight quotes `'`",
  '\u2019': "write straight quotes `'`",
  '\\': 'a `\\` joins two lines only at the end of the first',
};

const WORD = /[\p{L}_][\p{L}\p{N}\p{M}_]*[?!]?/uy;

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Checks the letters of a word: the lexer accepts every character beyond ASCII. Cuts the word, and moves the lexer,
 * before the first character that is neither letter nor digit. If nothing remains, reports the character and returns
 * false.
 */
export function checkLetters(layout: Layout, raw: RawToken): boolean {
  if (!BEYOND_ASCII.test(raw.text)) return true;
  WORD.lastIndex = raw.offset;
  if (!WORD.test(layout.text)) {
    unknownCharacter(layout, raw);
    return false;
  }
  raw.text = layout.text.slice(raw.offset, Math.min(WORD.lastIndex, raw.offset + raw.text.length));
  layout.lexer.index = raw.offset + raw.text.length;
  return true;
}

/** Reports a character that cannot start a token, and skips it. */
export function unknownCharacter(layout: Layout, { offset }: RawToken): void {
  if (layout.state !== 'value' && layout.state !== 'operator') return; // a string that ends with the text: reported at the end
  const character = String.fromCodePoint(layout.text.codePointAt(offset) as number);
  const visible = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character);
  const code = `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
  layout.lexer.index = offset + character.length;
  layout.report(
    'unknown-character',
    `unexpected character ${visible ? `\`${character}\`` : code}`,
    offset,
    layout.lexer.index,
    [],
    HINTS[character] ?? '',
  );
}
