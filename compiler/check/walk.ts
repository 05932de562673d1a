import type * as Ast from '../ast.js';

/** Any node, or part of the tree, that has a `type`. */
export type Typed = Ast.Expr | Ast.Arg | Ast.Pattern | Ast.SplatTarget | Ast.GroupTarget | Ast.Pair;

/** Whether a part of a node starts a function of its own. */
function opensFunction(value: object): boolean {
  const { type } = value as Typed;
  return type === 'Def' || type === 'Lambda' || (type === undefined && 'params' in value && 'body' in value);
}

/**
 * Calls `visit` for `root` and each object below it, in no particular order; those below an object only if `visit`
 * returns true for it. Iterative, because trees may be deep.
 */
function visitObjects(root: unknown, visit: (item: object) => boolean): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object' || !visit(item)) continue;
    for (const value of Object.values(item)) if (value !== null && typeof value === 'object') stack.push(value);
  }
}

/** Calls `visit` for each typed node below `root`, in no particular order. With `within`, skips functions inside. */
export function walk(root: unknown, visit: (node: Typed) => void, within = false): void {
  visitObjects(root, (item) => {
    if (within && item !== root && opensFunction(item)) return false;
    if ('type' in item) visit(item as Typed);
    return true;
  });
}

/** Typed nodes and lists of statements of a file. */
interface Parts {
  readonly nodes: Typed[];
  readonly lists: (readonly Ast.Expr[])[];
}

/** Parts of files that were walked through, which thirty checks do one after another. */
const partsOf = new WeakMap<Ast.Module, Parts>();

/** Fields with lists of statements. `body` is one in loops and clauses, and a node in functions. */
const STATEMENT_LISTS = ['stmts', 'body', 'else', 'ensure'];

function gathered(tree: Ast.Module): Parts {
  let parts = partsOf.get(tree);
  if (parts === undefined) partsOf.set(tree, (parts = gather(tree)));
  return parts;
}

function gather(tree: Ast.Module): Parts {
  const nodes: Typed[] = [];
  const lists: (readonly Ast.Expr[])[] = [];
  visitObjects(tree, (item) => {
    if ('type' in item) nodes.push(item as Typed);
    for (const name of STATEMENT_LISTS) {
      const value = (item as Record<string, unknown>)[name];
      if (Array.isArray(value)) lists.push(value as Ast.Expr[]);
    }
    return true;
  });
  return { nodes, lists };
}

/** Like `walk` for all nodes of a file whose names are resolved: after that, nothing changes its tree. */
export function walkFile(tree: Ast.Module, visit: (node: Typed) => void): void {
  for (const node of gathered(tree).nodes) visit(node);
}

/** Calls `visit` for each list of statements of a file whose names are resolved. */
export function walkStatements(tree: Ast.Module, visit: (stmts: readonly Ast.Expr[]) => void): void {
  for (const list of gathered(tree).lists) visit(list);
}
