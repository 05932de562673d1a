import { STEP } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { Gathered } from '../gathered.js';
import {
  areFoundAtOnce,
  type Harvest,
  harvestedAtOnce,
  harvestSteps,
  isSoonMissing,
  lastFound,
  overMatches,
  withFirst,
  type Found,
  type Pattern,
} from '../regex/engine.js';
import { characterSteps } from './layout.js';

type PartSteps = Generator<void, string[], void>;

interface Gap {
  start: number;
  end: number;
}

/** Parts between two pauses. */
const PARTS = 256;

/** Blanks other than spaces, and adjacent spaces. */
const UNEVEN = /[^\S ]| {2}/;

/**
 * Words of a text that starts with one; blanks at the end yield an empty word. V8 splits faster at a text than at a
 * regex.
 */
function wordsOf(text: string): string[] {
  return UNEVEN.test(text) ? text.split(/\s+/) : text.split(' ');
}

/**
 * Parts of a text, one step's worth at a time. `gapFrom` finds the next gap between parts, `split` splits the piece
 * between two such gaps.
 */
function* pieceSteps(
  text: string,
  gapFrom: (at: number) => Gap | null,
  split: (piece: string, isLast: boolean) => string[],
): PartSteps {
  const out = new Gathered<string>();
  for (let lo = 0; ;) {
    const gap = gapFrom(lo + STEP);
    out.addAll(split(text.slice(lo, gap?.start), gap === null));
    if (gap === null) return yield* out.all();
    lo = gap.end;
    yield;
  }
}

/** Words between blanks; blanks at the end yield an empty word. */
function wordSteps(text: string): PartSteps {
  const gap = /\s+/g;
  const gapFrom = (at: number): Gap | null => {
    gap.lastIndex = at;
    const found = gap.exec(text);
    return found === null ? null : { start: found.index, end: gap.lastIndex };
  };
  // A gap that begins before the step's end is found without its start, so trim the piece.
  return pieceSteps(text, gapFrom, (piece, isLast) => wordsOf(isLast ? piece : piece.trimEnd()));
}

/** Whether two matches of a text can overlap. */
function overlapsItself(pattern: string): boolean {
  for (let i = 1; i < pattern.length; i++) if (pattern.startsWith(pattern.slice(i))) return true;
  return false;
}

/**
 * Parts between the matches of a text that cannot overlap itself, so that a search from any position finds true
 * matches.
 */
function textSteps(text: string, pattern: string): PartSteps {
  const gapFrom = (at: number): Gap | null => {
    const start = text.indexOf(pattern, at);
    return start < 0 ? null : { start, end: start + pattern.length };
  };
  return pieceSteps(text, gapFrom, (piece) => piece.split(pattern));
}

/** At most `limit` words between blanks, two or more; the last one is the unsplit rest, empty after blanks at the end. */
function* limitedWordSteps(text: string, limit: number): PartSteps {
  const gap = /\s+/g;
  const out = new Gathered<string>();
  let end = 0;
  for (let found = gap.exec(text); found !== null && out.count < limit - 1; found = gap.exec(text)) {
    out.add(text.slice(end, found.index));
    end = gap.lastIndex;
    if (out.count % PARTS === 0) yield;
  }
  out.add(text.slice(end));
  return yield* out.all();
}

function withoutEmptyEnd(parts: string[]): string[] {
  let end = parts.length;
  while (end > 0 && parts[end - 1] === '') end--;
  if (end < parts.length) parts.length = end;
  return parts;
}

/**
 * Parts between the matches of a pattern; groups of a regex become parts too. An empty match splits between characters, except directly after another match.
 */
function partsOf(text: string, limit: number): Harvest<string> {
  let end = 0;
  let pieces = 1;
  return {
    visit: (found, out) => {
      if (limit > 0 && pieces >= limit) return false;
      if (found.end === found.start && found.start === end) return true;
      out.add(text.slice(end, found.start));
      for (let i = 1; i < found.groups.length; i++) {
        const group = found.groups[i];
        if (group !== undefined) out.add(group);
      }
      end = found.end;
      pieces++;
      return true;
    },
    end: (out) => out.add(text.slice(end)),
  };
}

function placeSteps(text: string, pattern: Pattern, limit: number): PartSteps {
  return harvestSteps(text, pattern, partsOf(text, limit));
}

/** Ruby's split: nil and `" "` split at runs of blanks; empty parts at the end are dropped unless a limit is given. */
function* splitSteps(text: string, pattern: Pattern | null, limit: number): PartSteps {
  // A limit keeps the empty part after the last character.
  if (limit === 0 || (limit < 0 && pattern !== '')) {
    const all = yield* allParts(text, pattern ?? ' ');
    return limit === 0 ? withoutEmptyEnd(all) : all;
  }
  if (limit === 1) return [text];
  return yield* pattern === null || pattern === ' '
    ? limitedWordSteps(text.trimStart(), limit)
    : placeSteps(text, pattern, limit);
}

function allParts(text: string, pattern: Pattern): PartSteps {
  if (pattern === ' ') return wordSteps(text.trimStart());
  if (pattern === '') return characterSteps(text);
  return typeof pattern === 'string' && !overlapsItself(pattern)
    ? textSteps(text, pattern)
    : placeSteps(text, pattern, 0);
}

function split(vm: NativeContext, text: string, pattern: Pattern | null, limit: number): Value | undefined {
  if (text === '') return [];
  if (text.length <= STEP && limit <= 0 && typeof pattern === 'string' && pattern !== ' ' && pattern !== '') {
    const all = text.split(pattern);
    return limit === 0 ? withoutEmptyEnd(all) : all;
  }
  if (text.length <= STEP && limit === 0 && (pattern === null || pattern === ' '))
    return withoutEmptyEnd(wordsOf(text.trimStart()));
  if (pattern !== null && typeof pattern !== 'string' && areFoundAtOnce(text, pattern)) {
    if (isSoonMissing(text, pattern)) return [text];
    const all = harvestedAtOnce(text, pattern, partsOf(text, limit));
    return limit === 0 ? withoutEmptyEnd(all) : all;
  }
  return overMatches(vm, 'split', text, pattern ?? ' ', splitSteps(text, pattern, limit));
}

function partition(text: string, found: Found | null, missing: string[]): Value {
  return found === null
    ? missing
    : [text.slice(0, found.start), text.slice(found.start, found.end), text.slice(found.end)];
}

function* lastPartition(text: string, pattern: Pattern): Generator<void, Value, void> {
  return partition(text, yield* lastFound(text, pattern, text.length), ['', '', text]);
}

// prettier-ignore
export const splittingRows: readonly Row[] = [
  ['split', 'pattern: String|Regex? = nil, limit: Integer = 0', 'Vector', 'The parts between the matches of a pattern, by default between blanks; at most `limit` parts when it is positive.', (vm: NativeContext, text: string, pattern: Pattern | null, limit: Int) => split(vm, text, pattern, Number(limit))],
  ['partition', 'pattern: String|Regex', 'Vector', 'The text before the first match of a pattern, the match, and the text after it.', (vm: NativeContext, text: string, pattern: Pattern) => withFirst(vm, 'partition', text, pattern, 0, (found) => partition(text, found, [text, '', '']))],
  ['rpartition', 'pattern: String|Regex', 'Vector', 'The text before the last match of a pattern, the match, and the text after it.', (vm: NativeContext, text: string, pattern: Pattern) => overMatches(vm, 'rpartition', text, pattern, lastPartition(text, pattern))],
];
