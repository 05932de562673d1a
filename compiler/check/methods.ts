import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { moduleSymbol } from '../resolve/outernames.js';
import type { DefSymbol } from '../symbols.js';
import { DefCall } from './calls.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walk } from './walk.js';

/** Built-in types without keys or fields: a name after the dot can only be a method. */
const BUILT_IN = new Set(['String', 'Integer', 'Float', 'Vector', 'Range', 'Boolean', 'Regex', 'Function', 'Nil']);
/** Methods that the compiler knows, beside those of the library. */
const COMPILED = new Set(['call', '[]']);

/** Reports methods and fields that a value of a certain type does not have, and wrong arguments of a record's methods. */
export function checkMethods(checked: Checked, types: Types): void {
  walk(checked.module.tree, (node) => {
    if ((node.type !== 'Method' && node.type !== 'Member') || node.safe) return;
    const type = types.of(node.recv);
    if (type === null) return;
    const record = recordNamed(type, checked);
    if (record !== null) ofRecord(node, record, checked, types);
    else if (BUILT_IN.has(type)) ofBuiltIn(node, type, checked);
  });
}

function recordNamed(name: string, { module }: Checked): DefSymbol | null {
  const symbol = moduleSymbol(name, module, new Set());
  return symbol?.kind === 'def' && symbol.node.type === 'RecordDecl' ? symbol : null;
}

function ofBuiltIn(node: Ast.Method | Ast.Member, type: string, checked: Checked): void {
  const { env, iterators } = checked;
  if (COMPILED.has(node.name) || iterators.has(node.name)) return;
  const names = [...(env.methods.get(type) ?? []), ...(env.methods.get('Any') ?? [])];
  if (!names.includes(node.name))
    unknown(node, type === 'Nil' ? 'nil' : type, 'method', [...names, ...iterators], checked);
}

function ofRecord(node: Ast.Method | Ast.Member, record: DefSymbol, checked: Checked, types: Types): void {
  const { env, iterators, resolution } = checked;
  const declared = record.node as Ast.RecordDecl;
  const own = resolution.methods.get(declared) ?? [];
  const method = own.find(({ name }) => name === `${record.name}.${node.name}`);
  if (method !== undefined) {
    if (node.type === 'Method')
      new DefCall({ ...method, params: method.params.slice(1) }, node, checked, types).check();
    return;
  }
  const fields = declared.fields.map(({ name }) => name);
  const names = [
    ...fields,
    ...own.map(({ name }) => name.slice(record.name.length + 1)),
    ...(env.methods.get('Record') ?? []),
    ...(env.methods.get('Any') ?? []),
  ];
  if (names.includes(node.name) || COMPILED.has(node.name) || iterators.has(node.name)) return;
  unknown(node, record.name, 'field or method', names, checked);
}

function unknown(
  { name, nameStart }: Ast.Method | Ast.Member,
  type: string,
  what: string,
  names: readonly string[],
  { report }: Checked,
): void {
  const near = nearest(name, names);
  report(
    'error',
    'unknown-method',
    { start: nameStart, end: nameStart + name.length },
    `${type} has no ${what} '${name}'${near === null ? '' : `, did you mean '${near}'?`}`,
  );
}

const NUMBERS = new Set(['Integer', 'Float']);
/** Types whose operators are all known here. */
const SIMPLE = new Set(['Integer', 'Float', 'String', 'Boolean', 'Nil', 'Regex', 'Function']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '//', '%', '**', '<', '<=', '>', '>=']);

/** Reports operators whose operands certainly do not fit together. */
export function checkOperators({ module, report }: Checked, types: Types): void {
  walk(module.tree, (node) => {
    if (node.type !== 'Binary' || !ARITHMETIC.has(node.op)) return;
    const [a, b] = [types.of(node.left), types.of(node.right)];
    if (a === null || b === null || !SIMPLE.has(a) || !SIMPLE.has(b) || areFit(node.op, a, b)) return;
    const place = { start: node.opStart, end: node.opStart + node.op.length };
    const hint = node.op === '+' && (a === 'String' || b === 'String') ? 'build texts with `"#{…}"`' : '';
    report('error', 'wrong-type', place, `${named(a)} and ${named(b)} have no operator ${node.op}`, hint);
  });
}

function areFit(op: string, a: string, b: string): boolean {
  if (NUMBERS.has(a) && NUMBERS.has(b)) return true;
  if (a !== 'String') return false;
  return (
    op === '%' || (op === '*' && b === 'Integer') || (b === 'String' && (op === '+' || op[0] === '<' || op[0] === '>'))
  );
}

function named(type: string): string {
  return type === 'Nil' ? 'nil' : type;
}
