import type * as Ast from '../ast.js';
import { pushObjects } from '../objects.js';

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
    if (item !== null && typeof item === 'object' && visit(item)) pushObjects(item, stack);
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
  /** Where the nodes of a type are in `nodes`, in ascending order. */
  readonly places: Map<Typed['type'], number[]>;
  readonly lists: (readonly Ast.Expr[])[];
  /** Targets of assignments; `assignedIn` fills it. */
  readonly assigned: Set<Ast.Node>;
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
  const places = new Map<Typed['type'], number[]>();
  const lists: (readonly Ast.Expr[])[] = [];
  visitObjects(tree, (item) => {
    if ('type' in item) {
      const node = item as Typed;
      const own = places.get(node.type);
      if (own === undefined) places.set(node.type, [nodes.length]);
      else own.push(nodes.length);
      nodes.push(node);
    }
    for (const name of STATEMENT_LISTS) {
      const value = (item as Record<string, unknown>)[name];
      if (Array.isArray(value)) lists.push(value as Ast.Expr[]);
    }
    return true;
  });
  return { nodes, places, lists, assigned: new Set() };
}

/** Like `walk` for all nodes of a file whose names are resolved: after that, nothing changes its tree. */
export function walkFile(tree: Ast.Module, visit: (node: Typed) => void): void {
  for (const node of gathered(tree).nodes) visit(node);
}

/** Like `walkFile` for the nodes of some types, in the same order. */
export function walkNodes<T extends Typed['type']>(
  tree: Ast.Module,
  types: readonly T[],
  visit: (node: Extract<Typed, { type: T }>) => void,
): void {
  const { nodes, places } = gathered(tree);
  const lists = types.map((type) => places.get(type) ?? []);
  const passed = lists.map(() => 0);
  for (;;) {
    let next = -1;
    for (let i = 0; i < lists.length; i++)
      if (passed[i] < lists[i].length && (next < 0 || lists[i][passed[i]] < lists[next][passed[next]])) next = i;
    if (next < 0) return;
    visit(nodes[lists[next][passed[next]++]] as Extract<Typed, { type: T }>);
  }
}

/** The targets of all assignments of a file; of `a, b[i] = …` also all nodes inside of them. */
export function assignedIn(tree: Ast.Module): ReadonlySet<Ast.Node> {
  const { assigned } = gathered(tree);
  if (assigned.size === 0)
    walkNodes(tree, ['Assign', 'OpAssign', 'MultiAssign'], (node) => {
      if (node.type !== 'MultiAssign') assigned.add(node.target);
      else walk(node.targets, (target) => assigned.add(target));
    });
  return assigned;
}

/** Calls `visit` for each list of statements of a file whose names are resolved. */
export function walkStatements(tree: Ast.Module, visit: (stmts: readonly Ast.Expr[]) => void): void {
  for (const list of gathered(tree).lists) visit(list);
}
