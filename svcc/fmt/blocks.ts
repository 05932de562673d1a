import { builders, utils } from 'prettier/doc';
import { argument, barred, names } from './elements.js';
import { beforeWord, type Body, body, indented } from './bodies.js';
import { bareList } from './lists.js';
import type { Lexeme } from './lexemes.js';
import type { BlockUse, Doc, Piece, Printer } from './printer.js';

const { group, hardline, ifBreak, indent, line } = builders;

/** Bodies with the words between them, up to the word that closes the block. */
interface Parts {
  doc: Doc;
  /** There are several bodies. */
  isSeveral: boolean;
  /** A body has a comment or a statement. */
  isEmpty: boolean;
}

/** Reads a body, and the clauses after it: `rescue`, `else`, `ensure`, `elsif`. */
export function bodies(printer: Printer): Parts {
  let last = body(printer);
  const isEmpty = last.entries.length === 0;
  const docs: Doc[] = [indented(last)];
  while (!printer.is('END') && !printer.is('RBRACE') && !printer.is('DO_WHILE')) {
    docs.push(beforeWord(last), clause(printer));
    last = body(printer);
    docs.push(indented(last));
  }
  return { doc: docs, isSeveral: docs.length > 1, isEmpty };
}

/** The word of a clause with what stands on its line. */
function clause(printer: Printer): Doc {
  const { type } = printer.next;
  const word = printer.word();
  if (type === 'ELSIF') return [word, ' ', condition(printer), then(printer)];
  if (type !== 'RESCUE') return word;
  return [word, rescued(printer), then(printer)];
}

/** Types and variable of a `rescue`. */
function rescued(printer: Printer): Doc {
  const docs: Doc[] = [];
  while (!printer.is('THEN')) {
    const { type } = printer.next;
    docs.push(type === 'COMMA' || type === 'DOT' || printer.previous.type === 'DOT' ? '' : ' ', printer.word());
  }
  return docs;
}

/** The end of a header: `then` only if the body is on the same line. */
function then(printer: Printer): Doc {
  const suffix = printer.placeless();
  printer.expect('THEN');
  return [suffix, ifBreak('', ' then')];
}

/** A condition in a header; further lines of operators and chains are indented deeper than the body. */
export function condition(printer: Printer): Doc {
  return deeper(printer.within({}, () => printer.rules.expression(printer)));
}

function deeper({ doc, kind }: Piece): Doc {
  return kind === 'operators' || kind === 'chain' ? indent(doc) : doc;
}

function isOnOneLine(printer: Printer, first: Lexeme, breaks: number): boolean {
  return first.line === printer.previous.endLine && printer.breaks === breaks;
}

/** A block: in braces on one line, else from `do` to `end`. */
export function block(printer: Printer, { mayUseDo, mayUseBrace }: BlockUse): Piece {
  const { breaks } = printer;
  const first = printer.next;
  const isBrace = first.type === 'LBLOCK';
  const comment = printer.placeless();
  const open = printer.word();
  return printer.within({}, () => {
    const params = printer.is('PIPE') ? [' ', barred(printer)] : '';
    const { doc, isSeveral, isEmpty } = bodies(printer);
    const close = printer.word();
    const fitsOnLine = isOnOneLine(printer, first, breaks) && !isSeveral && (isBrace || mayUseBrace);
    if (!fitsOnLine) printer.noteBreak();
    const words = (brace: Doc, word: Doc): Doc => (isBrace && !mayUseDo ? brace : ifBreak(word, brace));
    const isPlain = fitsOnLine && isEmpty && params === '';
    return {
      doc: group(
        [
          words(isBrace ? open : '{', isBrace ? 'do' : open),
          comment,
          params,
          doc,
          isPlain ? '' : line,
          words(isBrace ? close : '}', isBrace ? 'end' : close),
        ],
        {
          shouldBreak: !fitsOnLine,
        },
      ),
      kind: 'block',
      broken: !fitsOnLine,
    };
  });
}

/** `if`, `case`, loops and `begin`. With `flat` an `if` stays on its line. */
export function control(printer: Printer, flat: boolean): Piece {
  const { type } = printer.next;
  return printer.within({}, () => {
    switch (type) {
      case 'CASE':
        return printer.piece('control', () => caseOf(printer));
      case 'BEGIN':
        return printer.piece('control', () => begin(printer));
      case 'IF':
      case 'UNLESS':
        return conditional(printer, flat);
      default:
        return loop(printer);
    }
  });
}

function conditional(printer: Printer, flat: boolean): Piece {
  const { breaks, commentCount } = printer;
  const first = printer.next;
  const head = [printer.word(), ' ', condition(printer), then(printer)];
  const { doc } = bodies(printer);
  const end = printer.wordOf('END');
  if (flat && printer.commentCount > commentCount) printer.isMisplaced = true;
  const fitsOnLine = isOnOneLine(printer, first, breaks);
  if (!fitsOnLine) printer.noteBreak();
  const docs = [head, doc, line, end];
  return {
    doc: flat ? utils.removeLines(docs) : group(docs, { shouldBreak: !fitsOnLine }),
    kind: 'control',
    broken: !fitsOnLine,
  };
}

function begin(printer: Printer): Doc {
  const word = printer.word();
  const { doc } = bodies(printer);
  printer.noteBreak();
  return group([word, doc, line, printer.wordOf('END')], { shouldBreak: true });
}

function loop(printer: Printer): Piece {
  const { breaks } = printer;
  const first = printer.next;
  const head: Doc[] = [printer.word()];
  printer.within({ inLoopHeader: true }, () => {
    if (first.type === 'FOR') head.push(' ', names(printer), ' ', printer.wordOf('IN'));
    if (first.type !== 'LOOP') head.push(' ', deeper(printer.rules.expression(printer)));
  });
  const suffix = printer.placeless();
  const word = printer.expect('THEN').text;
  const { doc } = bodies(printer);
  const end = printer.wordOf('END');
  const fitsOnLine = word === 'do' && isOnOneLine(printer, first, breaks);
  if (!fitsOnLine) printer.noteBreak();
  return {
    doc: group([head, word === 'do' ? ' do' : '', suffix, doc, line, end], { shouldBreak: !fitsOnLine }),
    kind: 'control',
    broken: !fitsOnLine,
  };
}

function caseOf(printer: Printer): Doc {
  const docs: Doc[] = [printer.wordOf('CASE')];
  if (!printer.is('THEN')) docs.push(' ', condition(printer));
  docs.push(printer.placeless());
  printer.expect('THEN');
  let last: Body = body(printer);
  // Comments before the first clause stand as deep as the clauses.
  last = { ...last, kept: [...last.entries, ...last.kept], entries: [] };
  docs.push(last.suffix);
  while (!printer.is('END')) {
    const { blank, type } = printer.next;
    const isFirst = docs.length < 6 && last.entries.length === 0;
    docs.push(beforeWord(last, !isFirst), blank && (!isFirst || last.kept.length > 0) ? hardline : '');
    const clause = type === 'ELSE' ? otherwise(printer) : when(printer);
    docs.push(clause.doc);
    last = clause.body;
  }
  printer.noteBreak();
  return group([docs, hardline, printer.wordOf('END')], { shouldBreak: true });
}

/** The last clause of a `case`. */
function otherwise(printer: Printer): { doc: Doc; body: Body } {
  const { breaks } = printer;
  const first = printer.next;
  const word = printer.word();
  const inside = body(printer);
  return { doc: clauseDoc(printer, first, breaks, word, inside), body: inside };
}

function clauseDoc(printer: Printer, first: Lexeme, breaks: number, head: Doc, inside: Body): Doc {
  const fitsOnLine = inside.entries.length > 0 && isOnOneLine(printer, first, breaks);
  return group([head, indented(inside)], { shouldBreak: !fitsOnLine });
}

/** A clause of a `case`; one that was written on a line stays on it if it fits. */
function when(printer: Printer): { doc: Doc; body: Body } {
  const { breaks } = printer;
  const first = printer.next;
  const docs: Doc[] = [printer.word(), ' ', printer.within({}, () => indent(bareList(printer, argument).doc))];
  if (printer.is('GUARD')) docs.push(' ', printer.word(), ' ', condition(printer));
  const head = [docs, then(printer)];
  const inside = body(printer);
  return { doc: clauseDoc(printer, first, breaks, head, inside), body: inside };
}
