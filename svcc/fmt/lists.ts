import { builders } from 'prettier/doc';
import type { TokenType } from '../../compiler/layout/token.js';
import {
  commentText,
  type Doc,
  isHugged,
  isLongLiteral,
  type Lead,
  ownLines,
  type Piece,
  type Printer,
} from './printer.js';

const { breakParent, conditionalGroup, fill, group, hardline, ifBreak, indent, line, softline } = builders;

/** An element of a list. */
interface Element {
  lead: Lead;
  piece: Piece;
  /** Comments on its line. */
  suffix: Doc[];
}

/** What stands between two brackets. */
interface List {
  open: Doc;
  close: Doc;
  elements: Element[];
  /** Comments before the closing bracket. */
  dangling: Lead;
  /** Each element is on a line of its own, as it was written. */
  broken: boolean;
  /** A comment stands in it. */
  commented: boolean;
}

/** How a list is printed. */
interface Style {
  /** An element on the line after the opening bracket stays there. */
  keepsBreak: boolean;
  /** The closing bracket stands on the line of the last element. */
  closesTight: boolean;
}

const SPREAD: Style = { keepsBreak: true, closesTight: false };
const INDEX: Style = { keepsBreak: false, closesTight: false };
const TIGHT: Style = { keepsBreak: false, closesTight: true };

/** Reads a list, from its opening bracket to its closing one. */
function readList(printer: Printer, close: TokenType, element: (printer: Printer) => Piece, style: Style): List {
  const opener = printer.next;
  const breaks = printer.breaks;
  const open = [printer.word()];
  const elements: Element[] = [];
  const broken = style.keepsBreak && printer.next.line > opener.endLine && !printer.is(close);
  let commented = false;
  for (;;) {
    const closesTight = printer.is(close) && (style.closesTight || elements.length === 0);
    const lead = closesTight ? printer.trailing() : printer.lead();
    if ((lead.suffix !== '' && !closesTight) || lead.own.length > 0) commented = true;
    const last = elements.at(-1);
    if (last === undefined) open.push(lead.suffix);
    else if (lead.suffix !== '') last.suffix.push(lead.suffix);
    if (printer.is(close)) {
      if (broken && printer.breaks === breaks) printer.noteBreak();
      return { open, close: printer.word(), elements, dangling: lead, broken, commented };
    }
    elements.push({ lead, piece: printer.within({}, () => element(printer)), suffix: [] });
    if (printer.is('COMMA') && skipComma(printer, elements)) commented = true;
  }
}

/** Skips a comma. A comment between it and its element follows the comma. @returns whether there is one */
function skipComma(printer: Printer, elements: readonly Element[]): boolean {
  const suffix = printer.placeless();
  printer.at++;
  if (suffix === '') return false;
  elements[elements.length - 1].suffix.push(suffix, breakParent);
  printer.noteBreak();
  return true;
}

const NUMBER = /^[-+]?[0-9]/;

/** Whether an element is a number without comments. */
function isPlainNumber({ piece: { doc }, lead, suffix }: Element): boolean {
  return typeof doc === 'string' && NUMBER.test(doc) && lead.own.length === 0 && suffix.length === 0;
}

function elementDoc({ lead, piece, suffix }: Element, comma: Doc): Doc {
  return [ownLines(lead), piece.doc, comma, suffix];
}

function inLines({ elements, dangling, broken }: List, trailingComma: Doc): Doc {
  const last = elements.length - 1;
  if (elements.length > 2 && dangling.own.length === 0 && elements.every(isPlainNumber))
    return [
      fill(
        elements.flatMap(({ piece }, index) =>
          index === last
            ? [piece.doc]
            : [[piece.doc, ','], broken && elements[index + 1].lead.blank ? [hardline, hardline] : line],
        ),
      ),
      trailingComma,
    ];
  return [
    elements.map((element, index) => [
      index === 0 ? '' : [line, element.lead.blank ? softline : ''],
      elementDoc(element, index < last ? ',' : trailingComma),
    ]),
    dangling.own.map((comment, index) => [
      elements.length > 0 || index > 0 ? hardline : '',
      comment.blank && (elements.length > 0 || index > 0) ? hardline : '',
      commentText(comment),
    ]),
  ];
}

/** Each element on a line of its own, if the group breaks. */
function spread(list: List, trailingComma: boolean): Doc {
  const { open, close } = list;
  if (list.elements.length === 0 && list.dangling.own.length === 0) return [open, close];
  return [open, indent([softline, inLines(list, trailingComma ? ifBreak(',') : '')]), softline, close];
}

/** Whether the last element may begin on the first line and end on the last one, as in `f(1, {` … `})`. */
function mayHug({ elements, broken, commented }: List): boolean {
  const last = elements.at(-1);
  return (
    last !== undefined &&
    !broken &&
    !commented &&
    isHugged(last.piece) &&
    // A block on one line stays there, with each argument on a line of its own.
    (last.piece.kind !== 'block' || last.piece.broken) &&
    elements.every(({ piece }) => piece === last.piece || !piece.broken) &&
    // Of several hashes or vectors, each has lines of its own.
    (last.piece.kind !== 'list' || elements.every(({ piece }) => piece === last.piece || piece.kind !== 'list'))
  );
}

function hug(list: List, last: Doc): Doc {
  const before = list.elements.slice(0, -1).map(({ piece }) => [piece.doc, ', ']);
  return [list.open, before, last, list.close];
}

function printed(list: List, hugs: boolean): Doc {
  const { elements, commented, broken } = list;
  if (elements.length === 1 && !commented && !broken && isLongLiteral(elements[0].piece.doc))
    return hug(list, elements[0].piece.doc);
  if (!hugs || !mayHug(list)) return group(spread(list, true), { shouldBreak: broken || commented });
  const last = (list.elements.at(-1) as Element).piece;
  const flat = hug(list, last.doc);
  const states = [
    flat,
    hug(list, group(last.doc, { shouldBreak: true })),
    group(spread(list, true), { shouldBreak: true }),
  ];
  return last.broken ? [breakParent, conditionalGroup(states)] : conditionalGroup(states);
}

/** Arguments, parameters or elements with a comma after the last one if each is on a line of its own. */
export function list(printer: Printer, close: TokenType, element: (printer: Printer) => Piece, hugs = false): Doc {
  return printed(readList(printer, close, element, SPREAD), hugs);
}

/** The index of `v[…]`, which has no comma at its end. */
export function index(printer: Printer, element: (printer: Printer) => Piece): Doc {
  const list = readList(printer, 'RBRACK', element, INDEX);
  return group(spread(list, false), { shouldBreak: list.commented });
}

/** A hash that begins on the line of its first key, because only then it is an argument. */
export function tightHash(printer: Printer, element: (printer: Printer) => Piece): Doc {
  const hash = readList(printer, 'RBRACE', element, TIGHT);
  if (hash.dangling.own.length > 0) printer.isMisplaced = true;
  return group([hash.open, indent(inLines(hash, '')), hash.close], { shouldBreak: hash.commented });
}

/** Elements without brackets, the first on the line of what precedes them. */
export function bareList(printer: Printer, element: (printer: Printer) => Piece): { doc: Doc; last: Piece } {
  const elements: Element[] = [];
  let commented = false;
  for (;;) {
    const before = elements.at(-1);
    const lead = before === undefined ? NO_LEAD : printer.lead();
    if (lead.suffix !== '' || lead.own.length > 0) commented = true;
    if (before !== undefined && lead.suffix !== '') before.suffix.push(lead.suffix);
    elements.push({ lead, piece: element(printer), suffix: [] });
    if (!printer.is('COMMA')) break;
    if (skipComma(printer, elements)) commented = true;
  }
  const last = elements[elements.length - 1].piece;
  const all: List = { open: '', close: '', elements, dangling: NO_LEAD, broken: false, commented };
  if (elements.length === 1) return { doc: last.doc, last };
  const broken = group(indent(elements.map((item, at) => bareElement(item, at, elements.length))));
  if (!mayHug(all)) return { doc: broken, last };
  const states = [hug(all, last.doc), hug(all, group(last.doc, { shouldBreak: true })), broken];
  return { doc: last.broken ? [breakParent, conditionalGroup(states)] : conditionalGroup(states), last };
}

const NO_LEAD: Lead = { suffix: '', own: [], blank: false, blankAfter: false };

function bareElement(item: Element, at: number, count: number): Doc {
  return [at === 0 ? '' : line, elementDoc(item, at === count - 1 ? '' : ',')];
}
