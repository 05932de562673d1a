import type * as Ast from '../ast.js';
import type { ModuleScope, Resolution, Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import { CHANGING, COPIED } from './spawned.js';
import type { Types } from './types.js';
import { type Typed, walk, walkNodes } from './walk.js';

/** A file and what is known about its values. */
export interface CheckedFile {
  checked: Checked;
  types: Types;
}

/** Where a variable is changed first. */
interface Change {
  node: Ast.Node;
  checked: Checked;
}

/** Methods that change what `shared(…)` made. */
const SHARED_CHANGES = new Set(['set', 'update']);
/** Calls of natives that keep what they are given in the memory of the process. */
const MEMORY: Record<string, string> = {
  memory_store: 'others do not know its sessions; all processes share `key_store("memory:")`',
};
const DATABASES = new Set(['database', 'db_open']);

const ADVICE = 'keep it in a key store, as `store.update(…)` does, or in a database: all processes share those';

/**
 * Reports state in the memory of a process that handlers of requests change: with several processes, each has its own.
 * Follows calls of the program's functions by their names.
 */
export function checkProcessState(files: readonly CheckedFile[]): void {
  const byModule = new Map(files.map((file) => [file.checked.module, file]));
  const changes = new Map<Variable, Change>();
  const seen = new Set<object>();
  const work: { root: object; file: CheckedFile }[] = files.flatMap((file) =>
    handlersOf(file).map((root) => ({ root, file })),
  );
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { root, file } = next;
    if (seen.has(root)) continue;
    seen.add(root);
    walk(root, (node) => {
      noteChange(node, file, changes);
      const called = functionOf(node, file.checked.resolution);
      const home = called === null ? undefined : byModule.get(called.module);
      if (called !== null && home !== undefined) work.push({ root: called.node, file: home });
    });
  }
  for (const [{ name }, { node, checked }] of changes)
    checked.report('warning', 'process-state', node, `each process has a '${name}' of its own`, ADVICE);
  for (const file of files) reportStores(file);
}

/** The functions that run for requests: blocks and functions that an application's methods receive. */
function handlersOf({ checked: { module, resolution }, types }: CheckedFile): object[] {
  const found: object[] = [];
  walkNodes(module.tree, ['Method'], (node) => {
    if (node.name === 'group') return;
    const type = types.of(node.recv);
    if (type !== 'SvcApp' && type !== 'SvcGroup') return;
    if (node.block !== null) found.push(node.block);
    for (const arg of node.args) {
      const value = arg.type === 'NamedArg' ? arg.value : arg;
      if (value.type === 'Lambda') found.push(value);
      else {
        const named = functionOf(value, resolution);
        if (named !== null) found.push(named.node);
      }
    }
  });
  return found;
}

function functionOf(node: Typed, { symbols }: Resolution): { node: object; module: ModuleScope } | null {
  const symbol = symbols.get(node);
  return symbol?.kind === 'def' && symbol.node.type === 'Def' ? symbol : null;
}

/** Notes the first change of a top-level variable, or of what it holds. */
function noteChange(node: Typed, { checked, types }: CheckedFile, changes: Map<Variable, Change>): void {
  const changed = changedBy(node, types);
  const symbol = changed?.type === 'Ident' ? checked.resolution.symbols.get(changed) : undefined;
  if (symbol?.kind !== 'variable' || !symbol.variable.scope.isModuleRoot) return;
  const before = changes.get(symbol.variable);
  if (before === undefined || node.start < before.node.start) changes.set(symbol.variable, { node, checked });
}

/** The variable whose value a node changes, or null. */
function changedBy(node: Typed, types: Types): Ast.Expr | null {
  if (node.type === 'Assign' || node.type === 'OpAssign') return holder(node.target, types);
  if (node.type === 'Binary')
    return node.op === '<<' && isCollection(node.left, types) ? holder(node.left, types) : null;
  if (node.type !== 'Method') return null;
  if (SHARED_CHANGES.has(node.name) && types.of(node.recv) === 'Shared') return node.recv;
  return CHANGING.has(node.name) && isCollection(node.recv, types) ? holder(node.recv, types) : null;
}

/** The expression at the root of `a.b[c].d`. */
function holder(node: Ast.Expr, types: Types): Ast.Expr {
  let root = node;
  while (root.type === 'Member' || root.type === 'Index') root = root.recv;
  return types.of(root) === 'SvcRequest' ? node : root;
}

function isCollection(node: Ast.Expr, types: Types): boolean {
  if (node.type === 'Member' || node.type === 'Index') return isCollection(node.recv, types);
  return COPIED.has(types.of(node) ?? '');
}

/** Reports stores and databases that live in the memory of a process. */
function reportStores({ checked }: CheckedFile): void {
  walkNodes(checked.module.tree, ['Call'], (node) => {
    if (node.callee.type !== 'Ident') return;
    const symbol = checked.resolution.symbols.get(node.callee);
    if (symbol?.kind !== 'native') return;
    const hint = MEMORY[symbol.name];
    if (hint !== undefined)
      checked.report('warning', 'process-state', node, `each process has a ${symbol.name} of its own`, hint);
    const [first] = node.args;
    if (DATABASES.has(symbol.name) && first?.type === 'Str' && /^(sqlite:)?:memory:$/.test(first.value))
      checked.report(
        'warning',
        'process-state',
        node,
        'each process has a database of its own in its memory',
        'name a file: all processes share it',
      );
  });
}
