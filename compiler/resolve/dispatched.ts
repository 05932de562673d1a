/** Iterators whose receivers may have methods of their own in place of the prelude's. */
import type * as Ast from '../ast.js';
import { pushObjects } from '../objects.js';
import { declarations } from '../modules.js';
import type { ModuleScope } from '../symbols.js';

/** Methods with a block that lazy sequences have themselves. */
export const LAZY_METHODS =
  'map collect select filter reject filter_map flat_map take_while drop_while with_index each_with_index uniq tap_each';

/** Whether a program may make lazy sequences; `cycle` without an argument is one. */
const LAZY = /\.\s*(?:lazy|cycle)\b/;

/** Methods with a block that key stores have themselves. */
const STORE_METHODS = 'fetch update';

/** Whether a program may have key stores. */
const KEY_STORE = /\bkey_store\b/;

/** Whether a program may take single elements of sequences, or raise their error. */
const STOPS = /\bStopIteration\b|\.\s*(?:next|peek)\b/;
const SEQUENCES = /\b(?:StopIteration|sequence|lazy|cycle|each_chunk|def\s+each)\b|\.\s*each\s*\(/;

/** Whether functions that a `loop` calls may raise StopIteration. */
export function mayStop(modules: readonly ModuleScope[]): boolean {
  return modules.some(({ text }) => STOPS.test(text)) && modules.some(({ text }) => SEQUENCES.test(text));
}

/**
 * Names of iterators for which the receiver decides at run time: methods of the program's records, and those of lazy
 * sequences and key stores if it has any. `each` of a record is called by the iterators themselves.
 */
export function dispatchedNames(modules: readonly ModuleScope[]): Set<string> {
  const names = new Set<string>();
  for (const { tree, text } of modules) {
    if (LAZY.test(text)) for (const name of LAZY_METHODS.split(' ')) names.add(name);
    if (KEY_STORE.test(text)) for (const name of STORE_METHODS.split(' ')) names.add(name);
    for (const node of declarations(tree))
      if (node.type === 'RecordDecl' || node.type === 'InterfaceDecl')
        for (const method of node.methods) names.add(method.name.name);
  }
  names.delete('each');
  return names;
}

/**
 * Whether a block leaves something around its call by a jump: by `return`, or by `break` or `next` with a label. Such a
 * block is inlined.
 */
export function leavesBlock(block: Ast.Block): boolean {
  const stack: unknown[] = [block.body];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === null || typeof node !== 'object') continue;
    const { type } = node as Ast.Expr;
    if (type === 'Lambda') continue;
    if (type === 'Return') return true;
    if ((type === 'Break' || type === 'Next') && (node as Ast.Break | Ast.Next).label !== null) return true;
    pushObjects(node, stack);
  }
  return false;
}
