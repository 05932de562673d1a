import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { typeSymbol } from '../resolve/outernames.js';
import { TYPES_ELSEWHERE } from '../resolve/foreignnames.js';
import type { Checked } from './environment.js';
import { mismatchText } from './calls.js';
import { annotationOf, article, fits, isKnownType, namesIn } from '../annotationtypes.js';
import type { Types } from './types.js';
import { walk, walkNodes } from './walk.js';

/** Reports annotations with unknown types, and defaults and results that do not fit their annotation. */
export function checkAnnotations(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Def', 'Lambda', 'RecordDecl', 'Assign'], (node) => {
    if (node.type === 'Def') {
      parameters(node.params, checked, types);
      result(node, checked, types);
    } else if (node.type === 'Lambda') parameters(node.params, checked, types);
    else if (node.type === 'RecordDecl') parameters(node.fields, checked, types);
    else if (node.target.type === 'Member') field(node.target, node.value, checked, types);
  });
}

function parameters(params: readonly Ast.Param[], checked: Checked, types: Types): void {
  for (const param of params) {
    if (param.annotation === null) continue;
    names(param.annotation, param, checked);
    // A default of `nil` marks an optional argument, whatever its type.
    if (param.default === null || param.default.type === 'Nil') continue;
    const found = types.mismatch(param.default, param.annotation);
    if (found !== null)
      checked.report(
        'error',
        'wrong-type',
        found.node,
        mismatchText(`the default of '${param.name}'`, param.default, found),
      );
  }
}

/** Checks a value that is assigned to a field of a record. */
function field(target: Ast.Member, value: Ast.Expr, checked: Checked, types: Types): void {
  const type = types.of(target.recv);
  const record = type === null ? null : types.record(type)?.node;
  if (record?.type !== 'RecordDecl') return;
  const declared = record.fields.find(({ name }) => name === target.name);
  const annotation = declared === undefined ? null : annotationOf(declared);
  const found = annotation === null ? null : types.mismatch(value, annotation);
  if (found !== null)
    checked.report('error', 'wrong-type', found.node, mismatchText(`field '${target.name}' of ${type}`, value, found));
}

function names(annotation: string, node: Ast.Node, { module, env, report }: Checked): void {
  for (const name of namesIn(annotation)) {
    // A file sees the types of the files that its files require, too.
    if (isKnownType(name) || env.natives.has(name) || typeSymbol(name, module) !== null) continue;
    const known = [...env.natives].filter((native) => /^[A-Z][a-z]/.test(native));
    const near = TYPES_ELSEWHERE[name.toLowerCase()] ?? nearest(name, [...module.symbols.keys(), ...known]);
    report(
      'warning',
      'unknown-type',
      node,
      `unknown type in an annotation: '${name}'${near === null ? '' : `, did you mean '${near}'?`}`,
    );
  }
}

/** Checks every `return` and the last expression against `-> Type`. */
function result(def: Ast.Def, checked: Checked, types: Types): void {
  const { returns } = def;
  if (returns === null) return;
  names(returns, def.name, checked);
  const check = (value: Ast.Expr | null, place: Ast.Node): void => {
    const found =
      value !== null
        ? types.mismatch(value, returns)
        : fits('Nil', returns)
          ? null
          : { node: place, type: 'Nil', annotation: returns, shown: undefined };
    if (found === null) return;
    const part = value === null || found.node === value ? '' : 'elements that are ';
    const message = `${def.name.name}() must return ${part}${found.annotation}, this is ${found.shown ?? article(found.type)}`;
    checked.report('error', 'wrong-type', found.node, message);
  };
  walk(
    def.body,
    (node) => {
      if (node.type === 'Return') check(node.value, node);
    },
    true,
  );
  const last = def.body.stmts[def.body.stmts.length - 1];
  // Statements after a `return` are reported as unreachable instead.
  if (last !== undefined && !def.body.stmts.slice(0, -1).some(({ type }) => type === 'Return' || type === 'Raise'))
    tail(last, check);
  if (last === undefined || fits('Nil', returns)) return;
  for (const open of withoutElse(last)) {
    const message = `${def.name.name}() returns nil when no condition holds, and must return ${returns}`;
    checked.report('warning', 'may-be-nil', open, message, 'add an `else`');
  }
}

/** The conditions without `else` at the end of a statement. */
function withoutElse(node: Ast.Expr): Ast.If[] {
  if (node.type !== 'If') return [];
  const ends = [...node.clauses.map(({ body }) => body), node.else ?? []].map((body) => body.at(-1));
  const inner = ends.flatMap((end) => (end === undefined ? [] : withoutElse(end)));
  return node.else === null ? [node, ...inner] : inner;
}

function tail(node: Ast.Expr, check: (value: Ast.Expr | null, place: Ast.Node) => void): void {
  if (node.type === 'If' || node.type === 'Case' || node.type === 'CaseIn') {
    const clauses = node.type === 'Case' ? node.whens : node.clauses;
    for (const body of [...clauses.map((clause) => clause.body), node.else ?? []]) {
      const last = body.at(-1);
      if (last !== undefined) tail(last, check);
    }
  } else if (node.type !== 'Return' && node.type !== 'Raise') check(node, node);
}
