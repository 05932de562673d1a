import type { Value } from '../../../vm/values/value.js';
import type { Int, Row } from '../declare.js';
import { eachFound, find, findAll, type Found, type Pattern } from '../regex/engine.js';
import { characters } from './layout.js';

/** Words between blanks; with a limit, the last one takes the rest as it is. */
function words(text: string, limit: number): string[] {
  const trimmed = text.trimStart();
  if (limit <= 0) {
    const all = trimmed.split(/\s+/);
    return limit === 0 ? withoutEmptyEnd(all) : all;
  }
  const out: string[] = [];
  let rest = trimmed;
  for (let gap = /\s+/.exec(rest); gap !== null && out.length < limit - 1; gap = /\s+/.exec(rest)) {
    out.push(rest.slice(0, gap.index));
    rest = rest.slice(gap.index + gap[0].length);
  }
  return rest === '' && out.length < limit - 1 ? out : [...out, rest];
}

function withoutEmptyEnd(parts: string[]): string[] {
  let end = parts.length;
  while (end > 0 && parts[end - 1] === '') end--;
  return end === parts.length ? parts : parts.slice(0, end);
}

/** Parts between the places of `pattern`; groups of a regex become parts too. An empty match splits between characters. */
function parts(text: string, pattern: Pattern, limit: number): string[] {
  const out: string[] = [];
  let end = 0;
  let pieces = 1;
  eachFound(text, pattern, (found) => {
    if (limit > 0 && pieces >= limit) return false;
    if (found.end === found.start && (found.start === 0 || found.start >= text.length)) return true;
    out.push(text.slice(end, found.start));
    for (const group of found.groups.slice(1)) if (group !== undefined) out.push(group);
    end = found.end;
    pieces++;
    return true;
  });
  out.push(text.slice(end));
  return out;
}

/** Ruby's split: nil and `" "` split at runs of blanks; empty parts at the end are dropped unless a limit is given. */
function split(text: string, pattern: Pattern | null, limit: number): string[] {
  if (text === '') return [];
  if (pattern === null || pattern === ' ') return words(text, limit);
  if (limit > 0) return parts(text, pattern, limit);
  const all = typeof pattern !== 'string' ? parts(text, pattern, limit) : pattern === '' ? characters(text) : text.split(pattern);
  return limit === 0 ? withoutEmptyEnd(all) : all;
}

function partition(text: string, found: Found | null, missing: string[]): Value {
  return found === null ? missing : [text.slice(0, found.start), text.slice(found.start, found.end), text.slice(found.end)];
}

function lastFound(text: string, pattern: Pattern): Found | null {
  if (typeof pattern !== 'string') return findAll(text, pattern).at(-1) ?? null;
  const start = text.lastIndexOf(pattern);
  return start < 0 ? null : { start, end: start + pattern.length, groups: [pattern], names: null };
}

export const splittingRows: readonly Row[] = [
  ['split', 'pattern: String|Regex? = nil, limit: Integer = 0', 'Vector', 'The parts between the places of a pattern, by default between blanks; at most `limit` parts when it is positive.', (_: unknown, text: string, pattern: Pattern | null, limit: Int) => split(text, pattern, Number(limit))],
  ['partition', 'pattern: String|Regex', 'Vector', 'The text before the first place of a pattern, that place, and the text behind it.', (_: unknown, text: string, pattern: Pattern) => partition(text, find(text, pattern, 0), [text, '', ''])],
  ['rpartition', 'pattern: String|Regex', 'Vector', 'The text before the last place of a pattern, that place, and the text behind it.', (_: unknown, text: string, pattern: Pattern) => partition(text, lastFound(text, pattern), ['', '', text])],
];
