import type { Arg, Expr } from '../ast.js';
import type { Token } from '../layout/token.js';

/** A jump word without a value. */
export function bareJump(token: Token): Expr {
  return jump(token, null, token.end);
}

/** `return v` and the other jump words, with the value that follows, if any. */
export function jump(token: Token, value: Expr | null, end: number): Expr {
  const { start, text } = token;
  const label = token.extra === '' ? null : token.extra;
  switch (text) {
    case 'return':
      return { type: 'Return', start, end, value };
    case 'break':
      return { type: 'Break', start, end, value, label };
    case 'next':
      return { type: 'Next', start, end, value, label };
    case 'raise':
      return { type: 'Raise', start, end, args: value === null ? [] : [value] };
    default:
      return { type: 'Retry', start, end };
  }
}

/** `raise A, "m"`. */
export function raise(start: number, end: number, args: Arg[]): Expr {
  return { type: 'Raise', start, end, args };
}
