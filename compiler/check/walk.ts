import type * as Ast from '../ast.js';

/** Any node, or part of the tree, that has a `type`. */
export type Typed = Ast.Expr | Ast.Arg | Ast.Pattern | Ast.SplatTarget | Ast.GroupTarget | Ast.Pair;

/** Whether a part of a node starts a function of its own. */
function opensFunction(value: object): boolean {
  const { type } = value as Typed;
  return type === 'Def' || type === 'Lambda' || (type === undefined && 'params' in value && 'body' in value);
}

/**
 * Calls `visit` for each typed node below `root`, in no particular order. Iterative, because trees may be deep. With
 * `within`, skips functions inside.
 */
export function walk(root: unknown, visit: (node: Typed) => void, within = false): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object') continue;
    if (within && item !== root && opensFunction(item)) continue;
    if ('type' in item) visit(item as Typed);
    for (const value of Object.values(item)) if (value !== null && typeof value === 'object') stack.push(value);
  }
}

/** The typed nodes of files that were walked through, which twenty checks do one after another. */
const nodesOf = new WeakMap<Ast.Module, Typed[]>();

/** Like `walk` for all nodes of a file whose names are resolved: after that, nothing changes its tree. */
export function walkFile(tree: Ast.Module, visit: (node: Typed) => void): void {
  let nodes = nodesOf.get(tree);
  if (nodes === undefined) {
    const found: Typed[] = [];
    walk(tree, (node) => found.push(node));
    nodes = found;
    nodesOf.set(tree, nodes);
  }
  for (const node of nodes) visit(node);
}

/** Calls `visit` for each list of statements below `root`. */
export function walkStatements(root: unknown, visit: (stmts: readonly Ast.Expr[]) => void): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object') continue;
    for (const [key, value] of Object.entries(item) as [string, unknown][]) {
      if (value === null || typeof value !== 'object') continue;
      if (STATEMENT_LISTS.has(key) && Array.isArray(value)) visit(value as Ast.Expr[]);
      stack.push(value);
    }
  }
}

/** `body` is a list of statements in loops and clauses, and a node in functions. */
const STATEMENT_LISTS = new Set(['stmts', 'body', 'else', 'ensure']);
