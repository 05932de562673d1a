import { callBeforeBlock } from '../diagnostics/blockhint.js';
import type { RawToken } from '../lexer.js';
import { blockIsOfCommand, readLoopLabel, takesBlock } from './commands.js';
import { docComment, isFirstOnLine } from './comments.js';
import type { BlockKind, Frame } from './frame.js';
import { closeByIndentation, closesOuterBlock, indentation, isStrayEnd } from './indentation.js';
import type { Layout } from './layout.js';
import { closeOneLine } from './onelinedef.js';
import type { TokenType } from './token.js';
import { closeBlock, reportUnclosed } from './unclosed.js';

/** Opens a block; its header follows. */
function openHeader(layout: Layout, raw: RawToken, type: TokenType, kind: BlockKind, extra = ''): Frame {
  const frame = layout.open(kind, layout.emit(type, raw, extra));
  frame.header = true;
  frame.open = false;
  layout.atStart = false;
  return frame;
}

/** `if` and `unless`, before a body or after a statement. */
export function conditional(layout: Layout, raw: RawToken): void {
  if (layout.top.pattern === 'clause' && layout.top.block && layout.endsValue()) guard(layout, raw);
  else if (layout.endsValue()) modifier(layout, raw);
  else if (raw.text === 'if' && elseIf(layout, raw)) middle(layout, raw, 'ELSIF', true);
  else openHeader(layout, raw, raw.text === 'if' ? 'IF' : 'UNLESS', raw.text === 'if' ? 'if' : 'unless');
}

/** `if` or `unless` after the pattern of a clause. */
function guard(layout: Layout, raw: RawToken): void {
  layout.emit('GUARD', raw);
  layout.top.pattern = null;
}

function modifier(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  layout.nest(layout.emit('MOD', raw), 'rights');
  top.open = false;
  top.pattern = null;
}

/** When `repairs` says that blocks are unbalanced, reads `else if` as `elsif` and reports it. */
function elseIf(layout: Layout, raw: RawToken): boolean {
  const { tokens, top, repairs } = layout;
  const before = tokens[tokens.length - 1];
  if (!repairs.byIndentation || before?.type !== 'ELSE' || top.kind !== 'if') return false;
  if (layout.text.slice(before.end, raw.offset).includes('\n')) return false;
  tokens.pop();
  layout.report(
    'else-if',
    '`else if` opens a second `if` that needs an `end` of its own',
    before.start,
    raw.offset + 2,
    [],
    'write `elsif`',
  );
  return true;
}

/** `while` and `until`: starts a loop, ends `do … while`, or follows a statement. */
export function loop(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (top.kind === 'doLoop' && endsDoLoop(layout, raw)) {
    if (!layout.atStart) layout.separate(raw.offset);
    layout.close();
    layout.emit('DO_WHILE', raw);
  } else if (layout.endsValue()) modifier(layout, raw);
  else openLoop(layout, raw, 'WHILE', 'while');
}

/**
 * Whether `while` ends a `do` body. One that starts a line with deeper indentation is a loop; one after a statement is
 * its modifier.
 */
function endsDoLoop(layout: Layout, raw: RawToken): boolean {
  const { opener } = layout.top;
  if (isFirstOnLine(layout.text, raw.offset))
    return indentation(layout.text, raw.offset) <= indentation(layout.text, opener.start);
  return layout.atStart || !layout.text.slice(opener.start, raw.offset).includes('\n');
}

function openLoop(layout: Layout, raw: RawToken, type: 'WHILE' | 'FOR' | 'LOOP', kind: 'while' | 'for' | 'loop'): void {
  const label = readLoopLabel(layout);
  openHeader(layout, raw, type, kind, label).label = label;
}

export function forLoop(layout: Layout, raw: RawToken): void {
  openLoop(layout, raw, 'FOR', 'for');
}

/** `loop :outer do`. A `loop` without a label is an ordinary call with a block. */
export function labelledLoop(layout: Layout, raw: RawToken): void {
  openLoop(layout, raw, 'LOOP', 'loop');
}

export function caseOf(layout: Layout, raw: RawToken): void {
  openHeader(layout, raw, 'CASE', 'case');
}

/** `interface Name`, with what it needs and its methods up to `end`. */
export function interfaceOf(layout: Layout, raw: RawToken): void {
  openHeader(layout, raw, 'INTERFACE', 'interface', docComment(layout.text, raw.offset));
}

export function def(layout: Layout, raw: RawToken): void {
  if (layout.repairs.byIndentation) closeByIndentation(layout, { text: 'def', offset: raw.offset });
  openHeader(layout, raw, 'DEF', 'def', docComment(layout.text, raw.offset));
}

const UP_TO_DEF = /private[ \t]+def/y;

/** `private def`: a function that other files cannot call. */
export function privateDef(layout: Layout, raw: RawToken): void {
  UP_TO_DEF.lastIndex = raw.offset;
  const text = (UP_TO_DEF.exec(layout.text) as RegExpExecArray)[0];
  layout.lexer.index = raw.offset + text.length;
  def(layout, { text, offset: raw.offset });
}

export function begin(layout: Layout, raw: RawToken): void {
  openBody(layout, raw, 'BEGIN', 'begin');
}

function openBody(layout: Layout, raw: RawToken, type: TokenType, kind: BlockKind): void {
  layout.open(kind, layout.emit(type, raw));
  layout.startStatement();
  layout.prev = layout.top.opener;
}

/** The receiver of a call. */
const CHAIN = /(?:\w+\.)*$/;

/** `do`: ends a loop's header, starts `do … while`, or opens a block. */
export function doBlock(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (top.header && (top.kind === 'while' || top.kind === 'for' || top.kind === 'loop')) layout.then(raw.offset, 'do');
  else if (layout.atStart) openBody(layout, raw, 'DO_LOOP', 'doLoop');
  else openBody(layout, raw, blockIsOfCommand(layout) || followsIndex(layout, raw) ? 'DO_CMD' : 'DO_BLOCK', 'do');
}

/** Reports `card post["title"] do`, where the block follows an index, and takes it as that of the call. */
function followsIndex(layout: Layout, raw: RawToken): boolean {
  const { prev, text } = layout;
  const { command } = layout.top;
  if (prev?.extra !== 'LINDEX' || command?.type !== 'IDENT' || !takesBlock(command)) return false;
  const name = (CHAIN.exec(text.slice(Math.max(0, command.start - 60), command.start))?.[0] ?? '') + command.text;
  const hint = callBeforeBlock(name, text.slice(command.end, prev.end));
  layout.report('block-without-call', 'a block must follow a call', raw.offset, raw.offset + 2, [], hint);
  return true;
}

export function thenWord(layout: Layout, raw: RawToken): void {
  if (layout.top.header) layout.then(raw.offset);
  else layout.emit('THEN', raw);
}

const BELONGS_TO: Partial<Record<TokenType, readonly string[]>> = {
  ELSIF: ['if'],
  ELSE: ['if', 'unless', 'case', 'begin', 'def', 'do'],
  WHEN: ['case'],
  IN_CASE: ['case'],
  RESCUE: ['begin', 'def', 'do'],
  ENSURE: ['begin', 'def', 'do'],
};
const OWNER: Partial<Record<TokenType, string>> = {
  ELSIF: '`if`',
  ELSE: '`if`, `case` or `begin`',
  WHEN: '`case`',
  IN_CASE: '`case`',
  RESCUE: '`begin`, `def` or `do`',
  ENSURE: '`begin`, `def` or `do`',
};

/** `elsif`, `else`, `when`, `rescue`, `ensure`: ends one part of a block and starts the next. */
export function middle(layout: Layout, raw: RawToken, type: TokenType, repaired = false): void {
  closeOneLine(layout, raw.offset);
  if (!repaired && !findOwner(layout, raw, type)) {
    layout.report(
      'stray-keyword',
      `unexpected \`${raw.text}\`: it belongs in a block opened by ${OWNER[type]}`,
      raw.offset,
      raw.offset + raw.text.length,
      [],
      type === 'ELSIF' ? hintForElsif(layout) : '',
    );
    layout.startStatement();
    return;
  }
  const { top } = layout;
  if (top.header) layout.then(raw.offset);
  if (!layout.atStart) layout.separate(raw.offset);
  layout.emit(type, raw);
  top.startStatement(layout.tokens.length);
  top.header = type === 'ELSIF' || type === 'WHEN' || type === 'IN_CASE' || type === 'RESCUE';
  top.open = !top.header;
  layout.atStart = !top.header;
}

/** What to write instead of an `elsif` that no `if` owns. */
function hintForElsif({ frames }: Layout): string {
  const kind = frames.findLast(({ block }) => block)?.kind;
  if (kind === 'case') return 'write `when` and a value, or `else`';
  return kind === 'unless' ? 'begin the block with `if not`' : '';
}

/** Closes inner frames until the block that the keyword belongs to is innermost; false if there is none. */
function findOwner(layout: Layout, raw: RawToken, type: TokenType): boolean {
  const owners = BELONGS_TO[type] as readonly string[];
  const { byIndentation } = layout.repairs;
  const owner = layout.frames.findLast(
    ({ kind, opener, block }) =>
      owners.includes(kind) && (!byIndentation || !block || !closesOuterBlock(layout, opener, raw)),
  );
  if (owner === undefined) return false;
  while (layout.top !== owner) {
    reportUnclosed(layout, layout.top, raw.offset, raw.offset + raw.text.length);
    closeBlock(layout, raw.offset);
  }
  return true;
}

/** `end`. */
export function end(layout: Layout, raw: RawToken): void {
  const at = raw.offset;
  closeOneLine(layout, at);
  if (layout.repairs.byIndentation && isStrayEnd(layout, raw)) return strayEnd(layout, raw);
  if (!layout.frames.some(({ block }) => block)) return strayEnd(layout, raw);
  if (layout.repairs.byIndentation) closeByIndentation(layout, raw);
  while (!layout.top.block) {
    reportUnclosed(layout, layout.top, at, at + 3);
    closeBlock(layout, at);
  }
  const { top } = layout;
  if (top.header) layout.then(at);
  if (!layout.atStart) layout.separate(at);
  if (top.kind === 'doLoop') return endOfDoLoop(layout, raw);
  layout.close();
  layout.emit('END', raw);
}

const WHILE_FOLLOWS = /[ \t]+(?:while|until)(?![\w\u0080-\uffff?!])/y;

/** Accepts `do … end while cond` as `do … while cond`. */
function endOfDoLoop(layout: Layout, raw: RawToken): void {
  WHILE_FOLLOWS.lastIndex = layout.lexer.index;
  if (WHILE_FOLLOWS.test(layout.text)) return;
  const { opener } = layout.top;
  layout.report(
    'block-without-call',
    'this `do` starts a statement: expected `while` or `until` instead of `end`',
    raw.offset,
    raw.offset + 3,
    [{ start: opener.start, end: opener.end, text: 'opened here' }],
    'put a call before `do` for a block, or end the loop with `while` and a condition',
  );
  closeBlock(layout, raw.offset);
}

function strayEnd(layout: Layout, raw: RawToken): void {
  layout.mismatched = true;
  layout.report(
    'stray-end',
    'unexpected `end`: no block is open here',
    raw.offset,
    raw.offset + 3,
    [],
    'remove it, or look for a block above that was closed too early',
  );
  if (!layout.endsValue()) layout.startStatement();
}
