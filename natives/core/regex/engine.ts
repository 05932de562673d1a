import { finish, STEP } from '../../../vm/longwork.js';
import type { Regex } from '../../../vm/values/compound.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { formFor, occursIn } from '../../../vm/values/regex/index.js';
import { searchWithin } from '../../../vm/values/regex/cost.js';
import { checkElements } from '../limits.js';

/** What natives search for: a regular expression, or a text that stands for itself. */
export type Pattern = string | Regex;

/** One place where a pattern was found. Offsets count UTF-16 units. */
export interface Found {
  start: number;
  end: number;
  /** The whole match, then the groups; undefined for a group that took no part. */
  groups: readonly (string | undefined)[];
  /** Names of groups, or null when there are none. */
  names: Readonly<Record<string, string | undefined>> | null;
}

/** Copies of expressions with the flag `g`, and whether they have groups, so that matches are more than a text. */
interface Scanner {
  global: RegExp;
  hasGroups: boolean;
}

const scanners = new WeakMap<RegExp, Scanner>();

function scannerOf(form: RegExp): Scanner {
  let known = scanners.get(form);
  if (known === undefined) {
    const { source, flags } = form;
    known = { global: new RegExp(source, `${flags}g`), hasGroups: (new RegExp(`${source}|`, flags).exec('') as RegExpExecArray).length > 1 };
    scanners.set(form, known);
  }
  return known;
}

/** Whether the expression has groups. */
export function hasGroups(regex: Regex): boolean {
  return scannerOf(regex.re).hasGroups;
}

/** `regex` as an expression with the flag `g` that fits `text`, set to search from offset `from`. */
function scanner(regex: Regex, text: string, from: number): RegExp {
  const { global } = scannerOf(formFor(regex, text));
  global.lastIndex = from;
  return global;
}

/** What `search` finds with `regex` as an expression with the flag `g` that fits `text`. @throws RuntimeError when that takes too long */
export function searchAll<T>(regex: Regex, text: string, search: (form: RegExp) => T): T {
  const form = scanner(regex, text, 0);
  return searchWithin(regex, form, text, () => search(form));
}

function foundBy(match: RegExpExecArray): Found {
  return { start: match.index, end: match.index + match[0].length, groups: match, names: match.groups ?? null };
}

/** The first place of `pattern` in `text` from offset `from` on, or null. */
export function find(text: string, pattern: Pattern, from: number): Found | null {
  if (typeof pattern === 'string') {
    const start = text.indexOf(pattern, from);
    return start < 0 || from > text.length ? null : { start, end: start + pattern.length, groups: [pattern], names: null };
  }
  const form = scanner(pattern, text, from);
  const match = searchWithin(pattern, form, text, () => form.exec(text));
  return match === null ? null : foundBy(match);
}

/** Whether `pattern` occurs in `text`. */
export function occurs(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : occursIn(pattern, text);
}

/** UTF-16 offset behind the character at `at`. */
function after(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/**
 * Calls `visit` for each place of `pattern`, without overlap, until it returns false; an empty match moves on by one character. `limit` is how many
 * places will be asked for.
 */
function eachFound(text: string, pattern: Pattern, visit: Visit, limit = BATCH): void {
  finish(foundInSteps(text, pattern, visit, limit));
}

type Visit = (found: Found) => unknown;

/** The same in steps. */
export function* foundInSteps(text: string, pattern: Pattern, visit: Visit, limit = BATCH): Generator<void, void, void> {
  if (typeof pattern === 'string') return yield* textInSteps(text, pattern, visit);
  const size = Math.min(limit, BATCH);
  const { global } = scannerOf(formFor(pattern, text));
  for (let from = 0; from <= text.length;) {
    const { matches, next } = nextMatches(text, pattern, global, from, size);
    for (const match of matches) if (visit(foundBy(match)) === false) return;
    if (next < 0) return;
    from = next;
    if (text.length > STEP) yield;
  }
}

function* textInSteps(text: string, pattern: string, visit: Visit): Generator<void, void, void> {
  let count = 0;
  for (let found = find(text, pattern, 0); found !== null; found = find(text, pattern, found.end > found.start ? found.end : after(text, found.end))) {
    if (visit(found) === false) return;
    if (++count % BATCH === 0) yield;
  }
}

/** How many matches are searched for at once: to set a limit to a search costs more than most searches. */
const BATCH = 256;

/** Where to search on after a match. */
function behind(text: string, match: RegExpExecArray): number {
  const end = match.index + match[0].length;
  return match[0] === '' ? after(text, end) : end;
}

/** The next matches from offset `from` on, a batch of them or those of a step at most, and where to search on: −1 when there are no more. */
function nextMatches(text: string, pattern: Regex, global: RegExp, from: number, count: number): { matches: RegExpExecArray[]; next: number } {
  const end = from + 4 * STEP;
  global.lastIndex = from;
  return searchWithin(pattern, global, text, () => {
    const matches: RegExpExecArray[] = [];
    let next = from;
    while (matches.length < count && next < end) {
      const match = global.exec(text);
      if (match === null) return { matches, next: -1 };
      matches.push(match);
      global.lastIndex = next = behind(text, match);
    }
    return { matches, next };
  });
}

/** The places of `pattern`, all of them or the first `limit`. @throws MemoryError when they are too many for a vector */
export function findAll(text: string, pattern: Pattern, limit = Infinity): Found[] {
  const out: Found[] = [];
  eachFound(text, pattern, (found) => {
    out.push(found);
    checkElements(out.length);
    return out.length < limit;
  }, limit);
  return out;
}

/** Start and end of group `group` of a match that begins at `start`. V8 reports them only on demand, so the match is made again. */
export function groupSpan(regex: Regex, text: string, start: number, group: number): readonly [number, number] | null {
  const form = scanner(regex, text, start);
  const precise = new RegExp(form.source, `${form.flags.replace('g', '')}dy`);
  precise.lastIndex = start;
  const indices = precise.exec(text)?.indices;
  return indices === undefined ? fail(Errors.RuntimeError, 'the match cannot be repeated') : indices[group] ?? null;
}
