import { Regex } from '../../../vm/values/compound.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { compileRegex } from '../../../vm/values/regex.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { functions, methodsOf, type Row } from '../declare.js';
import { findAll, hasGroups, occurs, searchAll, type Pattern } from './engine.js';
import { matchMethods, matchValue, MatchValue } from './match.js';
import { replaceAll, replaceFirst, type Replacement } from './replace.js';

function regex(source: string, flags: string): Regex {
  if (/[^imsx]/.test(flags)) fail(Errors.ValueError, `regex(): flags are letters of "imsx", got "${flags}"`);
  return compileRegex(source, [...new Set(flags)].sort().join(''));
}

/** Text and pattern in either order: `match(text, /x/)` and `match(/x/, text)` say the same. */
function inOrder(text: Value, pattern: Value, name: string): [string, Pattern] {
  if (typeof text === 'string') return [text, pattern as Pattern];
  return typeof pattern === 'string' ? [pattern, text as Pattern] : fail(Errors.TypeError, `${name}() needs a String to search in, got two Regex`);
}

function matchAll(text: string, pattern: Pattern): Value[] {
  return findAll(text, pattern).map((found) => new MatchValue(text, pattern, found));
}

/** Texts of all matches; a vector of groups for each when the expression has groups. */
function scan(text: string, pattern: Pattern): Value[] {
  if (pattern instanceof Regex && !hasGroups(pattern)) return searchAll(pattern, text, (form) => text.match(form)) ?? [];
  return findAll(text, pattern).map(({ groups }): Value => (groups.length === 1 ? (groups[0] as string) : groups.slice(1).map((group) => group ?? null)));
}

/** Methods of String that take a pattern. */
export const patternRows: readonly Row[] = [
  ['match', 'pattern: String|Regex', 'Match?', 'The first match of a pattern, or nil.', (_: unknown, text: string, pattern: Pattern) => matchValue(text, pattern)],
  ['match?', 'pattern: String|Regex', 'Boolean', 'Whether a pattern occurs in the text.', (_: unknown, text: string, pattern: Pattern) => occurs(text, pattern)],
  ['match_all', 'pattern: String|Regex', 'Vector', 'All matches of a pattern.', (_: unknown, text: string, pattern: Pattern) => matchAll(text, pattern)],
  ['scan', 'pattern: String|Regex', 'Vector', 'Texts of all matches, or vectors of their groups when the pattern has groups.', (_: unknown, text: string, pattern: Pattern) => scan(text, pattern)],
  ['sub', 'pattern: String|Regex, replacement: String|Hash', 'String', 'The text with the first match replaced; `\\1` or `\\k<name>` in the replacement stand for groups.', (_: unknown, text: string, pattern: Pattern, replacement: Replacement) => replaceFirst(text, pattern, replacement)],
  ['gsub replace', 'pattern: String|Regex, replacement: String|Hash', 'String', 'The text with all matches replaced; `\\1` or `\\k<name>` in the replacement stand for groups.', (_: unknown, text: string, pattern: Pattern, replacement: Replacement) => replaceAll(text, pattern, replacement)],
];

const regexMethods = methodsOf('Regex', [
  ['match', 'text: String?', 'Match?', 'The first match in a text, or nil.', (_: unknown, pattern: Regex, text: string | null) => (text === null ? null : matchValue(text, pattern))],
  ['match?', 'text: String?', 'Boolean', 'Whether the expression matches a part of a text.', (_: unknown, pattern: Regex, text: string | null) => text !== null && occurs(text, pattern)],
  ['source', '', 'String', 'The expression as it was written.', (_: unknown, pattern: Regex) => pattern.source],
  ['flags', '', 'String', 'Letters of the flags.', (_: unknown, pattern: Regex) => pattern.flags],
]);

/** The functions of regular expressions, and the methods of Regex. */
export const regularExpressions: readonly NativeFunction[] = [
  ...functions([
    ['regex', 'source: String, flags: String = ""', 'Regex', 'Makes a regular expression of a text and flags of "imsx".', (_: unknown, source: string, flags: string) => regex(source, flags)],
    ['match', 'text: String|Regex, pattern: String|Regex', 'Match?', 'The first match of a pattern in a text, or nil.', (_: unknown, a: Value, b: Value) => matchValue(...inOrder(a, b, 'match'))],
    ['match_all', 'text: String|Regex, pattern: String|Regex', 'Vector', 'All matches of a pattern in a text.', (_: unknown, a: Value, b: Value) => matchAll(...inOrder(a, b, 'match_all'))],
    ['matches', 'text: String|Regex, pattern: String|Regex', 'Boolean', 'Whether a pattern occurs in a text.', (_: unknown, a: Value, b: Value) => occurs(...inOrder(a, b, 'matches'))],
    ['sub', 'text: String, pattern: String|Regex, replacement: String|Hash', 'String', 'A text with the first match of a pattern replaced.', (_: unknown, text: string, pattern: Pattern, replacement: Replacement) => replaceFirst(text, pattern, replacement)],
    ['gsub', 'text: String, pattern: String|Regex, replacement: String|Hash', 'String', 'A text with all matches of a pattern replaced.', (_: unknown, text: string, pattern: Pattern, replacement: Replacement) => replaceAll(text, pattern, replacement)],
  ]),
  ...regexMethods,
];

/** Methods of match results; kept apart since their type owns them. */
export { matchMethods };
