/** What routes declare about their requests: `app.post("/tickets", body: NewTicket)`. */
import type * as Ast from '../ast.js';
import type { Checked } from './environment.js';

/** The options that declare the parts of a request, by the methods that return the parts. */
export const PARTS: ReadonlyMap<string, string> = new Map([
  ['valid', 'body'],
  ['query_valid', 'query'],
  ['params_valid', 'params'],
]);

/** The value of a named argument; null if it is not given, or may be in a splat. */
export function option(call: Ast.Method, name: string): Ast.Expr | null {
  const arg = call.args.find((one): one is Ast.NamedArg => one.type === 'NamedArg' && one.name === name);
  return arg?.value ?? null;
}

/**
 * The type that a part of a request has in the handler that is a block of `call`, as an annotation. null: unknown.
 * @param member `valid`, `query_valid` or `params_valid`
 */
export function partOf(call: Ast.Method, member: string, { resolution }: Checked): string | null {
  const declared = option(call, PARTS.get(member) ?? '');
  if (declared === null) return null;
  const type = typeName(declared, resolution);
  return type !== null && option(call, 'on_invalid') !== null ? `${type} | nil` : type;
}

function typeName(declared: Ast.Expr, resolution: Checked['resolution']): string | null {
  if (declared.type === 'RecordDecl') return declared.name.name;
  const symbol = declared.type === 'Ident' ? resolution.symbols.get(declared) : undefined;
  return symbol?.kind === 'def' && symbol.node.type === 'RecordDecl' ? symbol.name : null;
}
