import { tokenize } from '../../compiler/layout/tokenize.js';
import type { Token } from '../../compiler/layout/token.js';
import type { Part } from '../../tools/textmate/registry.js';

/** What a character is part of. */
export type Class = 'string' | 'regex' | 'comment' | 'keyword' | 'number' | 'symbol' | 'other';

/** The class of each character of a text; blanks between tokens have none. */
export type Classes = (Class | undefined)[];

const KEYWORD_TYPES: ReadonlySet<string> = new Set(
  (
    'MOD RESCUE_MOD DEF IF UNLESS ELSIF ELSE WHILE FOR IN LOOP CASE WHEN IN_CASE GUARD BEGIN RESCUE ENSURE DO_LOOP ' +
    'DO_WHILE DO_BLOCK DO_CMD END RECORD INTERFACE IS ENUM ERRDECL CONST USE EXPORT AS'
  ).split(' '),
);
const WORD_OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'await']);
const JUMPS: ReadonlySet<string> = new Set(['return', 'break', 'next', 'raise', 'retry']);
const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'nil']);

/** Class of a token outside of strings with interpolations. `text` is what the source has at its place. */
function classOf({ type, text: value }: Token, text: string): Class {
  if (KEYWORD_TYPES.has(type)) return 'keyword';
  if (type === 'BINOP' || type === 'PREFIX') return WORD_OPERATORS.has(text) || JUMPS.has(text) ? 'keyword' : 'other';
  // `raise(…)` is a call for the grammar of the compiler, and a keyword for its readers.
  if (type === 'IDENT') return text === 'raise' ? 'keyword' : 'other';
  if (type !== 'LIT') return 'other';
  if (JUMPS.has(text) || CONSTANTS.has(text)) return 'keyword';
  if (/^-?[0-9]/.test(text)) return 'number';
  if (/^:["']/.test(text) || /^(["']|%w)/.test(text)) return 'string';
  if (text.startsWith(':')) return 'symbol';
  return value.startsWith('/') ? 'regex' : 'other';
}

/** The classes that the compiler's lexer finds, and whether it reported a problem. */
export function classesOfLexer(text: string): { classes: Classes; hasProblems: boolean } {
  const { tokens, problems } = tokenize(text);
  const classes: Classes = new Array(text.length);
  const fill = (start: number, end: number, found: Class): void => {
    for (let i = start; i < end; i++) classes[i] = found;
  };
  const open: Class[] = [];
  for (const token of tokens) {
    const { type, start, end } = token;
    const source = text.slice(start, end);
    if (type === 'STR_BEG') open.push(token.text === '/' ? 'regex' : 'string');
    if (type === 'STR_BEG' || type === 'TEXT' || type === 'STR_END') {
      // Both tokens of a heredoc have the place of its opener.
      fill(start, end, open.at(-1) as Class);
      if (type === 'STR_END') open.pop();
    } else if (end > start && type !== 'SEP' && type !== 'THEN')
      fill(source.startsWith('-') ? start + 1 : start, end, classOf(token, source));
  }
  fillGaps(text, tokens, fill);
  return { classes, hasProblems: problems.length > 0 };
}

const IN_GAP = /(?<comment>#[^\n]*)|(?<keyword>\b(?:then|do)\b)|(?<symbol>(?<= ):\w+)|./gs;

/** Comments have no tokens, and `then` and labels none with their text. Types are left without a class. */
function fillGaps(
  text: string,
  tokens: readonly Token[],
  fill: (start: number, end: number, found: Class) => void,
): void {
  const spans = tokens.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  let from = 0;
  for (const { start, end } of [...spans, { start: text.length, end: text.length }]) {
    for (const { index, groups = {} } of start > from ? text.slice(from, start).matchAll(IN_GAP) : []) {
      for (const found of ['comment', 'keyword', 'symbol'] as const)
        if (groups[found] !== undefined) fill(from + index, from + index + groups[found].length, found);
    }
    from = Math.max(from, end);
  }
}

/** The classes that the grammar finds. */
export function classesOfGrammar(text: string, parts: readonly Part[]): Classes {
  const classes: Classes = new Array(text.length);
  for (const { start, end, scopes } of parts) classes.fill(classOfScopes(scopes), start, Math.min(end, text.length));
  return classes;
}

const CLASS_OF_SCOPE: readonly [RegExp, Class][] = [
  [/^string\.regexp/, 'regex'],
  [/^string\.|^constant\.other\.symbol\.quoted/, 'string'],
  [/^comment\./, 'comment'],
  [/^constant\.numeric/, 'number'],
  [/^constant\.other\.symbol\.svc$/, 'symbol'],
  [
    /^(keyword\.(control|operator\.word)|storage\.(type|modifier)(?!\.function\.arrow|\.string|\.needs)|constant\.language)/,
    'keyword',
  ],
  [/^meta\.embedded/, 'other'],
];

function classOfScopes(scopes: readonly string[]): Class {
  const inner = scopes.slice(scopes.findLastIndex((scope) => /^meta\.embedded/.test(scope)) + 1);
  const inString = inner.some((scope) => /^string\./.test(scope));
  for (const scope of scopes.toReversed()) {
    const found = CLASS_OF_SCOPE.find(([pattern]) => pattern.test(scope))?.[1];
    if (found === undefined || (inString && found === 'comment')) continue;
    if (found === 'keyword' && inString && scope.includes('regexp')) continue;
    return found;
  }
  return 'other';
}

/** Offsets at which the grammar finds another class than the lexer. */
export function disagreements(text: string, lexer: Classes, grammar: Classes): number[] {
  const found: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const isBlank = /\s/.test(text[i]);
    if (lexer[i] === undefined || lexer[i] === grammar[i] || text[i] === '\n' || text[i] === '\r') continue;
    if (isBlank && lexer[i] !== 'string' && lexer[i] !== 'regex' && lexer[i] !== 'comment') continue;
    found.push(i);
  }
  return found;
}
