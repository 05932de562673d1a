import { builders } from 'prettier/doc';
import { chain, type Link } from './chains.js';
import { argument, pair, parameter } from './elements.js';
import { index, list, tightHash } from './lists.js';
import { operators } from './operators.js';
import { type Doc, type Kind, ownLines, type Piece, type Printer } from './printer.js';

const { group, indent, softline } = builders;

/** An expression without arguments that follow a call without parentheses. */
export function expression(printer: Printer): Piece {
  return operators(printer, operand);
}

const CONTROL: ReadonlySet<string> = new Set(['IF', 'UNLESS', 'CASE', 'BEGIN', 'WHILE', 'FOR', 'LOOP']);
/** Words that take no block, so that a `{` after them opens a hash. */
const OUTPUT: ReadonlySet<string> = new Set(['puts', 'print', 'p', 'pp']);

function primary(printer: Printer): Piece {
  const { type, text, heredocEnd } = printer.next;
  switch (type) {
    case 'LIT':
      return {
        doc: printer.word(),
        kind: heredocEnd >= 0 || text.includes('\n') ? 'text' : 'atom',
        broken: false,
      };
    case 'IDENT':
      return { doc: printer.word(), kind: 'atom', broken: false };
    case 'LPAREN':
      return printer.piece('other', () => parenthesis(printer));
    case 'LBRACK':
      return printer.piece('list', () => list(printer, 'RBRACK', argument));
    case 'LBRACE':
      return printer.piece('list', () => (isTight(printer) ? tightHash(printer, pair) : list(printer, 'RBRACE', pair)));
    case 'LAMBDA':
      return printer.piece('lambda', () => lambda(printer));
    default:
      if (CONTROL.has(type)) return printer.rules.control(printer, isAfterOutput(printer));
      throw new Error(`unexpected ${type} at ${printer.next.token.start}`);
  }
}

/** Word before the argument of a call without parentheses that starts here; null if none does. */
function commandBefore(printer: Printer): string | null {
  return printer.previous?.type === 'ARGS' ? printer.lexemes[printer.at - 2].text : null;
}

const JUMPS: ReadonlySet<string> = new Set(['return', 'break', 'next', 'raise']);

/** Whether a hash begins here that would be a block if its first key were on the next line. */
function isTight(printer: Printer): boolean {
  const word = commandBefore(printer);
  return word !== null && !OUTPUT.has(word) && !JUMPS.has(word.split(' ')[0]);
}

/** Whether an `if` follows `puts`: on several lines it would be the condition of the statement. */
function isAfterOutput(printer: Printer): boolean {
  return commandBefore(printer) !== null;
}

function parenthesis(printer: Printer): Doc {
  const open = printer.wordOf('LPAREN');
  const lead = printer.lead();
  const { doc, kind } = printer.within({}, () => printer.rules.statement(printer));
  const end = printer.lead();
  if (end.own.length > 0) printer.isMisplaced = true;
  const close = printer.wordOf('RPAREN');
  const isCommented = lead.suffix !== '' || lead.own.length > 0 || end.suffix !== '';
  if (kind !== 'operators' && !isCommented) return [open, doc, close];
  return group([open, lead.suffix, indent([softline, ownLines(lead), doc, end.suffix]), softline, close]);
}

function lambda(printer: Printer): Doc {
  const arrow = printer.wordOf('LAMBDA');
  const params = printer.is('LPARAM') ? list(printer, 'RPAREN', parameter) : '';
  const { doc } = printer.rules.block(printer, { mayUseDo: !printer.place.inLoopHeader, mayUseBrace: true });
  return [arrow, params, ' ', doc];
}

/** Whether a `{` here opens a block, and a `do` belongs to what precedes it. */
function block(printer: Printer): Piece {
  const { previous, lexemes, at, place } = printer;
  const before = lexemes[at - 2]?.type;
  const isName = previous.type === 'IDENT';
  const mayUseBrace = (isName && (before === 'DOT' || !OUTPUT.has(previous.text))) || previous.type === 'RPAREN';
  const isOwn = previous.type === 'RPAREN' || (isName && before === 'DOT');
  const mayUseDo = !place.inLoopHeader && (!place.inCommand || isOwn);
  return printer.rules.block(printer, { mayUseDo, mayUseBrace });
}

const TRAILERS: ReadonlySet<string> = new Set(['DOT', 'LCALL', 'LINDEX', 'DO_BLOCK', 'LBLOCK']);

/** A value with the calls, members and blocks after it. */
export function operand(printer: Printer): Piece {
  const { breaks } = printer;
  let head = primary(printer);
  const links: Link[] = [];
  let last: Kind = head.kind;
  while (TRAILERS.has(printer.next.type)) {
    const { next, previous } = printer;
    const isDot = next.type === 'DOT';
    const lead = isDot ? printer.lead() : null;
    const dot = isDot ? [printer.word(), printer.is('IDENT') ? printer.word() : ''] : '';
    const trailer = isDot && !printer.is('LCALL') ? null : trailing(printer);
    if (trailer !== null) last = trailer.kind;
    else if (isDot) last = 'call';
    const doc: Doc = [dot, trailer?.doc ?? ''];
    const isCall = trailer !== null && trailer.kind !== 'other';
    if (lead !== null) links.push({ lead, doc, isCall, startsLine: next.line > previous.endLine });
    else if (links.length === 0) head = { doc: [head.doc, doc], kind: last, broken: head.broken };
    else {
      const link = links[links.length - 1];
      link.doc = [link.doc, doc];
      link.isCall ||= isCall;
    }
  }
  return chain(printer, { ...head, broken: printer.breaks > breaks }, links, last, printer.breaks > breaks);
}

/** Arguments, an index or a block. */
function trailing(printer: Printer): Piece {
  switch (printer.next.type) {
    case 'LCALL':
      return printer.piece('call', () => [
        // `raise(x)` is a call, `raise (x)` is a statement.
        printer.previous.type === 'LIT' && JUMPS.has(printer.previous.text) ? ' ' : '',
        list(printer, 'RPAREN', argument, true),
      ]);
    case 'LINDEX':
      return printer.piece('other', () => index(printer, argument));
    default: {
      const { doc, broken } = block(printer);
      return { doc: [' ', doc], kind: 'block', broken };
    }
  }
}
