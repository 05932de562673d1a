import type { RawToken } from '../lexer.js';
import type { Layout } from './layout.js';
import { Token, type TokenType } from './token.js';

// Words that continue or end a statement, so they cannot start an argument.
const NO_ARGUMENT =
  '(?!(?:and|or|if|unless|while|until|do|end|then|in|rescue|ensure|else|elsif|when|as|is(?=[ \\t]+(?:[a-z_]\\w*\\.)*[A-Z]))(?![\\w\\u0080-\\uffff?!]|:(?!:)))';
/** Always starts an argument, whatever comes before it. */
const ARGUMENT = new RegExp(
  `[ \\t]+${NO_ARGUMENT}(?:["'\\w\\u0080-\\uffff]|:["A-Za-z_\\u0080-\\uffff]|->|!(?![=~])|~(?=[\\w(])|%w[\\[({]|<<~["'A-Z_])`,
  'y',
);
/** Starts an argument unless the word before it is a variable: `xs [0]`, `n -1`. */
const ARGUMENT_OF_CALL =
  /[ \t]+(?:[[(]|-(?![\s=>])|\+(?![\s=])|\*{1,2}(?![\s=*])|\/(?![\s=/])[^\n/]{0,500}\/|<<-?["'A-Z_])/y;
const HASH = /[ \t]+\{(?=[ \t]*(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?:(?!:)|"[^"\n]*"[ \t]*(?::|=>)|\*\*))/y;
const BRACE = /[ \t]+\{(?![ \t]*\|)/y;
/** `puts if a then b else c end` prints; `puts if a` is a condition. */
const IF_THEN = /[ \t]+if(?![\w\u0080-\uffff?!:])[^\n;]{0,500}[ \t]then(?![\w\u0080-\uffff?!])/y;

const NO_VALUE = new RegExp(
  '[ \\t\\r]*(?:[\\n;)\\]},#.]|&&|\\|\\||\\|>|[:?]\\s|(?:and|or|if|unless|while|until|do|end|then|rescue|ensure|else|elsif|when)(?![\\w\\u0080-\\uffff?!])|(?![^]))',
  'y',
);
const JUMP_LABEL = /[ \t]+:([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)(?![\w\u0080-\uffff?!]|[ \t]*,)/y;
const LOOP_LABEL = /[ \t]+:([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)(?=[ \t])/y;

/** Words that take no block, so a `{` after them opens a hash. */
const OUTPUT: ReadonlySet<string> = new Set(['puts', 'print', 'p', 'pp']);
const TAKES_NO_BLOCK: ReadonlySet<string> = new Set([...OUTPUT, 'raise', 'return', 'break', 'next']);

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/**
 * Whether a command call may begin at the next token: at the start of a statement, or after its `and`, `or`, `&&`,
 * `||`.
 */
function mayStart(layout: Layout): boolean {
  if (!layout.top.open) return false;
  return layout.atStart || (layout.prev !== null && isConnective(layout.prev));
}

/** `and`, `or`, `&&`, `||`: their right operand may be a whole command or jump. */
function isConnective({ type, text }: Token): boolean {
  return type === 'BINOP' && (text === 'and' || text === 'or' || text === '&&' || text === '||');
}

function hasArgument(layout: Layout, name: string, at: number): boolean {
  const { text } = layout;
  const code = text.charCodeAt(at);
  if (code !== 32 && code !== 9) return false;
  if (matchesAt(ARGUMENT, text, at) || matchesAt(HASH, text, at)) return true;
  if (layout.names.has(name)) return false;
  return (
    matchesAt(ARGUMENT_OF_CALL, text, at) ||
    (OUTPUT.has(name) && (matchesAt(BRACE, text, at) || matchesAt(IF_THEN, text, at)))
  );
}

/** Whether the plain word `raw` is a call without parentheses: `greet "Ann", 3`. */
export function startsCommand(layout: Layout, raw: RawToken): boolean {
  return mayStart(layout) && hasArgument(layout, raw.text, raw.offset + raw.text.length);
}

/** Like `startsCommand`, for a word after a dot: `app.get "/x"`. It passes an empty name, which is never a variable. */
export function startsMethodCommand(layout: Layout, raw: RawToken): boolean {
  return layout.top.chain && layout.top.open && hasArgument(layout, '', raw.offset + raw.text.length);
}

/** Emits the last word of a command call, and an `ARGS` that marks the call for the grammar. */
export function command(layout: Layout, type: TokenType, raw: RawToken, extra = ''): void {
  const { top } = layout;
  const word = layout.emit(type, raw, extra);
  top.command = word;
  top.open = false;
  layout.push(new Token('ARGS', '', word.end, word.end));
}

/**
 * `return break next raise`: a value if alone, a command if an argument follows, a prefix operator inside an
 * expression.
 */
export function jump(layout: Layout, raw: RawToken): void {
  const label = raw.text === 'break' || raw.text === 'next' ? jumpLabel(layout) : '';
  if (raw.text === 'raise' && layout.text.charCodeAt(layout.lexer.index) === 40) layout.emit('IDENT', raw);
  else if (matchesAt(NO_VALUE, layout.text, layout.lexer.index)) layout.emit('LIT', raw, label);
  else if (mayStart(layout)) command(layout, 'LIT', raw, label);
  else layout.nest(layout.emit('PREFIX', raw, label), 'rights');
}

/** Reads the label of `break :outer`. If no enclosing loop has a label, `:outer` is an ordinary value. */
function jumpLabel(layout: Layout): string {
  return layout.frames.some(({ label }) => label !== '') ? readLabel(layout, JUMP_LABEL) : '';
}

/** Reads the label of `for :outer x in xs`, and moves the lexer past it. */
export function readLoopLabel(layout: Layout): string {
  return readLabel(layout, LOOP_LABEL);
}

function readLabel(layout: Layout, pattern: RegExp): string {
  pattern.lastIndex = layout.lexer.index;
  const match = pattern.exec(layout.text);
  if (match === null) return '';
  layout.lexer.index += match[0].length;
  return match[1];
}

const MAY_END_COMMAND: ReadonlySet<string> = new Set(['LIT', 'STR_END']);
const BEFORE_PLAIN_NAME: ReadonlySet<string> = new Set(['ARGS', 'COMMA', 'LABEL']);

/** Whether a call of this name may have a block. */
export function takesBlock({ text }: Token): boolean {
  return !TAKES_NO_BLOCK.has(text);
}

/**
 * Whether a `do` belongs to the whole command call: its last argument is a literal or a plain name, which take no
 * block.
 */
export function blockIsOfCommand(layout: Layout): boolean {
  const { prev, tokens, top } = layout;
  if (top.command === null || prev === null || !takesBlock(top.command)) return false;
  if (MAY_END_COMMAND.has(prev.type) || prev.extra === 'LBRACK' || prev.extra === 'LBRACE') return true;
  return prev.type === 'IDENT' && BEFORE_PLAIN_NAME.has(tokens[tokens.length - 2]?.type ?? '');
}

/** `foo (1, 2)`: the parenthesis seemed to enclose the first argument, but encloses all of them. */
export function parenthesisHoldsArguments(layout: Layout): void {
  const { top, frames } = layout;
  const outer = frames[frames.length - 2];
  if (top.kind !== 'paren' || !outer?.command || outer.command.end >= top.opener.start) return;
  const opener = layout.tokens.lastIndexOf(top.opener);
  if (layout.tokens[opener - 2] !== outer.command || layout.tokens[opener - 1]?.type !== 'ARGS') return;
  layout.tokens.splice(opener - 1, 1);
  outer.command = null;
  top.opener.type = 'LCALL';
  top.kind = 'call';
  top.open = false;
}
