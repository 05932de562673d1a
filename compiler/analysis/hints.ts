import type * as Ast from '../ast.js';
import { walkNodes } from '../check/walk.js';
import { argumentPlaces } from '../../vm/bytecode/argumentplaces.js';
import { kindOf } from '../parameters.js';
import type { ModuleScope } from '../symbols.js';
import { calledBy } from './completion.js';
import { ownParams } from './describe.js';
import type { Facts } from './facts.js';
import type { Library } from './library.js';

/** The name of a parameter, shown before its argument. */
export interface Hint {
  at: number;
  label: string;
}

const LITERALS: ReadonlySet<string> = new Set([
  'Nil',
  'Bool',
  'Int',
  'Float',
  'Decimal',
  'Str',
  'Interp',
  'Vector',
  'Hash',
  'Lambda',
  'Unary',
]);

/** Names of parameters for arguments that are literals, which say nothing of their meaning, in a part of a file. */
export function hintsIn(facts: Facts, module: ModuleScope, library: Library, from: number, to: number): Hint[] {
  const out: Hint[] = [];
  walkNodes(module.tree, ['Call', 'Method'], (node) => {
    if (node.end < from || node.start > to || node.args.length === 0) return;
    const args = node.args.filter((arg): arg is Ast.Expr => arg.type !== 'NamedArg' && arg.type !== 'Splat');
    if (args.length === 0 || node.args.some(({ type }) => type === 'Splat') || !args.some(isLiteral)) return;
    const names = parameterNames(node, args.length, facts, module, library);
    args.forEach((arg, i) => {
      const name = names[i];
      if (name === undefined || name === '' || !isLiteral(arg) || arg.start < from || arg.end > to) return;
      if (!startsArgument(module.text, arg.start)) return;
      out.push({ at: arg.start, label: `${name}:` });
    });
  });
  return out.sort((a, b) => a.at - b.at);
}

function isLiteral({ type }: Ast.Expr): boolean {
  return LITERALS.has(type);
}

/** Whether an argument is written where its node starts: not those that the parser makes of other forms. */
function startsArgument(text: string, at: number): boolean {
  return /[(,\s]$/.test(text.slice(Math.max(0, at - 1), at));
}

/** The names of the parameters that positional arguments are for; of a single parameter none, because it says little. */
function parameterNames(
  node: Ast.Call | Ast.Method,
  count: number,
  facts: Facts,
  module: ModuleScope,
  library: Library,
): string[] {
  const called = calledBy(node, facts, module, library);
  if (called === null) return [];
  if (called.entry !== null) {
    const { params } = called.entry;
    if (params.length < 2) return [];
    const rest = params.findIndex((param) => param.startsWith('*'));
    return params.slice(0, rest < 0 ? count : rest).map((param) => /\w+/.exec(param)?.[0] ?? '');
  }
  const params = ownParams(called.def.params);
  if (params.length < 2) return [];
  const given = new Set(node.args.flatMap((arg) => (arg.type === 'NamedArg' ? [arg.name] : [])));
  const blockAt = node.block === null ? -1 : params.findLastIndex(({ kind }) => kind === 'plain');
  const { places } = argumentPlaces(
    params.map((param) => ({ kind: kindOf(param) })),
    count,
    (i) => given.has(params[i].name),
    blockAt,
  );
  const names: string[] = [];
  for (const [i, at] of places.entries()) if (at >= 0 && params[i].kind !== 'rest') names[at] = params[i].name;
  return names;
}
