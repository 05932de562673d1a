import { finish, STEP } from '../../../vm/values/steps.js';
import type { Regex } from '../../../vm/values/structured.js';
import {
  eachInSteps,
  findAtOnce,
  occursIn,
  searchesAtOnce,
  searchOf,
  spanAtOnce,
  startsAtOnce,
  type Found,
} from '../../../vm/values/regex/index.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';

export type { Found };

/** What natives search for: a regular expression, or a text that stands for itself. */
export type Pattern = string | Regex;

function foundBy(match: RegExpExecArray): Found {
  return { start: match.index, end: match.index + match[0].length, groups: match, names: match.groups ?? null };
}

/** Whether a pattern can be searched in a text without steps. */
function isAtOnce(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'string' || searchesAtOnce(pattern, text);
}

function foundAtOnce(text: string, pattern: Pattern, from: number): Found | null {
  if (typeof pattern === 'string') {
    const start = text.indexOf(pattern, from);
    return start < 0 || from > text.length
      ? null
      : { start, end: start + pattern.length, groups: [pattern], names: null };
  }
  const match = findAtOnce(pattern, text, from);
  return match === null ? null : foundBy(match);
}

/** The first place of `pattern` in `text` from offset `from` on, or null, in steps. */
function* firstFound(text: string, pattern: Pattern, from: number): Generator<void, Found | null, void> {
  if (typeof pattern === 'string' || searchesAtOnce(pattern, text)) return foundAtOnce(text, pattern, from);
  const search = yield* searchOf(pattern, text);
  return (yield* search.find(from)) ? search.found : null;
}

/** What `make` makes of the first place of `pattern` in `text` from offset `from` on, or of null: at once where that is quick, else in pieces. */
export function withFirst(
  vm: VM,
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

/** What `make` makes of whether `pattern` occurs in `text`: at once where that is quick, else in pieces. */
export function whetherOccurs(
  vm: VM,
  what: string,
  text: string,
  pattern: Pattern,
  make: (occurs: boolean) => Value = (occurs) => occurs,
): Value | undefined {
  if (typeof pattern === 'string') return make(text.includes(pattern));
  return searchesAtOnce(pattern, text)
    ? make(occursIn(pattern, text))
    : vm.inPieces(
        what,
        firstSteps(text, pattern, 0, (found) => make(found !== null)),
      );
}

/** Whether `text` starts with one of several patterns: at once where that is quick, else in pieces. */
export function whetherStarts(vm: VM, text: string, patterns: readonly Pattern[]): Value | undefined {
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

/** UTF-16 offset behind the character at `at`. */
function after(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

type Visit = (found: Found) => unknown;

/** Calls `visit` for each place of `pattern`, without overlap, until it returns false, in steps; an empty match moves on by one character. */
export function foundInSteps(text: string, pattern: Pattern, visit: Visit): Generator<void, void, void> {
  return typeof pattern === 'string' ? textInSteps(text, pattern, visit) : eachInSteps(pattern, text, visit);
}

/** Places of a text that are visited in one step. */
const BATCH = 256;

function* textInSteps(text: string, pattern: string, visit: Visit): Generator<void, void, void> {
  let count = 0;
  for (
    let found = foundAtOnce(text, pattern, 0);
    found !== null;
    found = foundAtOnce(text, pattern, found.end > found.start ? found.end : after(text, found.end))
  ) {
    if (visit(found) === false) return;
    if (++count % BATCH === 0) yield;
  }
}

/** What `steps` over the places of a pattern give: at once where that is quick, else in pieces. */
export function overMatches(
  vm: VM,
  what: string,
  text: string,
  pattern: Pattern,
  steps: Generator<void, Value, void>,
): Value | undefined {
  return text.length <= STEP && isAtOnce(text, pattern) ? finish(steps) : vm.inPieces(what, steps);
}

/** What `make` makes of start and end of group `group` of a match that begins at `start`; of null when the group took no part. The match is made again. */
export function withSpan(
  vm: VM,
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
