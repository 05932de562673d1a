import { UnitText } from './textbuilder.js';

/**
 * The successor of `text` as in Ruby: `az` → `ba`, `Zz` → `AAa`, `a9` → `b0`; only letters and digits count, if there
 * are any.
 */
export function successor(text: string): string {
  if (text === '') return '';
  const first = text.search(ALNUM);
  if (first < 0) return text.slice(0, -1) + bump(text[text.length - 1], false)[0];
  for (let i = text.length - 1; ; i--) {
    if (!ALNUM.test(text[i])) continue;
    const [next, carry] = bump(text[i], true);
    if (carry === '') return text.slice(0, i) + next + wrapped(text, i + 1);
    if (i === first) return text.slice(0, i) + carry + next + wrapped(text, i + 1);
  }
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

/** The next character, and the character to insert before it if it wraps around (empty: no wrap). */
function bump(unit: string, alnum: boolean): [string, string] {
  if (unit === 'z') return ['a', 'a'];
  if (unit === 'Z') return ['A', 'A'];
  if (unit === '9' && alnum) return ['0', '1'];
  return [String.fromCharCode(unit.charCodeAt(0) + 1), ''];
}
