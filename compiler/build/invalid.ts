import type { ErrorNode } from '../ast.js';
import { pushObjects } from '../objects.js';
import type { Code } from '../diagnostics/codes.js';
import { type Problem, problem } from '../diagnostics/problem.js';

/** Replaces something that the grammar accepts and the language does not. */
export interface InvalidNode extends ErrorNode {
  problem: Problem;
}

/**
 * Set when a postprocessor builds an `InvalidNode`. nearley may drop that reading later, so this only says that the
 * finished tree must be searched.
 */
export const invalidNodes = { seen: false };

export function invalid(code: Code, message: string, start: number, end: number, hint = ''): InvalidNode {
  return invalidNode(problem(code, message, start, end, [], hint));
}

/** Like `invalid`, for a problem that is already described. */
export function invalidNode(found: Problem): InvalidNode {
  invalidNodes.seen = true;
  return { type: 'Error', start: found.start, end: found.end, problem: found };
}

/** Problems of all `InvalidNode`s in a finished tree. */
export function findInvalid(tree: unknown): Problem[] {
  const found: Problem[] = [];
  const rest: unknown[] = [tree];
  while (rest.length > 0) {
    const node = rest.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isInvalid(node)) found.push(node.problem);
    else pushObjects(node, rest);
  }
  return found;
}

function isInvalid(node: object): node is InvalidNode {
  return (node as { type?: unknown }).type === 'Error' && 'problem' in node;
}
