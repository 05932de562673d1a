/** What the grammar sees. The layout pass has settled by then what each word and sign means at its place. */
export type TokenType =
  // values: `LIT` is a literal without interpolation, or a bare `return`, `raise` …; `LABEL` is `name:`, `TLABEL` one with a type annotation
  | 'LIT'
  | 'IDENT'
  | 'LABEL'
  | 'TLABEL'
  | 'STR_BEG'
  | 'TEXT'
  | 'IBEG'
  | 'IEND'
  | 'STR_END'
  // brackets by what they open
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
  // `ARGS` stands before the arguments of a call without parentheses, `MULTI` before several targets; `MOD` is a postfix `if`;
  // `SEP` ends every statement, `THEN` every header
  | 'ARGS'
  | 'MULTI'
  | 'MOD'
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
  | 'BEGIN'
  | 'RESCUE'
  | 'ENSURE'
  | 'DO_LOOP'
  | 'DO_WHILE'
  | 'DO_BLOCK'
  | 'DO_CMD'
  | 'END'
  | 'RECORD'
  | 'ENUM'
  | 'ERRDECL'
  | 'CONST'
  | 'USE'
  | 'AS';

/**
 * A word of the program. `extra` carries what the grammar need not know: doc comment of a `DEF`, label of a loop or jump, type of a
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

/** After these an operator may follow. */
export const ENDS_VALUE: ReadonlySet<TokenType> = new Set<TokenType>([
  'IDENT',
  'LIT',
  'RPAREN',
  'RBRACK',
  'RBRACE',
  'END',
  'STR_END',
]);

/** After these a statement goes on in the next line. */
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
