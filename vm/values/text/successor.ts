import { UnitText } from './textbuilder.js';

/**
 * The successor of `text` as in Ruby: `az` → `ba`, `Zz` → `AAa`, `a9` → `b0`, `a-9` → `a-10`; only letters and digits
 * count, if there are any. The empty text and the last character of Unicode are their own successors.
 */
export function successor(text: string): string {
  if (text === '') return '';
  if (text.search(ALNUM) < 0) {
    const last = [...text.slice(-2)].at(-1) as string;
    return text.slice(0, -last.length) + following(last);
  }
  // The leftmost letter or digit that has been carried from.
  let at = text.length;
  let carry = '';
  for (let i = text.length - 1; i >= 0; i--) {
    if (!ALNUM.test(text[i])) continue;
    // Other characters separate a number from the letters before it, and a word from the digits before it.
    if (at > i + 1 && at < text.length && isDigit(text[at]) !== isDigit(text[i])) break;
    const next = bump(text[i]);
    at = i;
    carry = next[1];
    if (carry === '') return text.slice(0, i) + next[0] + wrapped(text, i + 1);
  }
  return text.slice(0, at) + carry + wrapped(text, at);
}

const ALNUM = /[A-Za-z0-9]/;
const WRAPPED = new Map(
  [
    ['z', 'a'],
    ['Z', 'A'],
    ['9', '0'],
  ].map(([last, begin]) => [last.charCodeAt(0), begin.charCodeAt(0)]),
);

/** The characters from `start`; all their letters and digits were the last of their kind and restart at the first. */
function wrapped(text: string, start: number): string {
  const out = new UnitText();
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    out.unit(WRAPPED.get(unit) ?? unit);
  }
  return out.end();
}

function isDigit(unit: string): boolean {
  return unit <= '9';
}

/** The next letter or digit, and the character to insert before it if it wraps around (empty: no wrap). */
function bump(unit: string): [string, string] {
  if (unit === 'z') return ['a', 'a'];
  if (unit === 'Z') return ['A', 'A'];
  if (unit === '9') return ['0', '1'];
  return [String.fromCharCode(unit.charCodeAt(0) + 1), ''];
}

/** The next character of Unicode, which has none at the numbers of surrogates. */
function following(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code === 0x10ffff) return character;
  return String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
}
