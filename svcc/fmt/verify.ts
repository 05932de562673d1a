import type { Token, TokenType } from '../../compiler/layout/token.js';
import { type Tokens, tokenize } from '../../compiler/layout/tokenize.js';
import { lexemesOf } from './lexemes.js';

/** Tokens that depend on line breaks, or on how a block is written. */
const LAYOUT: ReadonlySet<TokenType> = new Set<TokenType>(['SEP', 'THEN', 'END', 'RBRACE']);
/** Tokens that the formatter exchanges for others, with what stays the same. */
const SAME: Partial<Record<TokenType, (text: string) => string>> = {
  LBLOCK: () => 'do',
  DO_BLOCK: () => 'do',
  DEF: (text) => text.replace(/\s+/, ' '),
  MOD: (text) => text,
  IF: (text) => text,
  UNLESS: (text) => text,
};

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** A number for the tokens of a statement. A condition after a statement and one before it have the same. */
function fingerprint(tokens: readonly Token[], from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) {
    const { type, text, extra } = tokens[i];
    if (LAYOUT.has(type)) continue;
    const kind = SAME[type];
    sum = (sum + (kind === undefined ? hashOf(text, hashOf(type, extra.length)) : hashOf(kind(text), 1))) | 0;
  }
  return sum;
}

/** Whether a printed text has the tokens and comments of its source: guards programs against a bug of the formatter. */
export function isSameProgram(
  source: string,
  { tokens, ends }: Tokens,
  comments: readonly string[],
  text: string,
): boolean {
  if (text === source) return true;
  const printed = tokenize(text);
  if (printed.problems.length > 0 || printed.ends.length !== ends.length) return false;
  let [from, printedFrom] = [0, 0];
  for (let i = 0; i < ends.length; i++) {
    if (fingerprint(tokens, from, ends[i]) !== fingerprint(printed.tokens, printedFrom, printed.ends[i])) return false;
    from = ends[i];
    printedFrom = printed.ends[i];
  }
  const left = commentsOf(text, printed.tokens);
  return left.length === comments.length && left.every((comment, index) => comment === comments[index]);
}

/** The comments of a program, in their order. */
export function commentsOf(text: string, tokens: readonly Token[]): string[] {
  return lexemesOf(text, tokens).flatMap(({ comments }) => comments.map((comment) => comment.text));
}
