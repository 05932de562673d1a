import type * as Ast from '../ast.js';
import { methodHint } from '../../vm/bytecode/foreignmethods.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { type DefSymbol, nameOfRecord } from '../symbols.js';
import { annotationOf } from '../annotationtypes.js';
import { checkArguments, DefCall, mismatchText } from './calls.js';
import type { Checked } from './environment.js';
import { enumNamed, recordNamed } from './membertypes.js';
import { unionText } from './possibletypes.js';
import { OF_ELEMENTS, type Types } from './types.js';
import { SCALARS } from './values.js';
import { assignedIn, walkNodes } from './walk.js';

/** Types of which values may have further members: keys, fields, groups of a match. */
const OPEN = new Set(['Hash', 'Record', 'Error', 'Type', 'Enum', 'Match', 'Any']);
/** Types that have no table of their own if all their methods are those of all values. */
const CLOSED = new Set(['Nil', 'Boolean', 'Function', 'Regex', 'Range']);
/** Types whose values have no elements. */
const SINGLE = new Set([...SCALARS, 'Task', 'Shared', 'SvcApp', 'SvcRequest', 'SvcResponse', 'SvcWebSocket']);
/** Iterators of numbers, which have none of those of collections. */
const NUMBERED = ['times', 'upto', 'downto', 'step'];
/** Methods that the compiler knows, beside those of the library. */
const COMPILED = new Set(['call', '[]']);

/** Reports methods and fields that a value of a certain type does not have, and wrong arguments of known methods. */
export function checkMethods(checked: Checked, types: Types): void {
  const assigned = assignedIn(checked.module.tree);
  walkNodes(checked.module.tree, ['Method', 'Member'], (node) => {
    if (node.safe) return;
    const type = types.of(node.recv);
    if (type === null) {
      ofType(node, checked);
      ofStatic(node, checked, types);
      ofUnion(node, checked, types);
      return;
    }
    const record = types.record(type);
    if (record !== null) ofRecord(node, record, checked, types);
    else if (CLOSED.has(type) || checked.env.methods.has(type))
      ofBuiltIn(node, type, assigned.has(node), checked, types);
    else ofInterface(node, type, checked, types);
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
  if (COMPILED.has(node.name)) return;
  const method = types.method(type, node.name);
  if (iterators.has(node.name)) {
    const isIterator = OF_ELEMENTS.has(node.name) && checked.resolution.templates.has(node);
    if (method === null && isIterator && SINGLE.has(type))
      unknown(node, type === 'Nil' ? 'nil' : type, 'method', [...(env.methods.get(type)?.keys() ?? [])], checked);
    return;
  }
  if (method !== null) {
    if (isAssigned) return;
    const name = `${type === 'Nil' ? 'nil' : type}.${node.name}`;
    checkArguments(name, method, node, node.type === 'Method' ? node.args : [], checked, types);
  } else if (!OPEN.has(type) || (type === 'Hash' && /[?!]$/.test(node.name))) {
    const ofType = env.methods.get(type)?.keys() ?? [];
    const others = SCALARS.has(type) ? NUMBERED : SINGLE.has(type) ? [] : iterators;
    const names = [...ofType, ...(env.methods.get('Any')?.keys() ?? []), ...others];
    unknown(node, type === 'Nil' ? 'nil' : type, 'method', names, checked);
  }
}

function ofRecord(node: Ast.Method | Ast.Member, record: DefSymbol, checked: Checked, types: Types): void {
  const { iterators, resolution } = checked;
  const declared = record.node as Ast.RecordDecl;
  const own = resolution.methods.get(declared) ?? [];
  const method = own.find(({ name }) => name === `${record.name}.${node.name}`);
  if (method !== undefined) {
    if (node.type === 'Method')
      new DefCall({ ...method, params: method.params.slice(1) }, node, checked, types).check();
    return;
  }
  if (node.name === 'with' && node.type === 'Method') withFields(node, record, checked, types);
  const names = recordNames(record, checked);
  if (names === null || names.includes(node.name) || COMPILED.has(node.name) || iterators.has(node.name)) return;
  unknown(node, nameOfRecord(declared), 'field or method', names, checked);
}

/** `record.with(field: value)` */
function withFields({ args }: Ast.Method, record: DefSymbol, { report, module }: Checked, types: Types): void {
  const node = record.node as Ast.RecordDecl;
  const type = nameOfRecord(node);
  const fields = node.fields.map(({ name }) => name);
  for (const arg of args) {
    if (arg.type !== 'NamedArg') continue;
    const field = node.fields.find(({ name }) => name === arg.name);
    if (field === undefined) {
      const near = nearest(arg.name, fields);
      const hint = near === null ? `; its fields are ${fields.join(', ')}` : `, did you mean '${near}'?`;
      report('error', 'wrong-arguments', arg, `${type} has no field '${arg.name}'${hint}`);
    }
    const annotation = field === undefined || record.module !== module ? null : annotationOf(field);
    const found = annotation === null ? null : types.mismatch(arg.value, annotation);
    if (found !== null)
      report('error', 'wrong-type', found.node, mismatchText(`field '${arg.name}' of ${type}`, arg.value, found));
  }
}

/** Reports a method or field that none of the types has which a value may have. */
function ofUnion(node: Ast.Method | Ast.Member, checked: Checked, types: Types): void {
  const all = types.possible(node.recv);
  if (all === null || checked.iterators.has(node.name) || COMPILED.has(node.name)) return;
  const names = new Set<string>();
  for (const type of all) {
    const record = types.record(type);
    const known = record === null ? builtInNames(type, checked) : recordNames(record, checked);
    if (known === null || known.includes(node.name)) return;
    if (type !== 'Nil' || all.size === 1) for (const name of known) names.add(name);
  }
  unknown(node, unionText(all), 'method', [...names], checked);
}

/** null if values of the type may have others as well. */
function builtInNames(type: string, { env }: Checked): string[] | null {
  if (OPEN.has(type) || !(CLOSED.has(type) || env.methods.has(type))) return null;
  return [...(env.methods.get(type)?.keys() ?? []), ...(env.methods.get('Any')?.keys() ?? [])];
}

/** null if values of the record have others as well. */
function recordNames(record: DefSymbol, { env, resolution }: Checked): string[] | null {
  const declared = record.node as Ast.RecordDecl;
  const own = (resolution.methods.get(declared) ?? []).map(({ name }) => name.slice(record.name.length + 1));
  // A record with `each` has the methods of collections.
  if (own.includes('each')) return null;
  const fields = declared.fields.map(({ name }) => name);
  return [...fields, ...own, ...(env.methods.get('Record')?.keys() ?? []), ...(env.methods.get('Any')?.keys() ?? [])];
}

/** Members of enums and of record types: `Color.Red`, `Money.from_json(…)`. */
function ofType(node: Ast.Method | Ast.Member, checked: Checked): void {
  const { env, iterators } = checked;
  if (COMPILED.has(node.name) || iterators.has(node.name)) return;
  const owner = enumNamed(node.recv, checked);
  const record = owner === null ? recordNamed(node.recv, checked) : null;
  if (owner === null && record === null) return;
  const names = [
    ...(owner?.node.members.map(({ name }) => name) ?? []),
    ...(env.methods.get(owner === null ? 'Type' : 'Enum')?.keys() ?? []),
    ...(env.methods.get('Any')?.keys() ?? []),
  ];
  if (names.includes(node.name)) return;
  if (owner !== null) unknown(node, owner.name, 'value or method', names, checked);
  else if (record !== null) unknown(node, nameOfRecord(record.node as Ast.RecordDecl), 'method', names, checked);
}

/** Methods of the built-in types themselves: `Date.parse(…)`. */
function ofStatic(node: Ast.Method | Ast.Member, checked: Checked, types: Types): void {
  const { env, iterators } = checked;
  const name = types.builtInNamed(node.recv);
  const own = name === null ? undefined : env.statics.get(name);
  if (own === undefined || name === null || own.size === 0) return;
  const method = own.get(node.name);
  if (method !== undefined) {
    checkArguments(`${name}.${node.name}`, method, node, node.type === 'Method' ? node.args : [], checked, types);
    return;
  }
  const names = [...own.keys()];
  const others = ['Type', 'Function', 'Any'].flatMap((type) => [...(env.methods.get(type)?.keys() ?? [])]);
  if (!others.includes(node.name) && !iterators.has(node.name) && !COMPILED.has(node.name))
    unknown(node, name, 'method', names, checked);
}

/** A value of an interface has what the interface needs and adds, and what its records have besides. */
function ofInterface(node: Ast.Method | Ast.Member, type: string, checked: Checked, types: Types): void {
  const { env, iterators, resolution } = checked;
  const declared = types.interface(type)?.node;
  if (declared === undefined || COMPILED.has(node.name) || iterators.has(node.name)) return;
  const names = [...declared.needs.map(({ name }) => name), ...declared.methods.map(({ name }) => name.name)];
  const others = (resolution.implementers.get(declared) ?? []).flatMap((record) => {
    const { fields } = record.node as Ast.RecordDecl;
    const methods = resolution.methods.get(record.node as Ast.RecordDecl) ?? [];
    return [...fields.map(({ name }) => name), ...methods.map(({ name }) => name.slice(record.name.length + 1))];
  });
  for (const kind of ['Record', 'Any']) others.push(...(env.methods.get(kind)?.keys() ?? []));
  if (!names.includes(node.name) && !others.includes(node.name))
    unknown(node, type, 'field or method', [...names, ...others], checked);
}

function unknown(
  { name, nameStart }: Ast.Method | Ast.Member,
  type: string,
  what: string,
  names: readonly string[],
  { report }: Checked,
): void {
  report(
    'error',
    'unknown-method',
    { start: nameStart, end: nameStart + name.length },
    `${type} has no ${what} '${name}'${methodHint(type, name, names)}`,
  );
}
