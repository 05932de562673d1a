import { builders } from 'prettier/doc';
import { type Doc, type Kind, type Lead, ownLines, type Piece, type Printer } from './printer.js';

const { breakParent, conditionalGroup, hardline, indent } = builders;

/** A dot with the name after it, and what follows up to the next dot. */
export interface Link {
  /** Comments before the dot. */
  lead: Lead;
  doc: Doc;
  /** It has arguments or a block. */
  isCall: boolean;
  /** The dot begins a line. */
  startsLine: boolean;
}

/** Puts the links of a chain on one line, or each call on a line of its own if they do not fit or were written so. */
export function chain(printer: Printer, head: Piece, links: readonly Link[], last: Kind, broken: boolean): Piece {
  if (links.length === 0) return head;
  const isWritten = links.some(({ startsLine, lead }) => startsLine || lead.own.length > 0);
  const flat = [head.doc, links.map(({ lead, doc }) => [lead.suffix, doc])];
  const calls = links.filter(({ isCall }) => isCall).length;
  if (isWritten) printer.noteBreak();
  else if (links.length < 2 || calls < 2) return { doc: flat, kind: last, broken };
  const inHead = isWritten
    ? links.findIndex(({ startsLine, lead }) => startsLine || lead.own.length > 0)
    : firstBroken(head, links);
  const spread = [
    head.doc,
    links.slice(0, inHead).map(({ lead, doc }) => [lead.suffix, doc]),
    indent(links.slice(inHead).map(({ lead, doc }) => [lead.suffix, hardline, ownLines(lead), doc])),
  ];
  if (isWritten) return { doc: spread, kind: 'chain', broken: true };
  const states = conditionalGroup([flat, spread]);
  return { doc: broken ? [breakParent, states] : states, kind: 'chain', broken };
}

/** Names so short that the first call stays on their line, and types: `db.query(…)`, `Date.parse(…)`. */
const SHORT = /^(?:.{1,4}|[A-Z]\w*)$/;

/**
 * Index of the first link on a line of its own. Members before the first call are mostly fields: they stay on the first
 * line.
 */
function firstBroken({ doc }: Piece, links: readonly Link[]): number {
  const firstCall = Math.max(
    links.findIndex(({ isCall }) => isCall),
    0,
  );
  return firstCall === 0 && typeof doc === 'string' && SHORT.test(doc) ? 1 : firstCall;
}
