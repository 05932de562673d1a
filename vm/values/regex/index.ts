/**
 * Regular expressions. A text that V8 certainly searches within about 2 ms, by a bound on its length computed from the
 * expression, is searched at once. All others are searched in steps (`search.ts`), so that a search never holds up
 * other threads.
 */
import { finish } from '../steps.js';
import { compileSyntax, strictSyntax } from '../../bytecode/regexsyntax.js';
import { isInPair, isPlain } from '../text/codepoints.js';
import { Regex, type RegexForm } from '../structured.js';
import { Errors, fail } from '../error.js';
import { crudeLimit } from './crude.js';
import { prepare } from './prepare.js';
import type { Found, Prepared, Search } from './search.js';

export type { Found };

/** Compiled expressions by source and flags, so that a literal in a loop is compiled once. */
const cache = new Map<string, Regex>();
const CACHE_SIZE = 500;

/**
 * Compiles a regular expression. Syntax and flags are Ruby's, `i m x`, and `s` for `m`: it lets `.` match newlines; `^ $`
 * always match at lines.
 * @throws ValueError for invalid syntax
 */
export function compileRegex(source: string, flags: string): Regex {
  const key = `${flags}/${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const regex = new Regex(source, flags, compile(source, flags));
  regex.atOnce = crudeLimit(regex.re.source, regex.re.flags);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, regex);
  return regex;
}

/** The text of an expression as a group of another one that has `flags`; its own flags hold in it. */
export function partOfRegex({ source, flags }: Regex, outer: string): string {
  const has = (all: string, letter: string): boolean => all.includes(letter) || (letter === 'm' && all.includes('s'));
  const differing = [...'imx'].filter((letter) => has(flags, letter) !== has(outer, letter));
  const on = differing.filter((letter) => has(flags, letter)).join('');
  const off = differing.filter((letter) => !has(flags, letter)).join('');
  // A comment at the end would hide the bracket.
  const end = flags.includes('x') && source.includes('#') ? '\n)' : ')';
  return `(?${on}${off === '' ? '' : `-${off}`}:${source}${end}`;
}

/**
 * With the flag i, uses Unicode mode if V8 accepts the syntax there, so that case folding does not depend on the rest
 * of the text.
 */
function compile(source: string, flags: string): RegExp {
  const re = compileSyntax(source, flags);
  if (typeof re === 'string') return fail(Errors.ValueError, re);
  return re.ignoreCase ? unicodeForm(re) : re;
}

/** The same expression in V8's Unicode mode, or `re` if that mode rejects its syntax. */
function unicodeForm(re: RegExp): RegExp {
  if (re.unicode) return re;
  try {
    return new RegExp(strictSyntax(re.source), `${re.flags}u`);
  } catch {
    return re;
  }
}

/**
 * The expression for a validator of JSON Schema, which uses ECMA-262 with the flag u and no other one; null if it needs
 * other flags.
 */
export function patternOf(regex: Regex): string | null {
  // As a group with the flag, `.` is written as a class that contains newlines.
  const re = regex.re.dotAll ? compileSyntax(partOfRegex(regex, ''), '') : regex.re;
  if (typeof re === 'string' || re.ignoreCase || re.multiline) return null;
  const { source, unicode } = unicodeForm(re);
  return unicode ? source : null;
}

/** Expressions in Unicode mode, made at the first text that has surrogates or is long. */
const unicodeForms = new WeakMap<Regex, RegExp>();

function unicodeFormOf(regex: Regex): RegExp {
  let form = unicodeForms.get(regex);
  if (form === undefined) unicodeForms.set(regex, (form = unicodeForm(regex.re)));
  return form;
}

/** The form to search texts without surrogates with. One form for all searches: V8 compiles each separately. */
function formOf(regex: Regex): RegexForm {
  return (regex.form ??= copiesOf(regex.re));
}

/** The form to search `text` with: if it has surrogates, `.` and classes must match whole characters. */
function formFor(regex: Regex, text: string): RegexForm {
  return regex.isUnicode || isPlain(text) ? formOf(regex) : unicodeCopiesOf(regex);
}

function unicodeCopiesOf(regex: Regex): RegexForm {
  return (regex.unicodeForm ??= copiesOf(unicodeFormOf(regex)));
}

function copiesOf(re: RegExp): RegexForm {
  return { global: new RegExp(re.source, `${re.flags}g`), sticky: new RegExp(re.source, `${re.flags}y`) };
}

/** Whether V8 certainly searches `text` within about 2 ms. */
export function searchesAtOnce(regex: Regex, text: string): boolean {
  return text.length <= regex.atOnce;
}

/** Whether an expression matches anywhere in a text. Blocks all threads meanwhile if `searchesAtOnce` is false. */
export function occursIn(regex: Regex, text: string): boolean {
  if (text.length > regex.atOnce) return search(regex, text) >= 0;
  if (regex.isUnicode || !isPlain(text)) return findAtOnce(regex, text, 0) !== null;
  const { global } = formOf(regex);
  global.lastIndex = 0;
  return global.test(text);
}

/** UTF-16 offset of the first match, or -1. Blocks all threads meanwhile if `searchesAtOnce` is false. */
export function search(regex: Regex, text: string): number {
  if (text.length > regex.atOnce) return finish(searchInSteps(regex, text));
  return regex.isUnicode || !isPlain(text)
    ? (findAtOnce(regex, text, 0)?.index ?? -1)
    : text.search(formOf(regex).global);
}

/**
 * As `search`, in steps of less than a millisecond, for any text.
 * @throws RuntimeError when the expression needs too much work, MemoryError
 */
export function* searchInSteps(regex: Regex, text: string): Generator<void, number, void> {
  const all = yield* searchOf(regex, text);
  return (yield* all.find(0)) ? all.start : -1;
}

/** The first match at or after offset `from`, or null. Requires `searchesAtOnce`. */
export function findAtOnce(regex: Regex, text: string, from: number): RegExpExecArray | null {
  const { global } = formFor(regex, text);
  if (from > text.length) return null;
  global.lastIndex = from;
  let match = global.exec(text);
  // In Unicode mode V8 reports empty matches between the units of a surrogate pair; skip them.
  while (match !== null && global.unicode && isInPair(text, match.index)) {
    global.lastIndex = match.index + 1;
    match = global.exec(text);
  }
  return match;
}

/** Whether a match begins at the start of the text. Requires `searchesAtOnce`. */
export function startsAtOnce(regex: Regex, text: string): boolean {
  const { sticky } = formFor(regex, text);
  sticky.lastIndex = 0;
  return sticky.test(text);
}

/**
 * Start and end of a group of the match at `start`, or null if the group did not take part. Requires `searchesAtOnce`.
 */
export function spanAtOnce(regex: Regex, text: string, start: number, group: number): readonly [number, number] | null {
  const { sticky } = formFor(regex, text);
  const precise = new RegExp(sticky.source, `${sticky.flags}d`);
  precise.lastIndex = start;
  return precise.exec(text)?.indices?.[group] ?? null;
}

/** Matches visited in one step. */
const BATCH = 256;

/**
 * Calls `visit` for each match, without overlaps, in steps, until it returns false. After an empty match the search
 * moves by one character.
 * @throws RuntimeError, MemoryError
 */
export function* eachInSteps(
  regex: Regex,
  text: string,
  visit: (found: Found) => unknown,
): Generator<void, void, void> {
  if (!searchesAtOnce(regex, text)) {
    const all = yield* searchOf(regex, text);
    return yield* all.each(visit);
  }
  let count = 0;
  for (let match = findAtOnce(regex, text, 0); match !== null; match = findAtOnce(regex, text, behind(text, match))) {
    if (visit(foundBy(match)) === false) return;
    if (++count % BATCH === 0) yield;
  }
}

/**
 * The match that begins last in a text, but not after offset `limit`, or null; in steps. Matches that overlap another
 * one count too.
 * @throws RuntimeError, MemoryError
 */
export function* lastInSteps(regex: Regex, text: string, limit: number): Generator<void, Found | null, void> {
  const all = searchesAtOnce(regex, text) ? null : yield* searchOf(regex, text);
  let last: Found | null = null;
  const visit = (found: Found): boolean => {
    if (found.start <= limit) last = found;
    return found.start < limit;
  };
  yield* all === null ? eachInSteps(regex, text, visit) : all.each(visit);
  const found = last as Found | null;
  if (found === null) return null;
  // Between the end of this match and the next one no match begins.
  const high = Math.min(limit, found.end - 1);
  if (all === null) return (yield* lastBetween(regex, text, found.start + 1, high)) ?? found;
  return high > found.start && (yield* all.findLast(found.start + 1, high)) ? all.found : found;
}

/** The last match that begins between two offsets, or null. Requires `searchesAtOnce`. */
function* lastBetween(regex: Regex, text: string, low: number, high: number): Generator<void, Found | null, void> {
  const { sticky } = formFor(regex, text);
  let count = 0;
  for (let at = high; at >= low; at--) {
    if (isInPair(text, at)) continue;
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (match !== null) return foundBy(match);
    if (++count % BATCH === 0) yield;
  }
  return null;
}

export function foundBy(match: RegExpExecArray): Found {
  return { start: match.index, end: match.index + match[0].length, groups: match, names: match.groups ?? null };
}

/** Where to continue after a match: at its end, or one character later if it is empty. */
function behind(text: string, match: RegExpExecArray): number {
  const end = match.index + match[0].length;
  return match[0] === '' && (text.codePointAt(end) ?? 0) > 0xffff ? end + 2 : match[0] === '' ? end + 1 : end;
}

/**
 * The expression with the flag g, for V8's functions over all matches; null if they would match between the units of a
 * surrogate pair. Requires `searchesAtOnce`.
 */
export function globalForm(regex: Regex, text: string): RegExp | null {
  return isPlain(text) ? formOf(regex).global : null;
}

/** Number of capture groups. */
export function groupCount(regex: Regex): number {
  if (regex.groups < 0)
    regex.groups = (new RegExp(`${regex.re.source}|`, regex.re.flags).exec('') as RegExpExecArray).length - 1;
  return regex.groups;
}

/** Analyses of expressions that were applied to a long text. */
const prepared = new WeakMap<Regex, Prepared>();

/**
 * Creates the search for an expression in a text; analyses the expression's cost once.
 * @throws RuntimeError if it is too large
 */
export function* searchOf(regex: Regex, text: string): Generator<void, Search, void> {
  let known = prepared.get(regex);
  if (known === undefined) {
    known = yield* prepare(unicodeFormOf(regex), (reason) => refuse(regex, reason));
    regex.atOnce = Math.max(regex.atOnce, known.atOnce);
    prepared.set(regex, known);
  }
  const pairs = known.program.unicode && !(yield* isPlainInSteps(text));
  const form = known.program.unicode && !pairs ? formOf(regex) : unicodeCopiesOf(regex);
  return known.search(form, text, pairs, nameOf(regex));
}

function refuse(regex: Regex, reason: string): never {
  return fail(
    Errors.RuntimeError,
    `cannot search for ${nameOf(regex)} in a text of more than ${Math.max(0, regex.atOnce)} characters: the expression ${reason}`,
  );
}

/** Characters checked in one step. */
const LOOKED_AT = 1 << 18;

function* isPlainInSteps(text: string): Generator<void, boolean, void> {
  if (text.length <= LOOKED_AT) return isPlain(text);
  for (let lo = 0; lo < text.length; lo += LOOKED_AT) {
    if (!isPlain(text.slice(lo, lo + LOOKED_AT))) return false;
    yield;
  }
  return true;
}

const NAMED = 60;

/** The expression for error messages, shortened. */
function nameOf({ source, flags }: Regex): string {
  return source.length > NAMED ? `/${source.slice(0, NAMED)}…/${flags}` : `/${source}/${flags}`;
}
