import { fileFor, recordFor } from '../diagnostics/declarationhints.js';
import type { RawToken } from '../lexer.js';
import { entryAnnotationEnd, parameterAnnotationEnd } from './annotations.js';
import {
  begin,
  caseOf,
  conditional,
  def,
  doBlock,
  end,
  forLoop,
  interfaceOf,
  labelledLoop,
  loop,
  middle,
  privateDef,
  thenWord,
} from './blocks.js';
import { command, jump, parenthesisHoldsArguments, startsCommand, startsMethodCommand } from './commands.js';
import { docComment, isFirstOnLine } from './comments.js';
import type { Layout } from './layout.js';
import { binary, prefixWord } from './operators.js';
import { inWord, isName } from './patterns.js';
import type { TokenType } from './token.js';
import { checkLetters } from './unknown.js';

type Handler = (layout: Layout, raw: RawToken) => void;

const literal: Handler = (layout, raw) => void layout.emit('LIT', raw);
const between =
  (type: TokenType): Handler =>
  (layout, raw) =>
    middle(layout, raw, type);

/** A word that is a keyword only if certain text follows, and a plain name otherwise. */
const contextual =
  (follows: RegExp, handler: Handler, onlyAtStart = true): Handler =>
  (layout, raw) => {
    follows.lastIndex = raw.offset + raw.text.length;
    if ((!onlyAtStart || layout.atStart) && follows.test(layout.text)) handler(layout, raw);
    else name(layout, raw);
  };
const emitAs =
  (type: TokenType): Handler =>
  (layout, raw) =>
    void layout.emit(type, raw);

const STRING_FOLLOWS = /[ \t]+["']/y;
const QUOTE_FOLLOWS = /"/y;
const DECLARATION = /[ \t]+[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[ \t]*\(/y;
const TYPE_NAME = /[ \t]+[A-Z][\w\u0080-\uffff]*[ \t]*(?:[<;#\r\n]|(?![^]))/y;
const OPERAND_FOLLOWS =
  /[ \t]+(?!(?:and|or|if|unless|while|until|do|end|then|in)(?![\w\u0080-\uffff?!]))[\w\u0080-\uffff"'([{:]|[ \t]+->/y;
const NAMES_FOLLOW = /[ \t]+[A-Za-z_]\w*[ \t]*(?:[,;#\r\n]|(?![^]))/y;
const DEF_FOLLOWS = /[ \t]+def[ \t]/y;
const CONSTANT_FOLLOWS = /[ \t]+[A-Za-z_\u0080-\uffff]/y;
const LABEL_AND_DO = /[ \t]+:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[ \t]+do(?![\w\u0080-\uffff?!])/y;

// prettier-ignore
const KEYWORDS = new Map<string, Handler>([
  ['true', literal], ['false', literal], ['nil', literal], ['retry', literal],
  ['and', binary], ['or', binary], ['not', prefixWord], ['in', inWord],
  ['return', jump], ['break', jump], ['next', jump], ['raise', jump],
  ['if', conditional], ['unless', conditional], ['while', loop], ['until', loop], ['for', forLoop],
  ['case', caseOf], ['begin', begin], ['def', def], ['do', doBlock], ['then', thenWord], ['end', end],
  ['elsif', between('ELSIF')], ['else', between('ELSE')], ['when', between('WHEN')], ['rescue', rescue], ['ensure', between('ENSURE')],
  ['const', contextual(CONSTANT_FOLLOWS, emitAs('CONST'))],
  ['enum', contextual(DECLARATION, emitAs('ENUM'))],
  ['record', contextual(DECLARATION, (layout, raw) => void layout.emit('RECORD', raw, docComment(layout.text, raw.offset)))],
  ['interface', contextual(TYPE_NAME, interfaceOf)],
  ['error', contextual(TYPE_NAME, emitAs('ERRDECL'))],
  ['require', contextual(STRING_FOLLOWS, emitAs('USE'))],
  ['import', contextual(STRING_FOLLOWS, emitAs('USE'))],
  ['stitch', contextual(STRING_FOLLOWS, emitAs('USE'))],
  ['use', contextual(STRING_FOLLOWS, emitAs('USE'))],
  ['export', contextual(NAMES_FOLLOW, emitAs('EXPORT'))],
  ['private', contextual(DEF_FOLLOWS, privateDef)],
  ['await', contextual(OPERAND_FOLLOWS, prefixWord, false)],
  ['loop', contextual(LABEL_AND_DO, labelledLoop)],
  ['html', contextual(QUOTE_FOLLOWS, (layout) => void (layout.html = true), false)],
  ['is', isWord],
]);

/** All words with a meaning of their own. */
export function keywords(): Iterable<string> {
  return KEYWORDS.keys();
}
/** Keywords that may also be names. */
const CONTEXTUAL = new Set([
  'enum',
  'record',
  'interface',
  'error',
  'require',
  'import',
  'stitch',
  'use',
  'export',
  'private',
  'html',
  'await',
  'loop',
  'is',
]);

const TYPE_FOLLOWS = /[ \t]+(?:[a-z_]\w*\.)*[A-Z]/y;

/** `value is Type`, which is `value in Type`; elsewhere `is` is a name. */
function isWord(layout: Layout, raw: RawToken): void {
  TYPE_FOLLOWS.lastIndex = layout.lexer.index;
  const isRecord = layout.tokens[layout.top.first]?.type === 'RECORD' && layout.prev?.type === 'RPAREN';
  if (isRecord) layout.emit('IS', raw);
  else if (layout.endsValue() && TYPE_FOLLOWS.test(layout.text))
    layout.emit('BINOP', { text: 'in', offset: raw.offset });
  else name(layout, raw);
}

/** Emits a word: keyword, label, member or name. */
export function word(layout: Layout, raw: RawToken): void {
  if (!checkLetters(layout, raw)) return;
  const { prev } = layout;
  if (prev?.type === 'DOT') return memberName(layout, raw);
  if (layout.state === 'value' && isLabel(layout, raw)) return label(layout, raw);
  if (prev?.type === 'DEF') return functionName(layout, raw);
  const handler = isField(layout) ? undefined : KEYWORDS.get(raw.text);
  if (handler === undefined) name(layout, raw);
  else if (!CONTEXTUAL.has(raw.text) && standsForName(layout, raw)) {
    reserved(layout, raw, 'and cannot name a variable');
    layout.emit('IDENT', raw);
  } else handler(layout, raw);
}

/** Whether a word is the name of a record's field, which may be a reserved word: `record Node(value, next)`. */
function isField({ top, prev }: Layout): boolean {
  return top.kind === 'params' && top.ofRecord && prev !== null && BEFORE_PARAMETER.has(prev.type);
}

const ASSIGNMENT_FOLLOWS = /[ \t]*(?:[-+*/%]|\*\*|\/\/|\|\||&&)?=(?![=~>])/y;
const BEFORE_PARAMETER: ReadonlySet<string> = new Set(['LPARAM', 'COMMA', 'SPLAT', 'PIPE']);

/** Whether a keyword is used as a name, as in `end = 5` and `def f(if)`. */
function standsForName({ top, prev, atStart, text }: Layout, raw: RawToken): boolean {
  if ((top.kind === 'params' || top.pipes) && prev !== null) return BEFORE_PARAMETER.has(prev.type);
  ASSIGNMENT_FOLLOWS.lastIndex = raw.offset + raw.text.length;
  return (atStart || prev?.type === 'FOR') && ASSIGNMENT_FOLLOWS.test(text);
}

function memberName(layout: Layout, raw: RawToken): void {
  if (startsMethodCommand(layout, raw)) command(layout, 'IDENT', raw);
  else layout.emit('IDENT', raw);
}

function isLabel({ text, top, prev }: Layout, raw: RawToken): boolean {
  const at = raw.offset + raw.text.length;
  return text.charCodeAt(at) === 58 && text.charCodeAt(at + 1) !== 58 && top.ternaries === 0 && prev?.type !== 'DEF';
}

const REST_OF_LINE_BLANK = /[ \t\r]*(?:#|\n|(?![^]))/y;

function label(layout: Layout, raw: RawToken): void {
  const { lexer, text, top } = layout;
  const colon = raw.offset + raw.text.length;
  lexer.index = colon + 1;
  REST_OF_LINE_BLANK.lastIndex = colon + 1;
  if (top.pattern !== null) layout.names.declare(raw.text);
  else if ((layout.atStart || top.header) && top.lines && REST_OF_LINE_BLANK.test(text))
    return pythonColon(layout, raw, colon);
  parenthesisHoldsArguments(layout);
  const typeEnd =
    top.kind === 'params'
      ? parameterAnnotationEnd(text, colon + 1, top.ofRecord)
      : top.ofTypes
        ? entryAnnotationEnd(text, colon + 1)
        : -1;
  if (top.kind === 'params') layout.names.declare(raw.text);
  if (typeEnd < 0) return void layout.emit('LABEL', raw);
  layout.emit('TLABEL', raw, text.slice(colon + 1, typeEnd).trim());
  lexer.index = typeEnd;
}

/** `else:` and `if x:` at the end of a line: the colon is reported and otherwise ignored. */
function pythonColon(layout: Layout, raw: RawToken, colon: number): void {
  layout.report(
    'python-colon',
    'unexpected `:` at the end of the line',
    colon,
    colon + 1,
    [],
    'a new line or `then` is enough',
  );
  const handler = KEYWORDS.get(raw.text);
  if (handler === undefined) name(layout, raw);
  else handler(layout, raw);
}

function functionName(layout: Layout, raw: RawToken): void {
  if (KEYWORDS.has(raw.text) && !CONTEXTUAL.has(raw.text)) reserved(layout, raw, 'and cannot name a function');
  layout.emit('IDENT', raw);
}

function reserved(layout: Layout, raw: RawToken, why: string): void {
  layout.report(
    'reserved-word',
    `\`${raw.text}\` is a reserved word ${why}`,
    raw.offset,
    raw.offset + raw.text.length,
    [],
    `choose another name, such as \`${raw.text}_\``,
  );
}

const ELSIF_ELSEWHERE: ReadonlySet<string> = new Set(['elif', 'elseif', 'elsif']);

function name(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (startsCommand(layout, raw)) {
    if (layout.atStart && top.kind === 'if' && ELSIF_ELSEWHERE.has(raw.text)) return elsifElsewhere(layout, raw);
    if (raw.text === 'class' || raw.text === 'module') return noClass(layout, raw);
    return command(layout, 'IDENT', raw);
  }
  if (raw.text === 'as' && layout.tokens[layout.tokens.length - 2]?.type === 'USE') return void layout.emit('AS', raw);
  layout.emit('IDENT', raw);
  if (
    (top.pattern !== null && isName(raw.text)) ||
    top.pipes ||
    top.kind === 'params' ||
    (top.header && (top.kind === 'for' || top.opener.type === 'BEGIN')) ||
    isRescued(layout)
  ) {
    layout.names.declare(raw.text);
  }
}

/** Whether a word is the variable of `rescue Type e`: its last word. */
function isRescued({ top, tokens }: Layout): boolean {
  if (!top.header || top.kind === 'if' || top.kind === 'while') return false;
  const before = tokens[tokens.length - 2]?.type;
  return before === 'RESCUE' || before === 'IDENT' || before === 'FATARROW';
}

function elsifElsewhere(layout: Layout, raw: RawToken): void {
  layout.report(
    'else-if',
    `\`${raw.text}\` is not a keyword of Svc`,
    raw.offset,
    raw.offset + raw.text.length,
    [],
    'write `elsif`',
  );
  middle(layout, raw, 'ELSIF');
}

/** `class Name … end`: reported, and read as a block of statements. */
function noClass(layout: Layout, raw: RawToken): void {
  if (!/^[ \t]+[A-Z]/.test(layout.text.slice(layout.lexer.index, layout.lexer.index + 20)))
    return command(layout, 'IDENT', raw);
  const { lexer, text } = layout;
  const newline = text.indexOf('\n', raw.offset);
  const end = newline < 0 ? text.length : newline;
  const head = text.slice(lexer.index, Math.min(end, lexer.index + 100));
  layout.report(
    'no-classes',
    `Svc has no \`${raw.text}\``,
    raw.offset,
    raw.offset + raw.text.length,
    [],
    raw.text === 'class' ? recordFor(head) : fileFor(head),
  );
  begin(layout, raw);
  lexer.index = end;
}

/** `rescue` starts a clause, or on the line of a statement gives the value to use if it fails. */
function rescue(layout: Layout, raw: RawToken): void {
  if (!layout.endsValue() || layout.top.header || isFirstOnLine(layout.text, raw.offset))
    return middle(layout, raw, 'RESCUE');
  const { top } = layout;
  layout.nest(layout.emit('RESCUE_MOD', raw), 'rights');
  top.open = false;
  top.pattern = null;
}
