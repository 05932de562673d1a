/** Names of several loaded files, of which the first one counts. */
import type * as Ast from '../ast.js';
import { moduleSymbol } from '../resolve/outernames.js';
import type { ModuleScope, Symbol, Variable } from '../symbols.js';
import type { Checked } from './environment.js';

/** Maximum number of names in a message. */
const MAX_SHOWN = 5;

/** Reports functions, types and constants of a loaded file that those of a file loaded before hide. */
export function checkHidden({ module, resolution, report }: Checked): void {
  const before: { node: Ast.UseModule; file: ModuleScope }[] = [];
  for (const node of module.tree.stmts) {
    if (node.type !== 'UseModule' || node.form === 'import') continue;
    const file = resolution.modules.get(node);
    if (file === undefined || before.some((other) => other.file === file)) continue;
    // What a file defines itself is meant to stand in place of what it loads.
    const names = namesOf(file).filter((name) => !module.symbols.has(name) && !module.main.root.names.has(name));
    for (const other of before) {
      const hidden = names.filter((name) => hides(other.file, name, file));
      if (hidden.length === 0) continue;
      const shown = hidden.length > MAX_SHOWN ? [...hidden.slice(0, MAX_SHOWN), '…'] : hidden;
      report(
        'warning',
        'hidden-name',
        node,
        `"${other.node.path}", which is loaded before, hides names of "${node.path}": ${shown.join(', ')}`,
        'rename them, or load one of the files with `import`, which keeps names apart',
      );
    }
    before.push({ node, file });
  }
}

/** The functions, types and constants of a file that others can use. */
function namesOf(file: ModuleScope): string[] {
  const constants = [...file.main.root.names.values()].filter(({ isConstant }) => isConstant).map(({ name }) => name);
  const declared = [...file.symbols].filter(([, { kind }]) => kind !== 'namespace').map(([name]) => name);
  return [...declared, ...constants].filter((name) => /^\w+[?!]?$/.test(name) && file.offers(name));
}

/** Whether a name of `first` stands for something else than in `second`. */
function hides(first: ModuleScope, name: string, second: ModuleScope): boolean {
  if (!first.offers(name)) return false;
  const meaning = meaningOf(name, first);
  return meaning !== null && meaning !== meaningOf(name, second);
}

function meaningOf(name: string, file: ModuleScope): Symbol | Variable | null {
  const own = file.main.root.names.get(name);
  if (own !== undefined) return own;
  const symbol = moduleSymbol(name, file, new Set());
  return symbol?.kind === 'variable' ? symbol.variable : symbol;
}
