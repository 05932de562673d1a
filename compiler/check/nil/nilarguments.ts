import type * as Ast from '../../ast.js';
import type { Symbol } from '../../symbols.js';
import { annotationOf } from '../../annotationtypes.js';
import type { Checked } from '../environment.js';

export function valueOf(arg: Ast.Arg): Ast.Expr {
  return arg.type === 'NamedArg' || arg.type === 'Splat' ? arg.value : arg;
}

/** The name and type of the parameter that an argument is for; null if it has no type, or is not known. */
export function parameterFor(
  arg: Ast.Arg,
  at: number,
  symbol: Symbol | undefined,
  { env }: Checked,
): { name: string; type: string } | null {
  if (symbol?.kind === 'native') {
    const param = arg.type === 'NamedArg' ? undefined : env.signatures.get(symbol.name)?.params[at];
    return param?.kind === 'plain' ? param : null;
  }
  if (symbol?.kind !== 'def') return null;
  const before = symbol.params.slice(0, at + 1);
  const param =
    arg.type === 'NamedArg'
      ? symbol.params.find(({ name }) => name === arg.name)
      : before.every(({ kind }) => kind === 'plain')
        ? before[at]
        : undefined;
  const type = param === undefined || param.default !== null ? null : annotationOf(param);
  return type === null || param === undefined ? null : { name: param.name, type };
}
