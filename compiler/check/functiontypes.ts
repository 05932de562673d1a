/** Functions whose number of parameters does not fit a type such as `(Int, Int) -> Bool`. */
import type * as Ast from '../ast.js';
import { functionOf } from '../annotationtypes.js';
import type { Checked } from './environment.js';

/** The parameters of a lambda, or of a function that is passed by its name; null if they are not known. */
function paramsOf(value: Ast.Expr, { resolution }: Checked): readonly Ast.Param[] | null {
  if (value.type === 'Lambda') return resolution.implicit.has(value) ? null : value.params;
  const symbol = value.type === 'Ident' ? resolution.symbols.get(value) : undefined;
  const isOwn = symbol?.kind === 'def' && symbol.node.type === 'Def' && !symbol.module.isPrelude;
  return isOwn ? symbol.params : null;
}

/** What a function is, if it cannot be called with the arguments of its type: `a function of 2 arguments`. */
export function otherArity(value: Ast.Expr, annotation: string, checked: Checked): string | null {
  const wanted = functionOf(annotation);
  const params = wanted === null ? null : paramsOf(value, checked);
  if (wanted === null || params === null || params.some(({ kind }) => kind === 'options')) return null;
  const plain = params.filter(({ kind }) => kind === 'plain');
  const needed = params.filter((param) => param.default === null && param.kind !== 'rest').length;
  const most = params.some(({ kind }) => kind === 'rest') ? Infinity : plain.length;
  const count = wanted.params.length;
  if (count >= needed && count <= most) return null;
  return `a function of ${plain.length} argument${plain.length === 1 ? '' : 's'}`;
}
