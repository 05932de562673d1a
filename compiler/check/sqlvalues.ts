/** Values of SQL statements that do not match their parameters: `db.query("… = ? AND … = ?", name)`. */
import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { Checked } from './environment.js';
import { isDatabase, METHODS } from './sqltext.js';
import type { Types } from './types.js';
import { SCALARS } from './values.js';
import { walkNodes } from './walk.js';

/** Texts, quoted names and comments, in which nothing is a parameter. */
const SKIPPED = /'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*"|--[^\n]*|::/g;
/** What SQLite and PostgreSQL read in different ways: these statements are left to the run time. */
const UNCERTAIN = /[$`[\\]|\/\*|\?\?|\b[eE]'/;

/** Reports numbers and names of values that the text of a statement does not have. */
export function checkSqlValues(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Method'], (node) => {
    if (!METHODS.has(node.name) || !isDatabase(node.recv, types)) return;
    const [sql, ...values] = node.args;
    const text = sql === undefined ? null : textOf(sql, types);
    if (text === null || UNCERTAIN.test(text) || values.some(({ type }) => type === 'Splat')) return;
    const plain = text.replace(SKIPPED, ' ');
    const names = [...plain.matchAll(/:([A-Za-z_]\w*)/g)].map(([, name]) => name);
    const count = plain.split('?').length - 1;
    const problem = names.length === 0 ? ofCount(count, values, types) : count === 0 ? ofNames(names, values) : null;
    if (problem !== null) checked.report('error', 'wrong-arguments', problem.node ?? sql, problem.message);
  });
}

/** A literal, also one in a variable. */
function textOf(node: Ast.Arg, types: Types): string | null {
  if (node.type === 'Str') return node.value;
  const variable = node.type === 'Ident' ? types.fixed(node) : null;
  const value = variable === null ? null : types.valueOf(variable);
  return value?.type === 'Str' ? value.value : null;
}

interface Problem {
  node: Ast.Node | null;
  message: string;
}

function ofCount(count: number, values: readonly Ast.Arg[], types: Types): Problem | null {
  const given = numberOf(values, types);
  if (given === null || given === count) return null;
  const has = `the statement has ${count} parameter${count === 1 ? '' : 's'}`;
  return { node: null, message: `${has}, and gets ${given} value${given === 1 ? '' : 's'}` };
}

/** The number of values for `?`; null if it is not known. A single value may be a vector of them. */
function numberOf(values: readonly Ast.Arg[], types: Types): number | null {
  const [first] = values;
  if (values.some(({ type }) => type === 'NamedArg')) return null;
  if (values.length !== 1) return values.length;
  if (first.type === 'Vector') return first.items.some(({ type }) => type === 'Splat') ? null : first.items.length;
  const all = types.possible(first as Ast.Expr);
  return all !== null && [...all].every((type) => SCALARS.has(type)) ? 1 : null;
}

function ofNames(names: readonly string[], values: readonly Ast.Arg[]): Problem | null {
  const given = namesOf(values);
  if (given === null) return null;
  for (const [name, node] of given)
    if (!names.includes(name)) {
      const near = nearest(name, names);
      const hint = near === null ? '' : `, did you mean :${near}?`;
      return { node, message: `the statement has no parameter :${name}${hint}` };
    }
  const missing = names.find((name) => !given.has(name));
  return missing === undefined ? null : { node: null, message: `the value of parameter :${missing} is missing` };
}

/** The names of named arguments, or of the keys of a hash; null if others may be among them. */
function namesOf(values: readonly Ast.Arg[]): Map<string, Ast.Node> | null {
  const found = new Map<string, Ast.Node>();
  const [first] = values;
  if (values.length === 1 && first.type === 'Hash') {
    for (const entry of first.entries) {
      if (entry.type === 'Splat' || entry.key.type !== 'Str') return null;
      found.set(entry.key.value, entry.key);
    }
    return found;
  }
  for (const value of values) {
    if (value.type !== 'NamedArg') return null;
    found.set(value.name, value);
  }
  return found;
}
