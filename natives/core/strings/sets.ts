/** Sets of characters as `tr`, `count`, `delete` and `squeeze` write them: `a-z`, `^` in front for all others, a backslash before `- ^ \`. */
import { points } from '../../../vm/values/codepoints.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { concat } from '../../../vm/values/arithmetic.js';
import type { Row } from '../declare.js';
import { excerpt } from './parse.js';

/** Most characters that the ranges of one set may name: all there are. */
const MAX_SET = 0x110000;

interface CharacterSet {
  negated: boolean;
  list: string[];
}

function parseSet(spec: string): CharacterSet {
  const chars = points(spec);
  const negated = chars.length > 1 && chars[0] === '^';
  const list: string[] = [];
  for (let i = negated ? 1 : 0; i < chars.length; i++) {
    if (chars[i] === '\\' && i + 1 < chars.length) list.push(chars[++i]);
    else if (chars[i] === '-' && list.length > 0 && i + 1 < chars.length) addRange(list, chars[++i], spec);
    else list.push(chars[i]);
  }
  return { negated, list };
}

/** Adds the characters behind the last of `list` up to `last`. */
function addRange(list: string[], last: string, spec: string): void {
  const from = list[list.length - 1].codePointAt(0) as number;
  const to = last.codePointAt(0) as number;
  if (to < from) fail(Errors.ValueError, `range in ${excerpt(spec)} runs backwards`);
  if (list.length + to - from > MAX_SET) fail(Errors.ValueError, `ranges in ${excerpt(spec)} name too many characters`);
  for (let code = from + 1; code <= to; code++) list.push(String.fromCodePoint(code));
}

/** A test whether a character belongs to a set. */
function member(spec: string): (c: string) => boolean {
  const { negated, list } = parseSet(spec);
  const set = new Set(list);
  return (c) => set.has(c) !== negated;
}

/** `text` with the characters of one set replaced by those at the same places of another. */
function translate(text: string, from: string, to: string, squeezed = false): string {
  const { negated, list } = parseSet(from);
  const target = parseSet(to === '^' || to[0] !== '^' ? to : `\\${to}`).list;
  const last = target[target.length - 1] ?? '';
  const map = new Map<string, string>();
  list.forEach((c, i) => {
    if (!map.has(c)) map.set(c, target[i] ?? last);
  });
  let out = '';
  let previous: string | null = null;
  for (const c of points(text)) {
    const found = negated ? (map.has(c) ? undefined : last) : map.get(c);
    if (found === undefined || !squeezed || found !== previous) out = concat(out, found ?? c);
    previous = found ?? null;
  }
  return out;
}

/** `text` with runs of one character shortened to one, for all characters or those of a set. */
function squeeze(text: string, spec: string | null): string {
  const belongs = spec === null ? () => true : member(spec);
  return points(text).filter((c, i, all) => i === 0 || c !== all[i - 1] || !belongs(c)).join('');
}

function filtered(text: string, keep: (c: string) => boolean): string[] {
  return points(text).filter(keep);
}

export const setRows: readonly Row[] = [
  ['tr', 'from: String, to: String', 'String', 'The text with the characters of one set (`a-y`, `^0-9`) replaced by those of another.', (_: unknown, text: string, from: string, to: string) => translate(text, from, to)],
  ['tr_s', 'from: String, to: String', 'String', 'Like `tr`, with runs of the same new character shortened to one.', (_: unknown, text: string, from: string, to: string) => translate(text, from, to, true)],
  ['delete', 'characters: String', 'String', 'The text without the characters of a set.', (_: unknown, text: string, spec: string) => excluding(text, spec)],
  ['squeeze', 'characters: String? = nil', 'String', 'The text with runs of one character shortened to one, for all characters or those of a set.', (_: unknown, text: string, spec: string | null) => squeeze(text, spec)],
  ['count', 'characters: String', 'Integer', 'Number of characters that belong to a set.', (_: unknown, text: string, spec: string) => filtered(text, member(spec)).length],
];

function excluding(text: string, spec: string): string {
  const belongs = member(spec);
  return filtered(text, (c) => !belongs(c)).join('');
}
