/** `break` in blocks that are functions: it ends the call that the block was given to. */
import type * as Ast from '../ast.js';
import { pushObjects } from '../objects.js';
import { Variable, type Scope } from '../symbols.js';

/** Methods of the library whose block runs after the call has ended. */
const LATER_METHODS = new Set(
  'get post put patch delete options head any ws before after use error not_found every on_gap subscribe'.split(' '),
);
/** Functions of the library whose block runs in another thread. */
const LATER_FUNCTIONS = new Set(['every', 'subscribe']);

/**
 * Whether the block of a call runs when the call has ended, so that `break` has nothing to end.
 * @param owned names of methods that records of the program have, where the receiver is known only at run time
 */
export function runsLater(call: Ast.Method | Ast.Call, native: string, owned: ReadonlySet<string>): boolean {
  if (call.type === 'Call') return LATER_FUNCTIONS.has(native);
  return LATER_METHODS.has(call.name) && !owned.has(call.name);
}

/** The variable, declared around a block, that holds the mark of its call while that runs; null without a `break`. */
export function exitVariable(block: Ast.Block, scope: Scope): Variable | null {
  if (!hasBreak(block)) return null;
  const variable = new Variable('%exit', scope, false);
  variable.assignments = 1;
  variable.perIteration = true;
  scope.variables.push(variable);
  return variable;
}

/** Whether a `break` refers to the block itself, not to a loop or block in it. */
export function hasBreak(block: Ast.Block): boolean {
  const stack: unknown[] = [block.body];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === null || typeof node !== 'object') continue;
    const { type } = node as Ast.Expr;
    if (type === 'Break' && (node as Ast.Break).label === null) return true;
    if (type === 'While' || type === 'For' || ('params' in node && 'body' in node)) continue;
    pushObjects(node, stack);
  }
  return false;
}
