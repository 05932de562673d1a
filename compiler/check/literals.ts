/** Literals that certainly break the constraints of an annotation: `priority: Int(1..5) = 9`. */
import type * as Ast from '../ast.js';
import { constraintsIn } from '../annotationtypes.js';

/** The number that a range limits; null if the value is no literal of one. */
function sizeOf(value: Ast.Expr): number | null {
  switch (value.type) {
    case 'Int':
    case 'Float':
      return Number(value.value);
    case 'Str':
      return [...value.value].length;
    case 'Vector':
      return value.items.some(({ type }) => type === 'Splat') ? null : value.items.length;
    case 'Hash':
      return value.entries.some(({ type }) => type === 'Splat') ? null : value.entries.length;
    case 'Unary': {
      const size = value.op === '-' && value.operand.type !== 'Str' ? sizeOf(value.operand) : null;
      return size === null ? null : -size;
    }
    default:
      return null;
  }
}

/** Whether a literal is outside of the ranges of an annotation. Regexes are left to the run time. */
export function breaksConstraint(value: Ast.Expr, annotation: string): boolean {
  const constraints = constraintsIn(annotation);
  if (constraints.length === 0) return false;
  const size = sizeOf(value);
  if (size === null) return false;
  return constraints.some((one) => {
    if (one.kind !== 'range') return false;
    const hi = one.hi === '' ? Infinity : Number(one.hi);
    return (one.lo !== '' && size < Number(one.lo)) || (one.exclusive ? size >= hi : size > hi);
  });
}

/** What a literal that breaks a constraint is in messages; null for other values. */
export function literalText(value: Ast.Expr, annotation: string): string | null {
  if (!breaksConstraint(value, annotation)) return null;
  const size = sizeOf(value) as number;
  if (value.type === 'Str') return `one of ${size} character${size === 1 ? '' : 's'}`;
  if (value.type === 'Vector' || value.type === 'Hash') return `one of size ${size}`;
  const number = value.type === 'Unary' ? value.operand : value;
  return number.type === 'Float' && Number.isInteger(size) ? size.toFixed(1) : String(size);
}
