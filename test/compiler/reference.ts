import nearley from 'nearley';
import { rules, start } from '../../compiler/generated/grammar.js';
import type { Token } from '../../compiler/layout/token.js';

class TokenLexer {
  private index = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  next(): Token | undefined {
    return this.tokens[this.index++];
  }

  reset(): void {}

  save(): object {
    return {};
  }

  formatError(): string {
    return '';
  }
}

const GRAMMAR = nearley.Grammar.fromCompiled({
  ParserStart: start,
  ParserRules: rules,
  Lexer: undefined,
} as unknown as nearley.CompiledRules);

/** All parses of the tokens of one statement that nearley finds without lookahead; empty if it fails. */
export function plainParses(tokens: readonly Token[]): unknown[] {
  const lexer = new TokenLexer(tokens) as unknown as nearley.Lexer;
  const parser = new nearley.Parser(GRAMMAR, { lexer });
  try {
    parser.feed('');
  } catch (error) {
    if ('offset' in (error as object)) return [];
    throw error;
  }
  return parser.results as unknown[];
}
