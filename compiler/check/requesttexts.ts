import type * as Ast from '../ast.js';
import type { Types } from './types.js';

const TEXTS = new Set(['params', 'query', 'form', 'headers', 'cookies']);
const WHOLE_TEXTS = new Set(['body', 'path', 'url', 'host']);

/** Whether a value is a text that the client chose: `req.params["id"]`, `req.body`. */
export function isOfRequest(node: Ast.Expr, types: Types): boolean {
  const variable = types.fixed(node);
  const value = variable === null ? node : types.valueOf(variable);
  if (value === null) return false;
  const isRequest = (inner: Ast.Expr): boolean => types.of(inner) === 'SvcRequest';
  if (value.type === 'Index') {
    const { recv } = value;
    return (recv.type === 'Member' || recv.type === 'Method') && TEXTS.has(recv.name) && isRequest(recv.recv);
  }
  return value.type === 'Member' && WHOLE_TEXTS.has(value.name) && isRequest(value.recv);
}
