import type * as Ast from './ast.js';

/** The operand that continues a left-deep chain, or null. */
function leftOf(node: Ast.Expr): Ast.Expr | null {
  switch (node.type) {
    case 'Binary':
      return node.left;
    case 'Logical':
      return node.left;
    case 'Method':
    case 'Member':
    case 'Index':
      return node.recv;
    case 'Call':
      return node.callee;
    default:
      return null;
  }
}

/**
 * The nodes of a left-deep chain such as `a.b(c).d + e`, innermost first. Passes iterate over it instead of recursing,
 * because chains may have thousands of links.
 */
export function spineOf(node: Ast.Expr): Ast.Expr[] {
  const chain: Ast.Expr[] = [];
  for (let next: Ast.Expr | null = node; next !== null; next = leftOf(next)) chain.push(next);
  return chain.reverse();
}
