import type * as Ast from '../ast.js';
import { article } from '../annotationtypes.js';
import { option, PARTS } from './declaredparts.js';
import type { Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

/** Types of what routes are registered with. */
const REGISTERS = new Set(['SvcApp', 'SvcGroup']);
const ROUTE = /^(?:get|post|put|patch|delete)(?:_async)?$/;

/** Reports declarations of routes that fail when they are registered, and parts that a handler reads undeclared. */
export function checkDeclared(checked: Checked, types: Types): void {
  const serving = servingApps(checked, types);
  walkNodes(checked.module.tree, ['Member', 'Method'], (node) => {
    undeclared(node, checked, types);
    if (node.type === 'Method' && ROUTE.test(node.name) && REGISTERS.has(types.of(node.recv) ?? ''))
      declaration(node, checked, types, serving);
  });
}

/** Applications that the file runs or tests: they are mounted nowhere, so that the paths of their routes are whole. */
function servingApps({ module }: Checked, types: Types): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  walkNodes(module.tree, ['Method'], (node) => {
    if (node.name !== 'run' && node.name !== 'client') return;
    const variable = types.of(node.recv) === 'SvcApp' ? types.fixed(node.recv) : null;
    if (variable !== null) found.add(variable);
  });
  return found;
}

function undeclared(node: Ast.Member | Ast.Method, { report }: Checked, types: Types): void {
  const part = PARTS.get(node.name);
  const call = part === undefined ? null : types.handlerOf(node.recv);
  if (part === undefined || call === null || call.args.some(({ type }) => type === 'Splat')) return;
  if (option(call, part) === null)
    report(
      'error',
      'undeclared-part',
      { start: node.nameStart, end: node.nameStart + node.name.length },
      `the route declares no ${part}, so ${node.name} raises an error`,
      `register it with \`${part}: Type\``,
    );
}

function declaration(call: Ast.Method, { report }: Checked, types: Types, serving: ReadonlySet<Variable>): void {
  const app = types.fixed(call.recv);
  const [path] = call.args;
  for (const part of ['body', 'query', 'params', 'returns']) {
    const declared = option(call, part);
    if (declared === null) continue;
    const type = types.of(declared);
    if (part === 'body' && call.name.startsWith('get'))
      report('error', 'wrong-type', declared, 'a GET request has no body', 'declare its query: `query: Type`');
    else if (type !== null && type !== 'Hash' && (type !== 'Vector' || part === 'query' || part === 'params'))
      report('error', 'wrong-type', declared, `${part} must be a type such as a record, this is ${article(type)}`);
    // The prefix of a group or of a mounted application may have parameters as well.
    if (part !== 'params' || path?.type !== 'Str' || app === null || !serving.has(app)) continue;
    for (const field of fieldsOf(declared, types))
      if (!new RegExp(`[:*]${field.name}(?![\\p{L}\\p{M}\\p{N}_])`, 'u').test(path.value))
        report('error', 'undeclared-part', declared, `the path ${path.value} has no parameter :${field.name}`);
  }
}

function fieldsOf(declared: Ast.Expr, types: Types): readonly Ast.Param[] {
  if (declared.type === 'RecordDecl') return declared.fields;
  const record = declared.type === 'Ident' ? types.record(declared.name)?.node : undefined;
  return record?.type === 'RecordDecl' ? record.fields : [];
}
