import type { RawToken } from '../lexer.js';
import { parenthesisHoldsArguments } from './commands.js';
import type { Layout } from './layout.js';
import { oneLineDef } from './onelinedef.js';
import { endOperand, nameRest } from './patterns.js';
import { PATTERN, type Token } from './token.js';

const OPENS_BLOCK: ReadonlySet<string> = new Set(['DO_BLOCK', 'DO_CMD', 'LBLOCK']);
const NUMBER_WITH_METHOD = /[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+|d)?(?=&?\.[A-Za-z_\u0080-\uffff])/y;
/** Text after a `..` without an upper end. */
const NO_UPPER_END =
  /[ \t]*(?:[)\]},;\n\r#]|\|>|(?:then|do|if|unless|while|until|and|or)(?![\w\u0080-\uffff?!])|(?![^]))/y;
/** Operators that end a pattern inside an expression. */
const ENDS_PATTERN: ReadonlySet<string> = new Set(['and', 'or', '&&', '||']);

/** Emits signs that are operators in one place and something else in another. */
export function operator(layout: Layout, raw: RawToken): void {
  if ((raw.text === '|' || raw.text === '||') && pipe(layout, raw)) return;
  if (layout.endsValue()) binary(layout, raw);
  else prefix(layout, raw);
}

/** Emits the bars of `|a, b|`; false if the sign is an operator. */
function pipe(layout: Layout, raw: RawToken): boolean {
  const { top, prev } = layout;
  const opens = prev !== null && prev === top.opener && OPENS_BLOCK.has(prev.type);
  if (!opens && !top.pipes) return false;
  if (raw.text === '||' && !opens) return false;
  layout.emit('PIPE', { text: '|', offset: raw.offset });
  if (raw.text === '||') layout.emit('PIPE', { text: '|', offset: raw.offset + 1 });
  top.pipes = opens && raw.text === '|';
  if (!top.pipes) layout.startStatement();
  return true;
}

/** Emits an infix operator, words included. */
export function binary(layout: Layout, raw: RawToken): void {
  const { top, tokens } = layout;
  if (ENDS_PATTERN.has(raw.text)) endOperand(layout);
  if (raw.text === '<' && tokens[tokens.length - 2]?.type === 'ERRDECL') {
    layout.emit('LT', raw);
    return;
  }
  const isAlternative = raw.text === '|' && top.pattern !== null;
  const token = layout.emit(raw.text === '!' ? 'PREFIX' : 'BINOP', raw, isAlternative ? PATTERN : '');
  if (raw.text === '**') layout.nest(token, 'run');
  else top.run = 0;
  if (raw.text === 'and' || raw.text === 'or' || raw.text === '&&' || raw.text === '||') top.chain = top.open;
}

function prefix(layout: Layout, raw: RawToken): void {
  switch (raw.text) {
    case '*':
    case '**':
      parenthesisHoldsArguments(layout);
      if (layout.prev?.type === 'ASGN') startValues(layout);
      layout.emit('SPLAT', raw);
      break;
    case '-':
      if (!negativeNumber(layout, raw)) layout.nest(layout.emit('PREFIX', raw), 'run');
      break;
    case '+':
      if (isIncrement(layout, raw)) return;
      layout.nest(layout.emit('PREFIX', raw), 'run');
      break;
    case '!':
    case '~':
      layout.nest(layout.emit('PREFIX', raw), 'run');
      break;
    case '^':
      if (layout.top.pattern === null) layout.emit('BINOP', raw);
      else pin(layout, raw);
      break;
    case '&':
      blockArgument(layout, raw);
      break;
    default:
      layout.emit('BINOP', raw);
  }
}

/** The rest of `&.upcase`, which is the same as `&:upcase`. */
const METHOD = /\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?)/y;

/** `&` before the last argument: a function that is passed as the block. */
function blockArgument(layout: Layout, raw: RawToken): void {
  const { kind } = layout.top;
  if (kind !== 'params') {
    parenthesisHoldsArguments(layout);
    layout.emit('SPLAT', raw);
    METHOD.lastIndex = layout.lexer.index;
    const method = METHOD.exec(layout.text);
    if (method === null) return;
    layout.lexer.index += method[0].length;
    layout.emit('LIT', { text: `:${method[1]}`, offset: raw.offset + 1 });
    return;
  }
  layout.report(
    'block-pass',
    'a parameter for a block has no `&` in Svc',
    raw.offset,
    raw.offset + 1,
    [],
    'name it without `&`: a block arrives as the last argument',
  );
}

/** `^` before a value in a pattern. */
function pin(layout: Layout, raw: RawToken): void {
  layout.nest(layout.emit('PREFIX', raw), 'run');
}

/** The second sign of `++x`, which would be read as `x`. */
function isIncrement(layout: Layout, raw: RawToken): boolean {
  const { prev, text } = layout;
  if (prev?.type !== 'PREFIX' || prev.text !== '+' || prev.end !== raw.offset) return false;
  const name = /^\w+/.exec(text.slice(raw.offset + 1, raw.offset + 50))?.[0] ?? 'x';
  layout.report('no-operator', 'Svc has no `++`', prev.start, raw.offset + 1, [], `write \`${name} += 1\``);
  return true;
}

/** `-2.abs` calls a method of -2, as in Ruby, although `-2 ** 2` negates a square. */
function negativeNumber(layout: Layout, raw: RawToken): boolean {
  NUMBER_WITH_METHOD.lastIndex = raw.offset + 1;
  const match = NUMBER_WITH_METHOD.exec(layout.text);
  if (match === null) return false;
  layout.lexer.index += match[0].length;
  layout.emit('LIT', { text: `-${match[0]}`, offset: raw.offset });
  return true;
}

const NAME = /[A-Za-z_\u0080-\uffff]/y;

/** `[...xs]` and `f(...xs)` of JavaScript, which are no ranges. */
function isSpread({ top, lexer, text }: Layout, raw: RawToken): boolean {
  NAME.lastIndex = lexer.index;
  return raw.text === '...' && ['vector', 'call', 'hash'].includes(top.kind) && NAME.test(text);
}

/** Emits `..` and `...`, with placeholders for missing ends. */
export function range(layout: Layout, raw: RawToken): void {
  if (!layout.endsValue() && !isSpread(layout, raw)) layout.emit('LIT', { text: '', offset: raw.offset });
  layout.emit('BINOP', raw);
  layout.top.run = 0;
  NO_UPPER_END.lastIndex = layout.lexer.index;
  if (NO_UPPER_END.test(layout.text)) layout.emit('LIT', { text: '', offset: layout.lexer.index });
}

/** Prefix words: `not`, and `await` before an operand. */
export function prefixWord(layout: Layout, raw: RawToken): void {
  layout.nest(layout.emit('PREFIX', raw), raw.text === 'not' ? 'rights' : 'run');
}

/** Emits `=` and its variants. The names on the left become variables. */
export function assignment(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (raw.text === '=' && top.kind === 'def' && top.header) {
    layout.lexer.index = raw.offset;
    oneLineDef(layout);
    return;
  }
  declareTargets(layout);
  const assigns = top.statements && !top.pipes && !top.header && top.command === null;
  if (assigns && top.commas > 0) startMulti(layout);
  else if (assigns && raw.text === '=') top.assigns = isFirstAssignment(layout);
  layout.nest(layout.emit(raw.text === '=' ? 'ASGN' : 'OPASGN', raw), 'rights');
}

/** Whether a statement so far is only the target of an assignment. */
function isFirstAssignment({ tokens, top }: Layout): boolean {
  for (let i = top.first; i < tokens.length; i++) {
    const { type } = tokens[i];
    if (type === 'ASGN' || type === 'OPASGN' || type === 'MULTI' || type === 'CONST' || type === 'LDESTR') return false;
  }
  return tokens.length > top.first;
}

/** Marks an assignment of several values to one target: `a = 1, 2` and `a = *list`. */
function startValues(layout: Layout): void {
  const { top } = layout;
  if (!top.assigns || top.command !== null) return;
  layout.insert('VALUES', top.first);
  top.assigns = false;
}

/** Marks an assignment with several targets. In `a, b = c, d = e` only the first `=` has several. */
function startMulti(layout: Layout): void {
  const { top, tokens } = layout;
  if (tokens[top.first]?.type !== 'MULTI') layout.insert('MULTI', top.first);
}

const IN_TARGETS: ReadonlySet<string> = new Set([
  'IDENT',
  'COMMA',
  'SPLAT',
  'LPAREN',
  'RPAREN',
  'LDESTR',
  'RBRACE',
  'LABEL',
]);

function declareTargets({ tokens, names }: Layout): void {
  let last: Token | undefined;
  for (let i = tokens.length - 1, left = 40; i >= 0 && left > 0; i--, left--) {
    const token = tokens[i];
    if (!IN_TARGETS.has(token.type)) break;
    if (token.type === 'IDENT' && last?.type !== 'IDENT') names.declare(token.text);
    else if (token.type === 'LABEL') names.declare(token.text);
    last = token;
  }
}

export function comma(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  parenthesisHoldsArguments(layout);
  nameRest(layout);
  endOperand(layout);
  startValues(layout);
  layout.emit('COMMA', raw);
  top.commas++;
  top.open = false;
  top.rights = 0;
  top.run = 0;
}

export function question(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  endOperand(layout);
  layout.nest(layout.emit('QMARK', raw), 'rights');
  top.ternaries++;
  top.open = false;
}

export function colon(layout: Layout, raw: RawToken): void {
  layout.emit('COLON', raw);
  if (layout.top.ternaries > 0) layout.top.ternaries--;
}
