import type { ParamKind } from '../vm/bytecode/program.js';
import type * as Ast from './ast.js';

/** How a parameter receives its value. */
export function kindOf(param: Ast.Param): ParamKind {
  if (param.kind === 'rest' || param.kind === 'options') return param.kind;
  if (param.kind === 'named') return param.default === null ? 'named' : 'namedOptional';
  return param.default === null ? 'required' : 'optional';
}
