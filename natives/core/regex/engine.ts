import { finish, STEP } from '../../../vm/values/steps.js';
import type { Regex } from '../../../vm/values/structured.js';
import {
  eachInSteps,
  findAtOnce,
  foundBy,
  lastInSteps,
  occursIn,
  searchesAtOnce,
  searchOf,
  spanAtOnce,
  startsAtOnce,
  type Found,
} from '../../../vm/values/regex/index.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Gathered } from '../gathered.js';

export type { Found };

/** A search pattern: a regular expression, or a literal text. */
export type Pattern = string | Regex;

/** Whether a pattern can be searched in a text without steps. */
export function isAtOnce(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'string' || searchesAtOnce(pattern, text);
}

/** Whether all matches of a pattern in a text are found within a step. */
export function areFoundAtOnce(text: string, pattern: Pattern): boolean {
  return text.length <= STEP && isAtOnce(text, pattern);
}

export function foundAtOnce(text: string, pattern: Pattern, from: number): Found | null {
  if (typeof pattern === 'string') {
    const start = text.indexOf(pattern, from);
    return start < 0 || from > text.length
      ? null
      : { start, end: start + pattern.length, groups: [pattern], names: null };
  }
  const match = findAtOnce(pattern, text, from);
  return match === null ? null : foundBy(match);
}

/** The first match of `pattern` in `text` at or after offset `from`, or null, in steps. */
export function* firstFound(text: string, pattern: Pattern, from: number): Generator<void, Found | null, void> {
  if (typeof pattern === 'string' || searchesAtOnce(pattern, text)) return foundAtOnce(text, pattern, from);
  const search = yield* searchOf(pattern, text);
  return (yield* search.find(from)) ? search.found : null;
}

/**
 * Returns `make(match)` for the first match of `pattern` at or after offset `from`, null if there is none; in pieces if
 * the search may take long.
 */
export function withFirst(
  vm: NativeContext,
  what: string,
  text: string,
  pattern: Pattern,
  from: number,
  make: (found: Found | null) => Value,
): Value | undefined {
  return isAtOnce(text, pattern)
    ? make(foundAtOnce(text, pattern, from))
    : vm.inPieces(what, firstSteps(text, pattern, from, make));
}

function* firstSteps(
  text: string,
  pattern: Pattern,
  from: number,
  make: (found: Found | null) => Value,
): Generator<void, Value, void> {
  return make(yield* firstFound(text, pattern, from));
}

const unchanged = (occurs: boolean): Value => occurs;

/**
 * Returns `make(occurs)`, where `occurs` is whether `pattern` occurs in `text`; in pieces if the search may take long.
 */
export function whetherOccurs(
  vm: NativeContext,
  what: string,
  text: string,
  pattern: Pattern,
  make: (occurs: boolean) => Value = unchanged,
): Value | undefined {
  if (typeof pattern === 'string') return make(text.includes(pattern));
  return searchesAtOnce(pattern, text)
    ? make(occursIn(pattern, text))
    : vm.inPieces(what, occursInSteps(text, pattern, make));
}

function* occursInSteps(
  text: string,
  pattern: Pattern,
  make: (occurs: boolean) => Value,
): Generator<void, Value, void> {
  return make((yield* firstFound(text, pattern, 0)) !== null);
}

/** Whether `text` starts with one of several patterns; in pieces if the search may take long. */
export function whetherStarts(vm: NativeContext, text: string, patterns: readonly Pattern[]): Value | undefined {
  if (!patterns.every((pattern) => isAtOnce(text, pattern)))
    return vm.inPieces('start_with?', startSteps(text, patterns));
  return patterns.some((pattern) =>
    typeof pattern === 'string' ? text.startsWith(pattern) : startsAtOnce(pattern, text),
  );
}

function* startSteps(text: string, patterns: readonly Pattern[]): Generator<void, boolean, void> {
  for (const pattern of patterns) {
    if (
      typeof pattern === 'string'
        ? text.startsWith(pattern)
        : searchesAtOnce(pattern, text)
          ? startsAtOnce(pattern, text)
          : yield* (yield* searchOf(pattern, text)).findAt(0)
    )
      return true;
  }
  return false;
}

/** The match that begins last in a text, but not after offset `limit`, or null; in steps. */
export function* lastFound(text: string, pattern: Pattern, limit: number): Generator<void, Found | null, void> {
  if (typeof pattern !== 'string') return yield* lastInSteps(pattern, text, limit);
  const start = text.lastIndexOf(pattern, limit);
  return start < 0 ? null : { start, end: start + pattern.length, groups: [pattern], names: null };
}

/** UTF-16 offset after the character at `at`. */
function after(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

type Visit = (found: Found) => unknown;

/**
 * Calls `visit` for each match of `pattern`, without overlap, until it returns false, in steps. After an empty match
 * the search continues one character later.
 */
export function foundInSteps(text: string, pattern: Pattern, visit: Visit): Generator<void, void, void> {
  return typeof pattern === 'string' ? textInSteps(text, pattern, visit) : eachInSteps(pattern, text, visit);
}

/** The match after another one. */
function nextAtOnce(text: string, pattern: Pattern, { start, end }: Found): Found | null {
  return foundAtOnce(text, pattern, end > start ? end : after(text, end));
}

/** Matches of a text visited in one step. */
const BATCH = 256;

function* textInSteps(text: string, pattern: string, visit: Visit): Generator<void, void, void> {
  let count = 0;
  for (let found = foundAtOnce(text, pattern, 0); found !== null; found = nextAtOnce(text, pattern, found)) {
    if (visit(found) === false) return;
    if (++count % BATCH === 0) yield;
  }
}

/** What is gathered from the matches of a pattern. */
export interface Harvest<T = Value> {
  /** Called with each match, until it returns false. */
  visit(found: Found, out: Gathered<T>): unknown;
  /** Called after the last match. */
  end?(out: Gathered<T>): void;
}

/** Whether a pattern is quickly seen not to occur, as in most texts that a program escapes. */
export function isQuicklyMissing(text: string, pattern: Pattern): boolean {
  if (text.length > STEP) return false;
  if (typeof pattern === 'string') return !text.includes(pattern);
  return text.length <= pattern.atOnce && !occursIn(pattern, text);
}

/** Maximum length of a text that is searched twice if there is a match. */
const MAX_SEARCHED_TWICE = 512;

/** As `isQuicklyMissing`, but false for a text in which a match may be so late that to search it again takes long. */
export function isSoonMissing(text: string, pattern: Pattern): boolean {
  return text.length <= MAX_SEARCHED_TWICE && isQuicklyMissing(text, pattern);
}

/** The vector of what is gathered from the matches of a pattern; in pieces if they may take long. */
export function harvested(
  vm: NativeContext,
  what: string,
  text: string,
  pattern: Pattern,
  harvest: Harvest,
): Value | undefined {
  return areFoundAtOnce(text, pattern)
    ? harvestedAtOnce(text, pattern, harvest)
    : vm.inPieces(what, harvestSteps(text, pattern, harvest));
}

/** As `harvested`, at once and not by the steps: for a short text, generators take as long as the search. */
export function harvestedAtOnce<T>(text: string, pattern: Pattern, harvest: Harvest<T>): T[] {
  const out = new Gathered<T>();
  let found = foundAtOnce(text, pattern, 0);
  while (found !== null && harvest.visit(found, out) !== false) found = nextAtOnce(text, pattern, found);
  harvest.end?.(out);
  return out.allAtOnce();
}

/** As `harvested`, in steps. */
export function* harvestSteps<T>(text: string, pattern: Pattern, harvest: Harvest<T>): Generator<void, T[], void> {
  const out = new Gathered<T>();
  yield* foundInSteps(text, pattern, (found) => harvest.visit(found, out));
  harvest.end?.(out);
  return yield* out.all();
}

/** The result of `steps` over the matches of a pattern; in pieces if they may take long. */
export function overMatches(
  vm: NativeContext,
  what: string,
  text: string,
  pattern: Pattern,
  steps: Generator<void, Value, void>,
): Value | undefined {
  return areFoundAtOnce(text, pattern) ? finish(steps) : vm.inPieces(what, steps);
}

/**
 * Returns `make(span)` for start and end of a group in the match that begins at `start`, null when the group took no
 * part. Runs the match again.
 */
export function withSpan(
  vm: NativeContext,
  regex: Regex,
  text: string,
  start: number,
  group: number,
  make: (span: readonly [number, number] | null) => Value,
): Value | undefined {
  return searchesAtOnce(regex, text)
    ? make(spanAtOnce(regex, text, start, group))
    : vm.inPieces('match', spanSteps(regex, text, start, group, make));
}

function* spanSteps(
  regex: Regex,
  text: string,
  start: number,
  group: number,
  make: (span: readonly [number, number] | null) => Value,
): Generator<void, Value, void> {
  return make(yield* (yield* searchOf(regex, text)).groupSpan(start, group));
}
