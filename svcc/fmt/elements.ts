import { list } from './lists.js';
import { assigned } from './operators.js';
import { type Doc, isHugged, type Kind, type Piece, type Printer } from './printer.js';

// Elements of lists. The layout pass has decided what each bracket holds, and the program is correct: so one rule reads
// arguments, pairs and patterns alike.

function expression(printer: Printer): Piece {
  return printer.rules.expression(printer);
}

const ENDS: ReadonlySet<string> = new Set([
  'COMMA',
  'RPAREN',
  'RBRACK',
  'RBRACE',
  'SEP',
  'THEN',
  'GUARD',
  'DO_CMD',
  'MOD',
]);

/** A value after a label, an arrow or a splat: hugged if it is alone. */
function labelled(before: Doc, between: string, { doc, kind, broken }: Piece): Piece {
  const isLong: Kind = isHugged({ doc, kind, broken }) ? kind : 'other';
  return { doc: [before, between, doc], kind: isLong, broken };
}

/** An argument, or a value in a vector or pattern. */
export function argument(printer: Printer): Piece {
  if (printer.is('SPLAT')) return labelled(printer.word(), '', ENDS.has(printer.next.type) ? NONE : pattern(printer));
  if (!printer.is('LABEL')) return expression(printer);
  const label = printer.word();
  if (ENDS.has(printer.next.type)) return { doc: label, kind: 'atom', broken: false };
  return labelled(label, ' ', expression(printer));
}

const NONE: Piece = { doc: '', kind: 'atom', broken: false };

/** What follows a `*`: an expression, or a name, which may be left out. */
function pattern(printer: Printer): Piece {
  return printer.next.text === '' && printer.is('IDENT') ? { ...NONE, doc: printer.word() } : expression(printer);
}

const WORD = /^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?$/;

/** Whether a colon that touches what has been printed would make it a label: after a word that is no member. */
function endsInWord({ previous, lexemes, at }: Printer): boolean {
  return WORD.test(previous.text) && lexemes[at - 2].type !== 'DOT';
}

/** An entry of a hash: like an argument, or with a key of any kind, or with the type of a value. */
export function pair(printer: Printer): Piece {
  if (printer.is('TLABEL')) return parameter(printer);
  const key = argument(printer);
  if (printer.is('COLON')) {
    const gap = endsInWord(printer) ? ' ' : '';
    return labelled([key.doc, gap, printer.word()], ' ', expression(printer));
  }
  if (printer.is('FATARROW')) return labelled([key.doc, ' ', printer.word()], ' ', expression(printer));
  return key;
}

/** A parameter, a field of a record, or a variant of an enum. */
export function parameter(printer: Printer): Piece {
  return printer.piece('other', () => {
    if (printer.is('LPAREN')) return group(printer);
    if (printer.is('LABEL')) return argument(printer).doc;
    const splat = printer.is('SPLAT') ? printer.word() : '';
    const name = [splat, printer.word()];
    if (printer.is('LPARAM')) return [name, list(printer, 'RPAREN', parameter)];
    if (!printer.is('ASGN')) return name;
    const sign = printer.word();
    return [name, ' ', sign, assigned(printer.trailing(), expression(printer))];
  });
}

/** `(a, b)` in the parameters of a block, in the names of a `for`, or on the left of an assignment. */
function group(printer: Printer): Doc {
  return [printer.wordOf('LPAREN'), names(printer), printer.wordOf('RPAREN')];
}

function name(printer: Printer): Doc {
  const splat = printer.is('SPLAT') ? printer.word() : '';
  if (splat !== '' && ENDS_NAMES.has(printer.next.type)) return splat;
  return printer.is('LPAREN') ? group(printer) : [splat, printer.rules.operand(printer).doc];
}

const ENDS_NAMES: ReadonlySet<string> = new Set(['COMMA', 'RPAREN', 'IN', 'ASGN', 'PIPE']);

/** Names and targets separated by commas, on one line. */
export function names(printer: Printer): Doc {
  const docs: Doc[] = [name(printer)];
  while (printer.is('COMMA')) docs.push(printer.word(), ' ', name(printer));
  return docs;
}

/** Parameters between bars. */
export function barred(printer: Printer): Doc {
  const docs: Doc[] = [printer.wordOf('PIPE')];
  while (!printer.is('PIPE')) {
    docs.push(parameter(printer).doc);
    if (printer.is('COMMA')) docs.push(printer.word(), ' ');
  }
  return [docs, printer.word()];
}
