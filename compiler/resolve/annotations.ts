import type * as Ast from '../ast.js';
import { namedValue } from '../build/literals.js';
import type { Symbol } from '../symbols.js';

/** Names of constants, and of types written in capitals. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/**
 * Decides between an annotation (`u: URL`) and a default (`limit: LIMIT`): a constant, or a name similar to one, is a
 * default. So is a member of what is no imported file: `level: config.Level`.
 * @param lookup what a name refers to outside of the function; null if it is a visible variable
 */
export function settleAnnotation(param: Ast.Param, lookup: (name: string) => Symbol | null): void {
  const { kind, default: value, annotation } = param;
  const file = kind === 'plain' && value === null ? /^([\p{Ll}_][^.]*)\.\w+$/u.exec(annotation ?? '')?.[1] : undefined;
  if (file !== undefined && lookup(file)?.kind !== 'namespace') {
    Object.assign(param, { kind: 'named', default: namedValue(annotation ?? '', param), annotation: null });
    return;
  }
  if (kind !== 'named' || value?.type !== 'Ident' || !CONSTANT.test(value.name)) return;
  const symbol = lookup(value.name);
  if (symbol === null) return;
  const isType =
    symbol.kind === 'type' || symbol.kind === 'def' || (symbol.kind === 'unknown' && !CONSTANT.test(symbol.near ?? ''));
  if (isType) Object.assign(param, { kind: 'plain', default: null, annotation: value.name });
}
