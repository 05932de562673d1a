import { builders } from 'prettier/doc';
import { bindingOf, isRightAssociative, PIPE, PREFIX_STRENGTH, TERNARY } from '../../compiler/build/strength.js';
import type { Lexeme } from './lexemes.js';
import {
  type Doc,
  isHugged,
  isLongLiteral,
  type Kind,
  type Lead,
  ownLines,
  type Piece,
  type Printer,
} from './printer.js';

const { group, hardline, indent, line } = builders;

/** An operator with the comments around it. */
interface Infix {
  lexeme: Lexeme;
  word: Doc;
  binding: number;
  /** Comments before the operator, for `|>`, which may begin a line. */
  before: Lead;
  /** Comments between the operator and its right operand. */
  after: Lead;
  /** The middle of a ternary. */
  middle: Piece | null;
  /** The right operand is on another line than the operator. */
  endsLine: boolean;
  startsLine: boolean;
}

/** Operands with operators of one strength between them. */
interface Operation {
  binding: number;
  first: Node;
  rest: { infix: Infix; right: Node }[];
}
type Node = Piece | Operation | Prefixed;
interface Prefixed {
  prefix: Lexeme;
  word: Doc;
  operand: Node;
  /** A blank separates prefix and operand, without which they would be something else. */
  apart: boolean;
}
interface Operand {
  prefixes: { lexeme: Lexeme; word: Doc; apart: boolean }[];
  piece: Piece;
}

/** Operators that never stand next to a line break: ranges, texts side by side, patterns, powers. */
const CLOSED: ReadonlySet<string> = new Set(['..', '...', '', '=>', 'in', 'is', '**']);
const UNSPACED: ReadonlySet<string> = new Set(['..', '...']);

/** What can be broken itself, after the `<<` of `list << f(x)`. */
const BREAKABLE: ReadonlySet<Kind> = new Set<Kind>(['list', 'lambda', 'call', 'block']);

/** Reads the operands and operators of an expression. */
function readOperands(
  printer: Printer,
  operand: (printer: Printer) => Piece,
): { operands: Operand[]; infixes: Infix[] } {
  const operands = [readOperand(printer, operand)];
  const infixes: Infix[] = [];
  for (let infix = readInfix(printer); infix !== null; infix = readInfix(printer)) {
    infixes.push(infix);
    operands.push(readOperand(printer, operand));
  }
  return { operands, infixes };
}

function readOperand(printer: Printer, operand: (printer: Printer) => Piece): Operand {
  const prefixes: Operand['prefixes'] = [];
  while (printer.is('PREFIX')) {
    const lexeme = printer.next;
    const word = printer.word();
    const apart = /^\w/.test(lexeme.text) || isSplit(printer);
    prefixes.push({ lexeme, word, apart });
  }
  return { prefixes, piece: operand(printer) };
}

/** Whether a sign stays apart from what follows: `- 2.abs` is not `-2.abs`, and `--` is no operator. */
function isSplit({ next, previous, lexemes, at }: Printer): boolean {
  if (/^[0-9]/.test(next.text)) return lexemes[at + 1].type === 'DOT';
  return next.type === 'PREFIX' && next.start > previous.end && !/^\w/.test(next.text);
}

function readInfix(printer: Printer): Infix | null {
  const { next: lexeme, previous } = printer;
  const { type } = lexeme;
  if (type !== 'BINOP' && type !== 'ASGN' && type !== 'OPASGN' && type !== 'QMARK') return null;
  // On the line of `1..`, a sign would belong to the upper end.
  if (previous.type === 'LIT' && previous.text === '' && lexeme.line > previous.endLine) printer.isMisplaced = true;
  const before = lexeme.text === '|>' ? printer.lead() : NO_LEAD;
  const word = printer.word();
  const middle = type === 'QMARK' ? readMiddle(printer) : null;
  const endsLine = printer.next.line > lexeme.endLine;
  return {
    lexeme,
    word,
    binding: type === 'QMARK' ? TERNARY : bindingOf(lexeme.token),
    before,
    after: isClosed(lexeme) || isAssigning(lexeme) ? printer.trailing() : printer.lead(),
    middle,
    endsLine,
    startsLine: lexeme.line > previous.endLine,
  };
}

/** Whether a line never ends after an operator. */
function isClosed({ text }: Lexeme): boolean {
  return CLOSED.has(text);
}

function isAssigning({ type }: Lexeme): boolean {
  return type === 'ASGN' || type === 'OPASGN';
}

const NO_LEAD: Lead = { suffix: '', own: [], blank: false, blankAfter: false };

/** What stands between `?` and `:`. */
function readMiddle(printer: Printer): Piece {
  const lead = printer.lead();
  const piece = printer.rules.expression(printer);
  const colon = printer.wordOf('COLON');
  return { ...piece, doc: [lead.suffix, line, ownLines(lead), piece.doc, ' ', colon] };
}

/** Precedence climbing, with operators of one strength in one node. */
class Climber {
  private at = 0;

  constructor(
    private readonly operands: readonly Operand[],
    private readonly infixes: readonly Infix[],
  ) {}

  climb(strength: number): Node {
    const { prefixes, piece } = this.operands[this.at];
    return this.extend(this.prefixed(prefixes, 0, piece), strength);
  }

  private prefixed(prefixes: Operand['prefixes'], index: number, piece: Piece): Node {
    if (index === prefixes.length) return piece;
    const { lexeme, word, apart } = prefixes[index];
    const operand = this.extend(this.prefixed(prefixes, index + 1, piece), PREFIX_STRENGTH[lexeme.token.text]);
    return { prefix: lexeme, word, operand, apart };
  }

  private extend(left: Node, strength: number): Node {
    let tree = left;
    for (let infix = this.infixes[this.at]; infix !== undefined; infix = this.infixes[this.at]) {
      const { binding } = infix;
      if (binding < strength) break;
      this.at++;
      const right = this.climb(isRightAssociative(binding) || binding === TERNARY ? binding : binding + 1);
      if ('rest' in tree && tree.binding === binding) tree.rest.push({ infix, right });
      else tree = { binding, first: tree, rest: [{ infix, right }] };
    }
    return tree;
  }
}

/** An expression of operands and operators, up to assignments. */
export function operators(printer: Printer, operand: (printer: Printer) => Piece): Piece {
  const { operands, infixes } = readOperands(printer, operand);
  if (infixes.length === 0 && operands[0].prefixes.length === 0) return operands[0].piece;
  return render(printer, new Climber(operands, infixes).climb(0));
}

function render(printer: Printer, node: Node): Piece {
  if ('doc' in node) return node;
  if ('prefix' in node) return renderPrefix(printer, node);
  if (isAssignment(node)) return renderAssignment(printer, node);
  if (node.binding === PIPE) return renderPipes(printer, node);
  if (node.binding === TERNARY) return renderTernary(printer, node);
  return renderOperation(printer, node);
}

function renderPrefix(printer: Printer, { word, operand, apart }: Prefixed): Piece {
  const { doc, broken, kind } = render(printer, operand);
  if (typeof word === 'string' && typeof doc === 'string')
    return { doc: apart ? `${word} ${doc}` : word + doc, kind: 'atom', broken };
  return { doc: [word, apart ? ' ' : '', doc], kind: kind === 'block' ? kind : 'other', broken };
}

function isAssignment({ rest }: Operation): boolean {
  return isAssigning(rest[0].infix.lexeme);
}

function renderAssignment(printer: Printer, { first, rest }: Operation): Piece {
  const [{ infix, right }] = rest;
  const left = render(printer, first);
  const value = render(printer, right);
  const kind = isHugged(value) ? 'block' : 'other';
  return { doc: [left.doc, ' ', infix.word, assigned(infix.after, value)], kind, broken: left.broken || value.broken };
}

/** A value after `=`: on a line of its own if it does not fit and cannot be broken itself. */
export function assigned(lead: Lead, { doc, kind }: Piece): Doc {
  if (lead.own.length > 0) return [lead.suffix, indent([hardline, ownLines(lead), doc])];
  if (kind === 'atom' && !isLongLiteral(doc)) return [lead.suffix, group(indent([line, doc]))];
  return [lead.suffix, ' ', doc];
}

function renderTernary(printer: Printer, { first, rest }: Operation): Piece {
  const cond = render(printer, first);
  let { broken } = cond;
  const docs = rest.map(({ infix, right }) => {
    const otherwise = render(printer, right);
    const then = infix.middle as Piece;
    broken ||= then.broken || otherwise.broken;
    return [' ', infix.word, then.doc, infix.after.suffix, line, ownLines(infix.after), otherwise.doc];
  });
  return { doc: group([cond.doc, indent(docs)]), kind: 'operators', broken };
}

/** `|>` begins a line, as the dots of a chain do. */
function renderPipes(printer: Printer, { first, rest }: Operation): Piece {
  const start = render(printer, first);
  let { broken } = start;
  const isWritten = rest.some(({ infix }) => infix.endsLine || infix.startsLine);
  const docs = rest.map(({ infix: { before, word, after }, right }) => {
    const piece = render(printer, right);
    broken ||= piece.broken;
    if (after.own.length > 0) printer.isMisplaced = true;
    return [before.suffix, after.suffix, line, ownLines(before), word, ' ', piece.doc];
  });
  return {
    doc: group([start.doc, indent(docs)], { shouldBreak: isWritten }),
    kind: 'chain',
    broken: broken || isWritten,
  };
}

function renderOperation(printer: Printer, { first, rest }: Operation): Piece {
  const start = render(printer, first);
  const docs: Doc[] = [];
  const flat: Doc[] = [start.doc];
  let last = start;
  let brokenBefore = false;
  let commented = false;
  for (const { infix, right } of rest) {
    const { lexeme, word, after } = infix;
    brokenBefore ||= last.broken;
    last = render(printer, right);
    const closed = isClosed(lexeme);
    const isCommented = after.suffix !== '' || after.own.length > 0;
    const isAppended = lexeme.text === '<<' && rest.length === 1 && BREAKABLE.has(last.kind) && !isCommented;
    const space = UNSPACED.has(lexeme.text) ? '' : ' ';
    const before = lexeme.text === '' ? '' : space;
    commented ||= isCommented && !closed;
    if (closed && after.own.length > 0) printer.isMisplaced = true;
    docs.push([before, word, after.suffix, closed || isAppended ? space : [line, ownLines(after)], last.doc]);
    flat.push([before, word, after.suffix, space, last.doc]);
  }
  const broken = brokenBefore || last.broken || commented;
  // `list << {` … `}`: the last operand is broken, not the operator.
  const hugs = rest.length === 1 && isHugged(last) && !brokenBefore && !commented;
  return { doc: hugs ? flat : group([start.doc, indent(docs)]), kind: 'operators', broken };
}
