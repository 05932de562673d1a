import { tokenize } from '../../compiler/layout/tokenize.js';
import { type Lexeme, lexemesOf } from '../../svcc/fmt/lexemes.js';
import type { Random } from '../vm/support/random.js';

/** Tokens after which a line may end. */
const MAY_END_LINE: ReadonlySet<string> = new Set([
  'COMMA', 'BINOP', 'ASGN', 'OPASGN', 'LPAREN', 'LCALL', 'LBRACK', 'LBRACE', 'LPARAM', 'LINDEX', 'LBLOCK', 'QMARK',
  'COLON', 'FATARROW', 'PIPE', 'THEN', 'ELSE', 'BEGIN', 'ENSURE',
]); // prettier-ignore
/** Tokens before which a line may end. */
const MAY_START_LINE: ReadonlySet<string> = new Set([
  'DOT',
  'RPAREN',
  'RBRACK',
  'RBRACE',
  'END',
  'ELSE',
  'ELSIF',
  'WHEN',
  'IN_CASE',
]);

/** A line break, with or without comments around it. */
function lineBreak(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return ' # one\n';
    case 1:
      return '\n  # two\n';
    case 2:
      return '# three\n\n\n # four\n';
    default:
      return '\n'.repeat(1 + random.below(3)) + ' '.repeat(random.below(5));
  }
}

/** What to insert between two tokens. */
function between(left: Lexeme, right: Lexeme, random: Random, rate: number): string {
  if (random.below(100) >= rate) return '';
  if (left.type === 'SEP' || right.type === 'SEP' || MAY_END_LINE.has(left.type) || MAY_START_LINE.has(right.type))
    return lineBreak(random);
  return ' '.repeat(random.below(3));
}

/**
 * Inserts line breaks, comments and blanks between the tokens of a program. Some results do not parse, or are other
 * programs.
 */
export function disturbed(text: string, random: Random, rate: number): string {
  const lexemes = lexemesOf(text, tokenize(text).tokens);
  let out = '';
  let from = 0;
  for (let i = 0; i + 1 < lexemes.length; i++) {
    const { end } = lexemes[i];
    const inserted = between(lexemes[i], lexemes[i + 1], random, rate);
    if (inserted === '') continue;
    out += text.slice(from, end) + inserted;
    from = end;
  }
  return out + text.slice(from);
}
