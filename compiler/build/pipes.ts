import type { Expr } from '../ast.js';

/** `x |> f` is `f(x)`, `x |> f(a)` is `f(x, a)`, `x |> m.f(a)` is `m.f(x, a)`. */
export function pipe(left: Expr, right: Expr): Expr {
  const { start } = left;
  const { end } = right;
  switch (right.type) {
    case 'Call':
      return { type: 'Call', start, end, callee: right.callee, args: [left, ...right.args], block: right.block };
    case 'Method':
      return {
        type: 'Method',
        start,
        end,
        recv: right.recv,
        name: right.name,
        nameStart: right.nameStart,
        args: [left, ...right.args],
        block: right.block,
        safe: right.safe,
      };
    case 'Member':
      return {
        type: 'Method',
        start,
        end,
        recv: right.recv,
        name: right.name,
        nameStart: right.nameStart,
        args: [left],
        block: null,
        safe: right.safe,
      };
    default:
      return { type: 'Call', start, end, callee: right, args: [left], block: null };
  }
}
