import type * as Ast from '../ast.js';
import { namedValue } from '../build/literals.js';
import type { Symbol } from '../symbols.js';
import { offered } from './outernames.js';

/** Names of constants, and of types written in capitals. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/**
 * Decides between an annotation (`u: URL`) and a default (`limit: LIMIT`): a constant, or a name similar to one, is a
 * default. So is a member of what is no imported file, `level: config.Level`, and a file's member that is no type.
 * @param lookup what a name refers to outside of the function; null if it is a visible variable
 */
export function settleAnnotation(param: Ast.Param, lookup: (name: string) => Symbol | null): void {
  const { kind, default: value, annotation } = param;
  const file = kind === 'plain' && value === null ? /^([\p{Ll}_][^.]*)\.\w+$/u.exec(annotation ?? '')?.[1] : undefined;
  if (file !== undefined && lookup(file)?.kind !== 'namespace') {
    Object.assign(param, { kind: 'named', default: namedValue(annotation ?? '', param), annotation: null });
    return;
  }
  if (kind !== 'named') return;
  const name = typeWrittenAsValue(value, lookup);
  if (name !== null) Object.assign(param, { kind: 'plain', default: null, annotation: name });
}

/** The name of a type in capitals, `URL` or `tax.VAT`, that was read as a value; null for other values. */
function typeWrittenAsValue(value: Ast.Expr | null, lookup: (name: string) => Symbol | null): string | null {
  if (value?.type === 'Member' && value.recv.type === 'Ident' && CONSTANT.test(value.name)) {
    const file = lookup(value.recv.name);
    const symbol = file?.kind === 'namespace' ? offered(value.name, file.module) : null;
    return symbol !== null && isType(symbol) ? `${value.recv.name}.${value.name}` : null;
  }
  if (value?.type !== 'Ident' || !CONSTANT.test(value.name)) return null;
  const symbol = lookup(value.name);
  const isUnknown = symbol?.kind === 'unknown' && !CONSTANT.test(symbol.near ?? '');
  return symbol !== null && (isType(symbol) || isUnknown) ? value.name : null;
}

function isType({ kind }: Symbol): boolean {
  return kind === 'type' || kind === 'def';
}
