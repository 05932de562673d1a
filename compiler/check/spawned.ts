import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { assignedIn, walk, walkNodes, walkStatements } from './walk.js';

/** Methods that change their receiver, a vector or a hash. */
export const CHANGING = new Set(
  'push append << concat insert unshift prepend pop shift delete delete_at delete_if clear store merge! update map! select! reject! sort! sort_by! uniq! compact! reverse! shuffle! fill'.split(
    ' ',
  ),
);
/** Types whose values `spawn` copies: those of collections that change. */
export const COPIED = new Set(['Vector', 'Hash', 'Set']);

interface Change {
  node: Ast.Node;
  original: Variable;
  /** The end of the `spawn` block. */
  end: number;
}

/**
 * Reports changes that a `spawn` block makes to its copy of a variable: nothing in the block reads the copy, and the
 * variable is read after the block as if it had changed.
 */
export function checkSpawned(checked: Checked, types: Types): void {
  const changes: Change[] = [];
  const dropped = new Dropped(checked, types);
  walkNodes(checked.module.tree, ['Call'], (node) => {
    if (node.block === null || node.callee.type !== 'Ident') return;
    const symbol = checked.resolution.symbols.get(node.callee);
    if (symbol?.kind !== 'native' || symbol.name !== 'spawn') return;
    const { stmts } = node.block.body;
    const last = stmts[stmts.length - 1];
    for (const change of changesIn(node.block, checked, types))
      // The value of the last statement is the result of the thread.
      if (change.node !== last || dropped.has(node)) changes.push(change);
  });
  if (changes.length === 0) return;
  const uses = usesOutside(checked);
  for (const { node, original, end } of changes) {
    const after = (uses.get(original) ?? []).filter((use) => use.start > end);
    if (after.length === 0 || after.some(({ isTarget }) => isTarget)) continue;
    checked.report(
      'warning',
      'lost-change',
      node,
      `this changes a copy: '${original.name}' stays as it is outside of \`spawn\``,
      'return the value and use `await`, or keep it in `shared(…)`',
    );
  }
}

/** Iterators that do not use the value of their block. */
const IGNORING = new Set(['each', 'times', 'each_with_index', 'upto', 'downto', 'step']);

/** Finds threads whose results nothing uses. */
class Dropped {
  private readonly dropped = new Set<Ast.Node>();
  /** Reads of variables, without statements that only wait for them. */
  private readonly used = new Set<Variable>();

  constructor(
    { module, resolution }: Checked,
    private readonly types: Types,
  ) {
    walkStatements(module.tree, (stmts) => stmts.slice(0, -1).forEach((stmt) => this.drop(stmt)));
    this.drop(module.tree.stmts[module.tree.stmts.length - 1]);
    walkNodes(module.tree, ['For', 'While', 'Method'], (node) => {
      if (node.type !== 'Method') this.drop(node.body[node.body.length - 1]);
      else if (node.block !== null && IGNORING.has(node.name))
        this.drop(node.block.body.stmts[node.block.body.stmts.length - 1]);
    });
    const waits = new Set<Ast.Node>();
    const targets = new Set<Ast.Node>();
    walkNodes(module.tree, ['Await', 'Assign'], (node) => {
      if (node.type === 'Assign') targets.add(node.target);
      else if (this.dropped.has(node)) waits.add(node.operand);
    });
    walkNodes(module.tree, ['Ident'], (node) => {
      const symbol = waits.has(node) || targets.has(node) ? undefined : resolution.symbols.get(node);
      if (symbol?.kind === 'variable') this.used.add(symbol.variable);
    });
    // `tasks = list.map { spawn { … } }`, where the program only waits for `tasks`.
    walkNodes(module.tree, ['Assign'], (node) => {
      if (!this.dropped.has(node)) return;
      const variable = this.types.fixed(node.target);
      if (variable === null || this.used.has(variable)) return;
      this.drop(node.value);
      const { value } = node;
      if (value.type === 'Method' && value.name === 'map' && value.block !== null)
        this.drop(value.block.body.stmts[value.block.body.stmts.length - 1]);
    });
  }

  private drop(node: Ast.Expr | undefined): void {
    if (node !== undefined) this.dropped.add(node);
  }

  has(node: Ast.Node): boolean {
    return this.dropped.has(node);
  }
}

/** Changes of copies that the block does not read. */
function changesIn(block: Ast.Block, { resolution }: Checked, types: Types): Change[] {
  const found = new Map<Variable, Ast.Node>();
  const changed = new Set<Ast.Node>();
  const copy = (node: Ast.Expr): Variable | null => {
    const symbol = resolution.symbols.get(node);
    return symbol?.kind === 'variable' && symbol.variable.copyOf !== null ? symbol.variable : null;
  };
  const note = (target: Ast.Expr, node: Ast.Node): void => {
    const variable = copy(target);
    if (variable === null) return;
    changed.add(target);
    found.set(variable, node);
  };
  const isCopied = (node: Ast.Expr): boolean => COPIED.has(types.of(node) ?? '');
  walk(block.body, (node) => {
    if (node.type === 'Assign' || node.type === 'OpAssign') {
      if (node.target.type === 'Ident') note(node.target, node);
      else if (isCopied(node.target.recv)) note(node.target.recv, node);
    } else if (node.type === 'Method' && CHANGING.has(node.name) && isCopied(node.recv)) note(node.recv, node);
    else if (node.type === 'Binary' && node.op === '<<' && isCopied(node.left)) note(node.left, node);
  });
  walk(block.body, (node) => {
    const variable = node.type === 'Ident' && !changed.has(node) ? copy(node) : null;
    if (variable !== null) found.delete(variable);
  });
  return [...found].flatMap(([variable, node]) => {
    const original = variable.copyOf;
    return original === null || original.copyOf !== null ? [] : [{ node, original, end: block.end }];
  });
}

/** Uses of variables, without those of copies. */
function usesOutside({ module, resolution }: Checked): Map<Variable, { start: number; isTarget: boolean }[]> {
  const targets = assignedIn(module.tree);
  const out = new Map<Variable, { start: number; isTarget: boolean }[]>();
  walkNodes(module.tree, ['Ident'], (node) => {
    const symbol = resolution.symbols.get(node);
    if (symbol?.kind !== 'variable') return;
    const list = out.get(symbol.variable) ?? [];
    list.push({ start: node.start, isTarget: targets.has(node) });
    out.set(symbol.variable, list);
  });
  return out;
}
