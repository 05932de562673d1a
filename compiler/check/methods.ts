import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { type DefSymbol, nameOfRecord } from '../symbols.js';
import { checkArguments, DefCall } from './calls.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walk, walkFile } from './walk.js';

/** Types of which values may have further members: keys, fields, groups of a match. */
const OPEN = new Set(['Hash', 'Record', 'Error', 'Type', 'Enum', 'Match', 'Any']);
/** Types that have no table of their own if all their methods are those of all values. */
const CLOSED = new Set(['Nil', 'Boolean', 'Function', 'Regex', 'Range']);
/** Methods that the compiler knows, beside those of the library. */
const COMPILED = new Set(['call', '[]']);

/** Reports methods and fields that a value of a certain type does not have, and wrong arguments of known methods. */
export function checkMethods(checked: Checked, types: Types): void {
  const assigned = new Set<Ast.Node>();
  walkFile(checked.module.tree, (node) => {
    if (node.type === 'Assign' || node.type === 'OpAssign') assigned.add(node.target);
    else if (node.type === 'MultiAssign') walk(node.targets, (target) => assigned.add(target));
  });
  walkFile(checked.module.tree, (node) => {
    if ((node.type !== 'Method' && node.type !== 'Member') || node.safe) return;
    const type = types.of(node.recv);
    if (type === null) return;
    const record = types.record(type);
    if (record !== null) ofRecord(node, record, checked, types);
    else if (CLOSED.has(type) || checked.env.methods.has(type))
      ofBuiltIn(node, type, assigned.has(node), checked, types);
  });
}

function ofBuiltIn(
  node: Ast.Method | Ast.Member,
  type: string,
  isAssigned: boolean,
  checked: Checked,
  types: Types,
): void {
  const { env, iterators } = checked;
  if (COMPILED.has(node.name) || iterators.has(node.name)) return;
  const method = types.method(type, node.name);
  if (method !== null) {
    if (isAssigned) return;
    const name = `${type === 'Nil' ? 'nil' : type}.${node.name}`;
    checkArguments(name, method, node, node.type === 'Method' ? node.args : [], checked, types);
  } else if (!OPEN.has(type)) {
    const names = [...(env.methods.get(type)?.keys() ?? []), ...(env.methods.get('Any')?.keys() ?? []), ...iterators];
    unknown(node, type === 'Nil' ? 'nil' : type, 'method', names, checked);
  }
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
  // A record with `each` has the methods of collections.
  if (own.some(({ name }) => name === `${record.name}.each`)) return;
  const fields = declared.fields.map(({ name }) => name);
  const names = [
    ...fields,
    ...own.map(({ name }) => name.slice(record.name.length + 1)),
    ...(env.methods.get('Record')?.keys() ?? []),
    ...(env.methods.get('Any')?.keys() ?? []),
  ];
  if (names.includes(node.name) || COMPILED.has(node.name) || iterators.has(node.name)) return;
  unknown(node, nameOfRecord(declared), 'field or method', names, checked);
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
