import type { Token, TokenType } from '../layout/token.js';

const NAMES: Partial<Record<TokenType, string>> = {
  SEP: 'the end of the line',
  THEN: 'a new line or `then`',
  END: '`end`',
  RPAREN: '`)`',
  RBRACK: '`]`',
  RBRACE: '`}`',
  COMMA: '`,`',
  ASGN: '`=`',
  COLON: '`:`',
  IN: '`in`',
  PIPE: '`|`',
  WHEN: '`when`',
  IN_CASE: '`in`',
  GUARD: '`if`',
  IDENT: 'a name',
  FATARROW: '`=>`',
  STR_END: 'the closing quote',
  DO_WHILE: '`while`',
  LPARAM: '`(`',
  LCALL: '`(`',
  LPAREN: '`(`',
  IEND: '`}`',
  ELSE: '`else`',
  ELSIF: '`elsif`',
  RESCUE: '`rescue`',
  ENSURE: '`ensure`',
  LBLOCK: '`{`',
  DO_BLOCK: '`do`',
  LABEL: 'a name with `:`',
  TLABEL: 'a name with `:`',
  AS: '`as`',
  LT: '`<`',
  LIT: 'a literal',
  SPLAT: '`*`',
  LBRACK: '`[`',
  LINDEX: '`[`',
  LBRACE: '`{`',
  LDESTR: '`{`',
  STR_BEG: 'a string',
  TEXT: 'text',
  IBEG: '`#{`',
  LAMBDA: '`->`',
  DOT: '`.`',
  QMARK: '`?`',
  BINOP: 'an operator',
  PREFIX: 'an operator',
  OPASGN: '`=`',
  MOD: '`if`',
  RESCUE_MOD: '`rescue`',
  DO_CMD: '`do`',
  DO_LOOP: '`do`',
  ERRDECL: '`error`',
  USE: '`require`',
};

/** Types that are summarised as "an expression" when all of them are expected. */
const STARTS_EXPRESSION: readonly TokenType[] = [
  'LIT',
  'IDENT',
  'LPAREN',
  'LBRACK',
  'LBRACE',
  'STR_BEG',
  'LAMBDA',
  'IF',
  'UNLESS',
  'CASE',
  'BEGIN',
  'WHILE',
  'FOR',
  'LOOP',
  'PREFIX',
  'LABEL',
  'SPLAT',
  'DEF',
  'DO_LOOP',
  'RECORD',
  'INTERFACE',
  'EXPORT',
  'ENUM',
  'ERRDECL',
  'CONST',
  'USE',
  'LDESTR',
];
const OPERATORS: readonly TokenType[] = [
  'BINOP',
  'DOT',
  'QMARK',
  'LCALL',
  'LINDEX',
  'DO_BLOCK',
  'LBLOCK',
  'MOD',
  'RESCUE_MOD',
  'OPASGN',
  'ASGN',
  'DO_CMD',
];
/** Tokens without text, which the layout pass inserts. */
const INSERTED: readonly TokenType[] = ['ARGS', 'MULTI', 'VALUES', 'ERROR'];
const MODIFIERS: readonly TokenType[] = ['MOD', 'RESCUE_MOD'];
const ORDER: readonly TokenType[] = [
  'COMMA',
  'RPAREN',
  'RBRACK',
  'RBRACE',
  'IEND',
  'PIPE',
  'COLON',
  'IN',
  'THEN',
  'WHEN',
  'END',
  'SEP',
];

/** The expected tokens in words: the likeliest first, at most four. */
export function expectedWords(types: ReadonlySet<TokenType>): string[] {
  const rest = new Set(types);
  for (const type of INSERTED) rest.delete(type);
  const words: string[] = [];
  if (rest.has('LIT') && rest.has('LBRACK')) {
    words.push('an expression');
    for (const type of STARTS_EXPRESSION) rest.delete(type);
  }
  // `if` and `rescue` may follow every statement.
  if (rest.has('SEP')) for (const type of MODIFIERS) rest.delete(type);
  const operators = rest.has('BINOP') && rest.has('DOT');
  if (operators) for (const type of OPERATORS) rest.delete(type);
  const closers = [...rest].sort((a, b) => rank(a) - rank(b)).map((type) => NAMES[type] ?? `\`${type.toLowerCase()}\``);
  words.push(...new Set(closers));
  if (operators && (words.length === 0 || (words.length === 1 && rest.has('SEP')))) words.unshift('an operator');
  return words.slice(0, 4);
}

function rank(type: TokenType): number {
  const place = ORDER.indexOf(type);
  return place < 0 ? ORDER.length : place;
}

/** `a`, `a or b`, `a, b or c`. */
export function anyOf(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The name of a token in messages. */
export function shown(token: Token | undefined): string {
  if (token === undefined) return 'end of the file';
  if (token.type === 'STR_BEG') return 'string';
  if (token.type === 'LABEL' || token.type === 'TLABEL') return `\`${token.text}:\``;
  if (token.text === '' || token.text === '\n' || token.type === 'MULTI') return 'end of the line';
  if (token.text.length > 30 || token.text.includes('\n')) return token.type === 'LIT' ? 'literal' : 'text';
  return `\`${token.text}\``;
}

const CONSTRUCTS: Partial<Record<TokenType, string>> = {
  LCALL: 'the arguments',
  LPAREN: 'the parentheses',
  LPARAM: 'the parameters',
  LBRACK: 'the vector',
  LINDEX: 'the index',
  LBRACE: 'the hash',
  LDESTR: 'the names',
  STR_BEG: 'the string',
  IBEG: 'the interpolation',
  PIPE: 'the block parameters',
  LAMBDA: 'the lambda',
};

/** The name of the construct that `opener` starts; empty if it needs none. */
export function construct(opener: Token): string {
  return CONSTRUCTS[opener.type] ?? '';
}
