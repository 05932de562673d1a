import { builders } from 'prettier/doc';
import { argument, names, pair, parameter } from './elements.js';
import { block, bodies, condition, control } from './blocks.js';
import { expression, operand } from './expressions.js';
import { bareList, list } from './lists.js';
import { assigned } from './operators.js';
import type { Doc, Piece, Printer, Rules } from './printer.js';

const { group, hardline, indent, line } = builders;

/** Calls without parentheses that take no block: a `do` belongs to their last argument. */
const TAKES_NO_BLOCK: ReadonlySet<string> = new Set(['puts', 'print', 'p', 'pp', 'raise', 'return', 'break', 'next']);

/** A statement, up to the token that ends it. */
function statement(printer: Printer): Piece {
  const { breaks } = printer;
  let piece = plain(printer);
  for (let count = 0; ; count++) {
    const { type, text } = printer.next;
    if (type !== 'MOD' && type !== 'RESCUE_MOD') break;
    const word = printer.word();
    const cond = type === 'MOD' ? condition(printer) : printer.rules.expression(printer).doc;
    const isCondition = count === 0 && (text === 'if' || text === 'unless');
    const long = isCondition ? [word, ' ', cond, indent([hardline, piece.doc]), hardline, 'end'] : undefined;
    piece = { doc: [piece.doc, ' ', word, ' ', cond], kind: 'other', broken: false, long };
  }
  return { ...piece, broken: printer.breaks > breaks };
}

function plain(printer: Printer): Piece {
  const { type } = printer.next;
  const declaration = DECLARATIONS[type];
  if (declaration !== undefined) return printer.piece('other', () => declaration(printer));
  const piece = expression(printer);
  if (!printer.is('ARGS')) return piece;
  return printer.piece('other', () => [piece.doc, ' ', command(printer)]);
}

/** Arguments of a call without parentheses, and its block. */
function command(printer: Printer): Doc {
  const word = printer.previous.text.split(' ')[0];
  printer.expect('ARGS');
  const inCommand = !TAKES_NO_BLOCK.has(word);
  const { doc } = printer.within({ inCommand }, () => bareList(printer, argument));
  if (!printer.is('DO_CMD')) return doc;
  return [doc, ' ', block(printer, { mayUseDo: true, mayUseBrace: false }).doc];
}

type Rule = (printer: Printer) => Doc;

const DECLARATIONS: Partial<Record<string, Rule>> = {
  DEF: def,
  DO_LOOP: doLoop,
  RECORD: record,
  INTERFACE: (printer) => [head(printer, 2), blockUpToEnd(printer)],
  ENUM: (printer) => [head(printer, 2), list(printer, 'RPAREN', parameter)],
  ERRDECL: (printer) => [head(printer, 4), member(printer)],
  CONST: (printer) => [head(printer, 2), assignment(printer)],
  EXPORT: (printer) => [printer.word(), ' ', names(printer)],
  USE: (printer) => head(printer, 4),
  VALUES: (printer) => [skip(printer), names(printer), severalValues(printer)],
  MULTI: (printer) => [skip(printer), names(printer), severalValues(printer)],
  LDESTR: (printer) => [list(printer, 'RBRACE', pair), assignment(printer)],
};

function skip(printer: Printer): Doc {
  printer.at++;
  return '';
}

/** Up to `count` words with a blank between them. */
function head(printer: Printer, count: number): Doc {
  const docs: Doc[] = [printer.word()];
  for (let i = 1; i < count && WORDS.has(printer.next.type); i++) docs.push(' ', printer.word());
  return docs;
}

/** The rest of a name such as `shop.Missing`. */
function member(printer: Printer): Doc {
  return printer.is('DOT') ? [printer.word(), printer.word(), member(printer)] : '';
}

const WORDS: ReadonlySet<string> = new Set(['IDENT', 'LT', 'LIT', 'AS']);

function assignment(printer: Printer): Doc {
  const sign = printer.wordOf('ASGN');
  return [' ', sign, assigned(printer.trailing(), printer.rules.expression(printer))];
}

/** `= 1, 2` */
function severalValues(printer: Printer): Doc {
  return [' ', printer.wordOf('ASGN'), ' ', bareList(printer, argument).doc];
}

/** `def f(a) … end` or `def f(a) = a`. */
function def(printer: Printer): Doc {
  const { breaks } = printer;
  const first = printer.next;
  const start = [printer.word(), ' ', printer.word()];
  const hasParams = printer.is('LPARAM');
  const params = hasParams ? list(printer, 'RPAREN', parameter) : '';
  const suffix = printer.placeless();
  const { text, token } = printer.expect('THEN');
  const returns = token.extra === '' ? '' : ` -> ${token.extra}`;
  const header = [start, params, returns, suffix];
  if (text === '=') return oneLine(printer, header);
  const { doc, isSeveral } = bodies(printer);
  const end = printer.wordOf('END');
  const fitsOnLine =
    first.line === printer.previous.endLine && printer.breaks === breaks && hasParams && returns === '' && !isSeveral;
  if (!fitsOnLine) printer.noteBreak();
  return group([header, doc, line, end], { shouldBreak: !fitsOnLine });
}

function oneLine(printer: Printer, header: Doc): Doc {
  const lead = printer.trailing();
  const piece = statement(printer);
  const suffix = printer.placeless();
  printer.expect('SEP');
  printer.expect('END');
  return [header, ' =', assigned(lead, piece), suffix];
}

/** Statements up to `end`, on lines of their own. */
function blockUpToEnd(printer: Printer): Doc {
  const suffix = printer.placeless();
  if (printer.is('THEN')) printer.at++;
  const { doc } = bodies(printer);
  printer.noteBreak();
  return group([suffix, doc, line, printer.wordOf('END')], { shouldBreak: true });
}

function record(printer: Printer): Doc {
  const docs = [head(printer, 2), list(printer, 'RPAREN', parameter)];
  if (printer.is('IS')) docs.push(' ', printer.word(), ' ', names(printer));
  if (!printer.is('DO_BLOCK')) return docs;
  return [docs, ' ', printer.word(), blockUpToEnd(printer)];
}

/** `do … while x`, or `do … end while x`. */
function doLoop(printer: Printer): Doc {
  const word = printer.word();
  const { doc } = bodies(printer);
  printer.noteBreak();
  const { afterEnd } = printer.next;
  return [
    group([word, doc, hardline, afterEnd ? 'end ' : '', printer.wordOf('DO_WHILE')], { shouldBreak: true }),
    ' ',
    indent(printer.rules.expression(printer).doc),
  ];
}

export const RULES: Rules = { statement, expression, operand, block, control };
