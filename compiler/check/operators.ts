/** Operators of the built-in types, and reports of operands that do not fit together. */
import type * as Ast from '../ast.js';
import { nameOfRecord } from '../symbols.js';
import type { Checked } from './environment.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

const NUMBERS = 'Integer Float Decimal';
const ARITHMETIC = { Integer: `${NUMBERS} Vector`, Float: 'Integer Float Vector', Decimal: 'Integer Decimal Vector' };
const ELEMENTWISE = { ...ARITHMETIC, Vector: `${NUMBERS} Vector` };
const ORDER = {
  Integer: NUMBERS,
  Float: 'Integer Float',
  Decimal: 'Integer Decimal',
  String: 'String',
  Vector: 'Vector',
  Bytes: 'Bytes',
  Duration: 'Duration',
  Date: 'Date',
};
const COLLECTIONS = 'Vector Hash Range Bytes Set';
const SEARCH = { Nil: 'Regex', String: 'Regex', Regex: 'Nil String' };

/** Types of right operands, by operator and type of the left operand; `*` stands for all. */
const OPERATORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '+': {
    ...ELEMENTWISE,
    String: 'String',
    Bytes: 'Bytes',
    Duration: 'Duration Date',
    Date: 'Integer Float Duration',
  },
  '-': { ...ELEMENTWISE, Set: 'Set', Duration: 'Duration', Date: 'Integer Float Duration Date' },
  '*': {
    Integer: `${ARITHMETIC.Integer} Duration`,
    Float: `${ARITHMETIC.Float} Duration`,
    Decimal: ARITHMETIC.Decimal,
    Vector: ELEMENTWISE.Vector,
    String: 'Integer',
    Duration: 'Integer Float',
  },
  '/': { ...ELEMENTWISE, Duration: 'Integer Float Duration' },
  '//': ELEMENTWISE,
  '%': { ...ELEMENTWISE, String: '*' },
  '**': { Integer: 'Integer Float Vector', Float: 'Integer Float Vector', Decimal: 'Integer Vector', Vector: '*' },
  '<': ORDER,
  '<=': ORDER,
  '>': ORDER,
  '>=': ORDER,
  '<=>': ORDER,
  '&': { Integer: 'Integer', Vector: COLLECTIONS, Range: COLLECTIONS, Set: 'Set' },
  '|': { Integer: 'Integer', Vector: 'Vector', Hash: 'Hash', Set: 'Set' },
  '^': { Integer: 'Integer', Set: 'Set' },
  '<<': { Integer: 'Integer', Vector: '*', Set: '*' },
  '>>': { Integer: 'Integer' },
  '=~': SEARCH,
  '!~': SEARCH,
};
/** Types with the operators `-x`, `+x` and `~x`. */
const SIGNS: Readonly<Record<string, string>> = {
  '-': `${NUMBERS} Vector Duration`,
  '+': `${NUMBERS} Vector`,
  '~': 'Integer Vector',
};
/** Types all of whose operators are in the tables. */
const BUILT_IN = new Set(
  'Nil Boolean Integer Float Decimal String Vector Hash Range Regex Function Bytes Set Duration Date'.split(' '),
);
/** Comparisons that records have by their `<=>`. */
const BY_ORDER = new Set(['<', '<=', '>', '>=']);

/** Reports operators whose operands certainly do not fit together. */
export function checkOperators(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Unary', 'Binary'], (node) => {
    if (node.type === 'Binary') {
      if (node.op in OPERATORS) binary(node, checked, types);
    } else if (node.op !== 'not') sign(node, checked, types);
  });
}

function binary({ op, left, right, opStart }: Ast.Binary, checked: Checked, types: Types): void {
  const [a, b] = [types.possible(left), types.possible(right)];
  if (a === null || a.size === 0) return;
  const place = { start: opStart, end: opStart + op.length };
  const [first] = a;
  if (a.size === 1 && types.record(first) !== null) {
    if (hasOperator(first, op, types)) return;
    const hint = BY_ORDER.has(op) ? 'define `<=>` in the record' : `define \`${op}\` in the record`;
    checked.report('error', 'wrong-type', place, `${nameOf(first, types)} has no operator ${op}`, hint);
    return;
  }
  if (b === null || [...a].some((one) => [...b].some((other) => mayFit(op, one, other, types)))) return;
  const isText = a.has('String') || b.has('String');
  const hint = op === '+' && isText ? 'build texts with `"#{…}"`' : '';
  const message = `${textOf(a, types)} and ${textOf(b, types)} have no operator ${op}`;
  checked.report('error', 'wrong-type', place, message, hint);
}

function hasOperator(record: string, op: string, types: Types): boolean {
  const declared = types.record(record);
  return declared !== null && (types.hasMethod(declared, op) || (BY_ORDER.has(op) && types.hasMethod(declared, '<=>')));
}

/** Whether an operator may have operands of these types. */
function mayFit(op: string, a: string, b: string, types: Types): boolean {
  const isRecord = types.record(b) !== null;
  if (types.record(a) !== null) return hasOperator(a, op, types);
  if (!BUILT_IN.has(a) || !(BUILT_IN.has(b) || isRecord)) return true;
  const allowed = OPERATORS[op][a] ?? '';
  return allowed === '*' || allowed.split(' ').includes(b) || (op === '&' && isRecord);
}

function sign({ op, operand, start }: Ast.Unary, { report }: Checked, types: Types): void {
  const type = types.of(operand);
  const record = type === null ? null : types.record(type);
  if (type === null || (record === null && !BUILT_IN.has(type)) || SIGNS[op].split(' ').includes(type)) return;
  if (record !== null && types.hasMethod(record, op === '-' ? '-@' : op)) return;
  report(
    'error',
    'wrong-type',
    { start, end: start + 1 },
    `${nameOf(type, types)} has no operator ${op} before a value`,
  );
}

function textOf(all: ReadonlySet<string>, types: Types): string {
  return unionText(new Set([...all].map((type) => (type === 'Nil' ? type : nameOf(type, types)))));
}

/** A type as messages name it. */
function nameOf(type: string, types: Types): string {
  const declared = types.record(type)?.node;
  return declared?.type === 'RecordDecl' ? nameOfRecord(declared) : type === 'Nil' ? 'nil' : type;
}
