/** Types as members of enums and of imported files: `Event.Opened(at)`, `shop.Money(5)`. */
import type * as Ast from '../ast.js';
import { allowsNil, argumentsOf, namesIn, withoutNil } from '../annotationtypes.js';
import { moduleSymbol, offered, typeNamed, typeSymbol, variantOf } from '../resolve/outernames.js';
import type { DefSymbol, ModuleScope, TypeSymbol } from '../symbols.js';
import type { Checked } from './environment.js';

/** The enum that an expression names, also one of an imported file. */
export function enumNamed(node: Ast.Expr, { resolution }: Checked): (TypeSymbol & { node: Ast.EnumDecl }) | null {
  const symbol = typeNamed(resolution, node);
  return symbol?.kind === 'type' && symbol.node.type === 'EnumDecl' ? { ...symbol, node: symbol.node } : null;
}

/** The record type that an expression names: `Money`, `shop.Money` or `Event.Opened`, but no value without fields. */
export function recordNamed(node: Ast.Expr, { resolution }: Checked): DefSymbol | null {
  const symbol = typeNamed(resolution, node) ?? (node.type === 'Member' ? variantOf(resolution, node) : null);
  if (symbol?.kind !== 'def' || symbol.node.type !== 'RecordDecl') return null;
  return symbol.node.fields.length === 0 && symbol.name.includes('.') ? null : symbol;
}

/** The function or record of an imported file that `file.name` means. */
export function importedDef(node: Ast.Method | Ast.Member, { resolution }: Checked): DefSymbol | null {
  const space = node.recv.type === 'Ident' && !node.safe ? resolution.symbols.get(node.recv) : undefined;
  const member = space?.kind === 'namespace' ? offered(node.name, space.module) : null;
  return member?.kind === 'def' ? member : null;
}

/** The type of a member of an enum, or of a new record of one; null if it is another expression, or the type itself. */
export function ofEnumMember(node: Ast.Method | Ast.Member, checked: Checked): string | null {
  const owner = node.safe ? null : enumNamed(node.recv, checked);
  if (owner === null || !owner.node.members.some(({ name }) => name === node.name)) return null;
  if (owner.node.variants === null) return node.type === 'Member' ? 'String' : null;
  const variant = variantOf(checked.resolution, node)?.node;
  const isValue = variant?.type === 'RecordDecl' && (variant.fields.length === 0) === (node.type === 'Member');
  return isValue ? `${textOf(node.recv)}.${node.name}` : null;
}

/** `Event` or `shop.Event`, as the program writes it. */
function textOf(node: Ast.Expr): string {
  return node.type === 'Member' ? `${textOf(node.recv)}.${node.name}` : node.type === 'Ident' ? node.name : '';
}

/**
 * An annotation of an imported file as the importing file would write it: `Money` as `shop.Money`. null if that is not
 * possible.
 * @param prefix `shop.`, or empty for types that are visible without
 */
export function seenFrom(annotation: string | null, prefix: string, from: ModuleScope, to: ModuleScope): string | null {
  if (annotation === null || prefix === '') return annotation;
  if ([...namesIn(annotation)].every((name) => moduleSymbol(name.split('.')[0], from, new Set()) === null))
    return annotation;
  const name = withoutNil(annotation);
  if (name === null || argumentsOf(annotation).length > 0) return null;
  const own = prefix + name;
  return typeSymbol(own, to) === null ? null : `${own}${allowsNil(annotation) ? '?' : ''}`;
}
