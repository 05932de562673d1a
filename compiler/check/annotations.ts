import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { TYPES_ELSEWHERE } from '../resolve/foreignnames.js';
import type { Checked } from './environment.js';
import { alternatives, fits, isKnownType, type Types } from './types.js';
import { walk } from './walk.js';

/** Reports annotations with unknown types, and defaults and results that do not fit their annotation. */
export function checkAnnotations(checked: Checked, types: Types): void {
  walk(checked.module.tree, (node) => {
    if (node.type === 'Def') {
      parameters(node.params, checked, types);
      result(node, checked, types);
    } else if (node.type === 'Lambda') parameters(node.params, checked, types);
    else if (node.type === 'RecordDecl') parameters(node.fields, checked, types);
  });
}

function parameters(params: readonly Ast.Param[], checked: Checked, types: Types): void {
  for (const param of params) {
    if (param.annotation === null) continue;
    names(param.annotation, param, checked);
    // A default of `nil` marks an optional argument, whatever its type.
    const type = param.default === null || param.default.type === 'Nil' ? null : types.of(param.default);
    if (type !== null && !fits(type, param.annotation)) {
      checked.report(
        'error',
        'wrong-type',
        param.default as Ast.Expr,
        `the default of '${param.name}' must be ${param.annotation}, this is ${type}`,
      );
    }
  }
}

function names(annotation: string, node: Ast.Node, { module, env, report }: Checked): void {
  for (const name of alternatives(annotation)) {
    if (
      isKnownType(name) ||
      env.natives.has(name) ||
      module.symbols.has(name) ||
      module.merged.some((other) => other.symbols.has(name))
    )
      continue;
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
    const type = value === null ? 'Nil' : types.of(value);
    if (type !== null && !fits(type, returns))
      checked.report(
        'error',
        'wrong-type',
        place,
        `${def.name.name}() must return ${returns}, this is ${type === 'Nil' ? 'nil' : type}`,
      );
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
}

function tail(node: Ast.Expr, check: (value: Ast.Expr | null, place: Ast.Node) => void): void {
  if (node.type === 'If') {
    for (const body of [...node.clauses.map((clause) => clause.body), ...(node.else === null ? [] : [node.else])]) {
      const last = body[body.length - 1];
      if (last !== undefined) tail(last, check);
    }
  } else if (node.type !== 'Return' && node.type !== 'Raise') check(node, node);
}
