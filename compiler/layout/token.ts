/**
 * The token types of the grammar. The layout pass has already resolved what each word and sign means in its context.
 */
export type TokenType =
  // values: `LIT` is a literal without interpolation, or a bare `return`, `raise` …; `LABEL` is `name:`, `TLABEL` one
  // with a type annotation
  | 'LIT'
  | 'IDENT'
  | 'LABEL'
  | 'TLABEL'
  | 'STR_BEG'
  | 'TEXT'
  | 'IBEG'
  | 'IEND'
  | 'STR_END'
  // brackets, by what they open
  | 'LPAREN'
  | 'LCALL'
  | 'LPARAM'
  | 'LBRACK'
  | 'LINDEX'
  | 'LBRACE'
  | 'LDESTR'
  | 'LBLOCK'
  | 'RPAREN'
  | 'RBRACK'
  | 'RBRACE'
  | 'COMMA'
  | 'DOT'
  | 'ASGN'
  | 'OPASGN'
  | 'BINOP'
  | 'PREFIX'
  | 'SPLAT'
  | 'QMARK'
  | 'COLON'
  | 'FATARROW'
  | 'PIPE'
  | 'LT'
  | 'LAMBDA'
  // `ARGS` precedes the arguments of a call without parentheses, `MULTI` several targets, `VALUES` one
  // with several values; `MOD` is a postfix `if`, `RESCUE_MOD` a postfix `rescue`;
  // `SEP` ends every statement, `THEN` every header
  | 'ARGS'
  | 'MULTI'
  | 'MOD'
  | 'RESCUE_MOD'
  | 'VALUES'
  | 'SEP'
  | 'THEN'
  | 'ERROR'
  | 'DEF'
  | 'IF'
  | 'UNLESS'
  | 'ELSIF'
  | 'ELSE'
  | 'WHILE'
  | 'FOR'
  | 'IN'
  | 'LOOP'
  | 'CASE'
  | 'WHEN'
  // `in` before a pattern of `case`, and the `if` behind it
  | 'IN_CASE'
  | 'GUARD'
  | 'BEGIN'
  | 'RESCUE'
  | 'ENSURE'
  | 'DO_LOOP'
  | 'DO_WHILE'
  | 'DO_BLOCK'
  | 'DO_CMD'
  | 'END'
  | 'RECORD'
  | 'INTERFACE'
  | 'IS'
  | 'ENUM'
  | 'ERRDECL'
  | 'CONST'
  | 'USE'
  | 'EXPORT'
  | 'AS';

/**
 * A token. `extra` holds what the grammar does not need: doc comment of a `DEF`, label of a loop or jump, type of a
 * `TLABEL`, return type of a `THEN`, type of the opener of a closing bracket.
 */
export class Token {
  type: TokenType;
  text: string;
  readonly start: number;
  readonly end: number;
  extra: string;

  constructor(type: TokenType, text: string, start: number, end: number, extra = '') {
    this.type = type;
    this.text = text;
    this.start = start;
    this.end = end;
    this.extra = extra;
  }
}

/** `extra` of a `|` between patterns, which binds more loosely than the one between values. */
export const PATTERN = 'pattern';

/** `extra` of a string that is HTML: `html"…"`. */
export const HTML = 'html';

/** Tokens after which an operator may follow. */
export const ENDS_VALUE: ReadonlySet<TokenType> = new Set<TokenType>([
  'IDENT',
  'LIT',
  'RPAREN',
  'RBRACK',
  'RBRACE',
  'END',
  'STR_END',
]);

/** Tokens after which a statement continues on the next line. */
export const CONTINUES: ReadonlySet<TokenType> = new Set<TokenType>([
  'BINOP',
  'COMMA',
  'ASGN',
  'OPASGN',
  'DOT',
  'PREFIX',
  'SPLAT',
  'QMARK',
  'COLON',
  'FATARROW',
  'IN',
  'LT',
]);
