/** The characters that an atom of an expression matches, as sorted ranges: [lo, hi, lo, hi, …], both ends included. */
import {
  complement,
  contains,
  DIGIT,
  MAX_CODE_POINT,
  merged,
  pairsOf,
  SPACE,
  WORD,
  type Ranges,
} from '../../bytecode/characterranges.js';
import { literal } from './regexparse.js';

export type { Ranges };

const LINE_ENDS: Ranges = [10, 10, 13, 13, 0x2028, 0x2029];
const SHORTHANDS: Record<string, Ranges> = { d: DIGIT, w: WORD, s: SPACE };
const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12 };

/**
 * A member of a class: a code point as \u{…}, a surrogate pair, \uXXXX, \xXX, another escape, a character. The second
 * form, without the flag u, has no code points and pairs.
 */
const MEMBER =
  /\\u\{([0-9a-fA-F]+)\}|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([\s\S])|([\s\S])/uy;
const MEMBER_UNITS = /(?!)()()()|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([\s\S])|([\s\S])/y;

/** A member of a class or an escape: a code point, the ranges of a shorthand, or null if only V8 knows it. */
function memberOf(escaped: string | undefined, char: string | undefined, most: number): number | Ranges | null {
  if (char !== undefined) return char.codePointAt(0) as number;
  const name = escaped as string;
  if (/^[^\w\s]$/u.test(name)) return name.codePointAt(0) as number;
  if (name in CONTROLS) return CONTROLS[name];
  if (name.toLowerCase() in SHORTHANDS && /[dws]/i.test(name)) {
    const ranges = SHORTHANDS[name.toLowerCase()];
    return name === name.toLowerCase() ? ranges : complement(ranges, most);
  }
  return name === 'b' ? 8 : null;
}

function hexCode([, point, high, low, unit, byte]: RegExpExecArray): number | undefined {
  if (high !== undefined) return ((parseInt(high, 16) - 0xd800) << 10) + parseInt(low, 16) - 0xdc00 + 0x10000;
  const hex = point ?? unit ?? byte;
  return hex === undefined ? undefined : parseInt(hex, 16);
}

/** Members of a class, in order; null if one is unknown here. */
function membersOf(body: string, unicode: boolean): (number | Ranges)[] | null {
  const member = unicode ? MEMBER : MEMBER_UNITS;
  const out: (number | Ranges)[] = [];
  for (member.lastIndex = 0; member.lastIndex < body.length;) {
    const match = member.exec(body);
    if (match === null) return null;
    const value = hexCode(match) ?? memberOf(match[6], match[7], unicode ? MAX_CODE_POINT : 0xffff);
    if (value === null) return null;
    // In `a-z`, only an unescaped minus makes a range.
    out.push(match[0] === '-' ? DASH : value);
  }
  return out;
}

/** An unescaped minus. */
const DASH: Ranges = [45, 45];

function classRanges(raw: string, unicode: boolean): number[] | null {
  const negated = raw[1] === '^';
  const members = membersOf(raw.slice(negated ? 2 : 1, -1), unicode);
  if (members === null) return null;
  const pairs: [number, number][] = [];
  for (let i = 0; i < members.length; i++) {
    const [from, dash, to] = [members[i], members[i + 1], members[i + 2]];
    const [lo, hi] = [from === DASH ? 45 : from, to === DASH ? 45 : to];
    if (dash === DASH && typeof lo === 'number' && typeof hi === 'number') {
      pairs.push([lo, hi]);
      i += 2;
    } else if (typeof lo === 'number') pairs.push([lo, lo]);
    else pairs.push(...pairsOf(lo));
  }
  return negated ? complement(merged(pairs), unicode ? MAX_CODE_POINT : 0xffff) : merged(pairs);
}

/** Ranges of an atom, case-sensitive; null if only V8 knows them. */
function ownRanges(raw: string, unicode: boolean, dotAll: boolean): readonly number[] | null {
  const most = unicode ? MAX_CODE_POINT : 0xffff;
  if (raw === '.') return dotAll ? [0, most] : complement(LINE_ENDS, most);
  if (raw[0] === '[') return classRanges(raw, unicode);
  const code = literal(raw);
  if (code >= 0) return [code, code];
  const members = membersOf(raw, unicode);
  if (members?.length !== 1) return null;
  return typeof members[0] === 'number' ? [members[0], members[0]] : members[0];
}

/** All characters that have another case, in order: as code points and as one text. */
let cased: { codes: number[]; text: string } | null = null;

function* casedCharacters(): Generator<void, { codes: number[]; text: string }, void> {
  if (cased !== null) return cased;
  const uncased = /[^\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]+/gu;
  let text = '';
  for (const part of [...plane(0), ...plane(1)]) {
    for (let lo = 0; lo < part.length; lo += PART) {
      text += part.slice(lo, lo + PART).replace(uncased, '');
      yield;
    }
  }
  return (cased = { codes: Array.from(text, (char) => char.codePointAt(0) as number), text });
}

/** Units processed in one step: even, so that no surrogate pair is split. */
const PART = 1 << 13;

/** All characters of a plane except surrogates, as texts. Plane 0 is split there, so that no match spans the gap. */
function plane(number: number): string[] {
  const of = (lo: number, hi: number): string => {
    let text = '';
    for (let code = lo; code <= hi; code += 4096)
      text += String.fromCodePoint(...Array.from({ length: Math.min(4096, hi - code + 1) }, (_, i) => code + i));
    return text;
  };
  return number === 0 ? [of(0, 0xd7ff), of(0xe000, 0xffff)] : [of(number << 16, (number << 16) + 0xffff)];
}

/** Start and end offsets in `text` of the runs that an atom matches. */
function* runsIn(raw: string, flags: string, text: string): Generator<[number, number]> {
  const atom = new RegExp(`(?:${raw})+`, `${flags}g`);
  for (let match = atom.exec(text); match !== null; match = atom.exec(text)) yield [match.index, atom.lastIndex];
}

/** Unassigned and private-use planes: all characters of such a plane behave alike, except the last two. */
const EVEN_PLANES = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];
const UNEVEN_PLANES = [1, 2, 3, 14];

/** Asks V8 about each character, in steps. */
function* askV8(raw: string, flags: string, unicode: boolean): Generator<void, number[], void> {
  const pairs: [number, number][] = [];
  const surrogates = [
    [0xdc00, 0xdfff],
    [0xd800, 0xdbff],
  ];
  for (const text of plane(0))
    for (const [from, to] of runsIn(raw, flags, text))
      pairs.push([text.codePointAt(from) as number, text.codePointAt(to - 1) as number]);
  for (const [lo, hi] of surrogates) {
    const text = String.fromCharCode(...Array.from({ length: hi - lo + 1 }, (_, i) => lo + i));
    for (const [from, to] of runsIn(raw, flags, text)) pairs.push([lo + from, lo + to - 1]);
  }
  if (!unicode) return merged(pairs);
  for (const number of UNEVEN_PLANES) {
    yield;
    const base = number << 16;
    for (const text of plane(number))
      for (const [from, to] of runsIn(raw, flags, text)) pairs.push([base + (from >> 1), base + (to >> 1) - 1]);
  }
  const atom = new RegExp(`^(?:${raw})$`, flags);
  for (const number of EVEN_PLANES) {
    const base = number << 16;
    if (atom.test(String.fromCodePoint(base))) pairs.push([base, base + 0xfffd]);
    for (const code of [base + 0xfffe, base + 0xffff])
      if (atom.test(String.fromCodePoint(code))) pairs.push([code, code]);
  }
  return merged(pairs);
}

/** Ranges computed so far, by flags and atom: expressions share most atoms. */
const known = new Map<string, Ranges>();
const MAX_KNOWN_SETS = 500;

/**
 * The ranges that an atom matches, in steps.
 * @param flags of the expression; only "isu" matter
 */
export function* rangesOf(raw: string, flags: string): Generator<void, Ranges, void> {
  const unicode = flags.includes('u');
  const key = `${[...flags]
    .filter((flag) => 'isu'.includes(flag))
    .sort()
    .join('')}/${raw}`;
  const old = known.get(key);
  if (old !== undefined) return old;
  const sensitive = flags.replace(/[im]/g, '');
  const exact = ownRanges(raw, unicode, flags.includes('s')) ?? (yield* askV8(raw, sensitive, unicode));
  const ranges = flags.includes('i')
    ? withOtherCases(exact, raw, flags.replace('m', ''), yield* casedCharacters())
    : exact;
  if (known.size >= MAX_KNOWN_SETS) known.clear();
  known.set(key, ranges);
  return ranges;
}

/** The ranges of an atom under the flag i. V8 decides which of the characters with another case match. */
function withOtherCases(
  exact: Ranges,
  raw: string,
  flags: string,
  { codes, text }: { codes: number[]; text: string },
): Ranges {
  const unicode = flags.includes('u');
  const matched = new Set<number>();
  if (unicode)
    for (const [from, to] of runsIn(raw, flags, text))
      for (const char of text.slice(from, to)) matched.add(char.codePointAt(0) as number);
  else
    for (const [from, to] of runsIn(raw, flags, text)) for (let i = from; i < to; i++) matched.add(text.charCodeAt(i));
  const pairs = pairsOf(exact);
  const off: [number, number][] = [];
  for (const code of codes) {
    if (!unicode && code > 0xffff) continue;
    const inside = contains(exact, code);
    if (matched.has(code) && !inside) pairs.push([code, code]);
    else if (!matched.has(code) && inside) off.push([code, code]);
  }
  const all = merged(pairs);
  if (off.length === 0) return all;
  const most = unicode ? MAX_CODE_POINT : 0xffff;
  return complement(merged([...pairsOf(complement(all, most)), ...off]), most);
}
