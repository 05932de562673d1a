/** Clauses of `rescue` that catch nothing, and `raise` of what is no error. */
import type * as Ast from '../ast.js';
import { article, isConcrete } from '../annotationtypes.js';
import { typeNamed } from '../resolve/outernames.js';
import type { TypeSymbol } from '../symbols.js';
import type { Checked } from './environment.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { walkFile, walkNodes } from './walk.js';

export function checkRescues(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Raise'], (node) => raised(node, checked, types));
  for (const body of bodiesOf(checked.module.tree)) clauses(body, checked);
}

/** All bodies with a `rescue`. */
function bodiesOf(tree: Ast.Module): Set<Ast.Body> {
  const found = new Set<Ast.Body>();
  walkFile(tree, (node) => {
    const body = 'block' in node && node.block !== null ? node.block.body : null;
    const own = node.type === 'Def' || node.type === 'Lambda' || node.type === 'Begin' ? node.body : null;
    for (const one of [body, own]) if (one !== null && one.rescues.length > 0) found.add(one);
  });
  return found;
}

function clauses({ rescues }: Ast.Body, checked: Checked): void {
  const caught = new Set<string>();
  for (const { types, start } of rescues) {
    const place = { start, end: start + 'rescue'.length };
    const named = types.map((type) => errorNamed(type, checked));
    for (const [i, type] of types.entries())
      if (named[i] === null && isNoError(type, checked)) {
        const message = 'this is not an error type, so the clause does not catch it';
        checked.report('error', 'wrong-type', type, message, 'declare it with `error Name`');
      }
    const parents = named.map((chain) => chain?.find((name) => caught.has(name)) ?? null);
    const [first] = parents;
    if (first !== undefined && parents.every((parent) => parent !== null))
      unreachable(place, `a clause above catches ${first}`, checked);
    else if (caught.has('Error')) unreachable(place, 'a clause above catches every error', checked);
    for (const chain of named) if (chain !== null) caught.add(chain[0]);
    if (types.length === 0) caught.add('Error');
  }
}

function unreachable(place: Ast.Node, reason: string, { report }: Checked): void {
  report('warning', 'unreachable-clause', place, `this clause is never reached: ${reason}`);
}

/** The error type that an expression names, and its parents; null if it is something else. */
function errorNamed(node: Ast.Expr, { resolution, env }: Checked): string[] | null {
  const symbol = typeNamed(resolution, node);
  if (symbol?.kind === 'native') return env.errors.get(symbol.name) ?? null;
  if (symbol?.kind !== 'type' || symbol.node.type !== 'ErrorDecl') return null;
  return parentsOf(symbol, env.errors);
}

/** An error type of the program and its parents, in the same file and in the library. */
function parentsOf(symbol: TypeSymbol, errors: ReadonlyMap<string, string[]>): string[] {
  const chain: string[] = [];
  for (let next: TypeSymbol | null = symbol; next?.node.type === 'ErrorDecl';) {
    chain.push(`${next.module.index} ${next.name}`);
    const { parent } = next.node;
    if (parent === null) return [...chain, ...(errors.get('RuntimeError') ?? [])];
    const above = next.module.symbols.get(parent.name);
    if (above?.kind !== 'type') return [...chain, ...(errors.get(parent.name) ?? [])];
    next = above;
  }
  return chain;
}

/** Whether an expression certainly names a type that is not one of errors. */
function isNoError(node: Ast.Expr, { resolution }: Checked): boolean {
  const symbol = typeNamed(resolution, node);
  if (symbol?.kind === 'native') return isConcrete(symbol.name);
  if (symbol?.kind === 'type') return symbol.node.type !== 'ErrorDecl';
  return symbol?.kind === 'def' && symbol.node.type === 'RecordDecl';
}

function raised({ args: [value] }: Ast.Raise, checked: Checked, types: Types): void {
  if (value === undefined || value.type === 'NamedArg' || value.type === 'Splat') return;
  const all = types.possible(value);
  const isNoValue = all !== null && !all.has('String') && [...all].every((type) => isNotRaised(type, types));
  if (!isNoValue && !isNoError(value, checked)) return;
  const what = isNoValue && all !== null ? `this is ${article(unionText(all))}` : 'this is another type';
  checked.report('error', 'wrong-type', value, `raise takes an error, its type or a text; ${what}`);
}

function isNotRaised(type: string, types: Types): boolean {
  return isConcrete(type) || types.record(type) !== null;
}
