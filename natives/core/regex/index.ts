import { STEP } from '../../../vm/values/steps.js';
import { Regex } from '../../../vm/values/structured.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { compileRegex, globalForm, groupCount, searchesAtOnce } from '../../../vm/values/regex/index.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, methodsOf, methodsOfType, type Row } from '../declare.js';
import { harvested, whetherOccurs, type Found, type Pattern } from './engine.js';
import { matchMethods, matchValue, MatchValue } from './match.js';
import { made } from '../strings/stepwise.js';
import { replaceAll, replaceFirst, type Replacement } from './replace.js';

function regex(source: string, flags: string): Regex {
  if (/[^imsx]/.test(flags)) fail(Errors.ValueError, `regex(): flags are letters of "imsx", got "${flags}"`);
  return compileRegex(source, [...new Set(flags)].sort().join(''));
}

/** Accepts text and pattern in either order: `match(text, /x/)` and `match(/x/, text)` are equivalent. */
function inOrder(text: Value, pattern: Value, name: string): [string, Pattern] {
  if (typeof text === 'string') return [text, pattern as Pattern];
  return typeof pattern === 'string'
    ? [pattern, text as Pattern]
    : fail(Errors.TypeError, `${name}() needs a String to search in, got two Regex`);
}

function matchAll(vm: NativeContext, text: string, pattern: Pattern): Value | undefined {
  return harvested(vm, 'match_all', text, pattern, {
    visit: (found, out) => out.add(new MatchValue(text, pattern, found)),
  });
}

/** Texts of all matches; a vector of groups for each when the expression has groups. */
function scan(vm: NativeContext, text: string, pattern: Pattern): Value | undefined {
  if (pattern instanceof Regex && text.length <= STEP && searchesAtOnce(pattern, text) && groupCount(pattern) === 0) {
    const form = globalForm(pattern, text);
    if (form !== null) return text.match(form) ?? [];
  }
  return harvested(vm, 'scan', text, pattern, { visit: (found, out) => out.add(scanned(found)) });
}

function scanned({ groups }: Found): Value {
  return groups.length === 1 ? (groups[0] as string) : groups.slice(1).map((group) => group ?? null);
}

/** Methods of String that take a pattern. */
// prettier-ignore
export const patternRows: readonly Row[] = [
  ['match', 'pattern: String|Regex', 'Match?', 'The first match of a pattern, or nil.', (vm: NativeContext, text: string, pattern: Pattern) => matchValue(vm, text, pattern)],
  ['match?', 'pattern: String|Regex', 'Boolean', 'Whether a pattern occurs in the text.', (vm: NativeContext, text: string, pattern: Pattern) => whetherOccurs(vm, 'match?', text, pattern)],
  ['match_all', 'pattern: String|Regex', 'Vector', 'All matches of a pattern.', (vm: NativeContext, text: string, pattern: Pattern) => matchAll(vm, text, pattern)],
  ['scan', 'pattern: String|Regex', 'Vector', 'Texts of all matches; vectors of their groups if the pattern has groups.', (vm: NativeContext, text: string, pattern: Pattern) => scan(vm, text, pattern)],
  ['sub', 'pattern: String|Regex, replacement: String|Hash', 'String', 'The text with the first match replaced; `\\1` or `\\k<name>` in the replacement insert groups.', replaceFirst],
  ['gsub replace', 'pattern: String|Regex, replacement: String|Hash', 'String', 'The text with all matches replaced; `\\1` or `\\k<name>` in the replacement insert groups.', replaceAll],
];

// prettier-ignore
const regexMethods = methodsOf('Regex', [
  ['match', 'text: String?', 'Match?', 'The first match in a text, or nil.', (vm: NativeContext, pattern: Regex, text: string | null) => (text === null ? null : matchValue(vm, text, pattern))],
  ['match?', 'text: String?', 'Boolean', 'Whether the expression matches a part of a text.', (vm: NativeContext, pattern: Regex, text: string | null) => (text === null ? false : whetherOccurs(vm, 'match?', text, pattern))],
  ['source', '', 'String', 'The expression as written.', (_: unknown, pattern: Regex) => pattern.source],
  ['flags', '', 'String', 'Letters of the flags.', (_: unknown, pattern: Regex) => pattern.flags],
]);

/** Characters that mean something in an expression: `-` in a class, blanks and `#` with the flag x. */
const SPECIAL = /[\\^$.*+?()[\]{}|\-# \t\n\v\f\r]/g;

const ESCAPED_BLANKS: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\v': '\\v',
};

/** The text of an expression that matches a text as it stands. */
function escape(vm: NativeContext, text: string): Value | undefined {
  return made(vm, 'Regex.escape', text, (part) => part.replace(SPECIAL, (c) => ESCAPED_BLANKS[c] ?? `\\${c}`));
}

/** Methods of the type Regex itself. */
// prettier-ignore
export const regexTypeMethods = methodsOfType('Regex', [
  ['escape', 'text: String', 'String', 'The expression, as a text, that matches a text as it stands: `/#{Regex.escape(word)}/`.', (vm: NativeContext, _type: unknown, text: string) => escape(vm, text)],
]);

/** Functions of regular expressions, and the methods of Regex. */
// prettier-ignore
export const regularExpressions: readonly NativeFunction[] = [
  ...functions([
    ['regex', 'source: String, flags: String = ""', 'Regex', 'Makes a regular expression from a text and flags among "imsx".', (_: unknown, source: string, flags: string) => regex(source, flags)],
    ['match', 'text: String|Regex, pattern: String|Regex', 'Match?', 'The first match of a pattern in a text, or nil.', (vm: NativeContext, a: Value, b: Value) => matchValue(vm, ...inOrder(a, b, 'match'))],
    ['match_all', 'text: String|Regex, pattern: String|Regex', 'Vector', 'All matches of a pattern in a text.', (vm: NativeContext, a: Value, b: Value) => matchAll(vm, ...inOrder(a, b, 'match_all'))],
    ['matches', 'text: String|Regex, pattern: String|Regex', 'Boolean', 'Whether a pattern occurs in a text.', (vm: NativeContext, a: Value, b: Value) => whetherOccurs(vm, 'matches', ...inOrder(a, b, 'matches'))],
    ['sub', 'text: String, pattern: String|Regex, replacement: String|Hash', 'String', 'A text with the first match of a pattern replaced.', (vm: NativeContext, text: string, pattern: Pattern, replacement: Replacement) => replaceFirst(vm, text, pattern, replacement)],
    ['gsub', 'text: String, pattern: String|Regex, replacement: String|Hash', 'String', 'A text with all matches of a pattern replaced.', (vm: NativeContext, text: string, pattern: Pattern, replacement: Replacement) => replaceAll(vm, text, pattern, replacement)],
  ]),
  ...regexMethods,
];

/** Methods of match results; kept apart since their type owns them. */
export { matchMethods };
