/** Literals that certainly break the constraints of an annotation: `priority: Int(1..5) = 9`. */
import { compareExact, type ExactNumber, exactNumber, exactText } from '../../vm/bytecode/exactnumbers.js';
import type * as Ast from '../ast.js';
import { constraintsIn } from '../annotationtypes.js';
import { boundText } from '../constraints.js';

/** The number that a range limits; null if the value is no literal of one. */
function sizeOf(value: Ast.Expr): ExactNumber | null {
  switch (value.type) {
    case 'Int':
      return wholeNumber(value.value);
    case 'Float':
    case 'Decimal':
      return Number.isFinite(Number(value.value)) ? exactNumber(String(value.value)) : null;
    case 'Str':
      return wholeNumber([...value.value].length);
    case 'Vector':
      return value.items.some(({ type }) => type === 'Splat') ? null : wholeNumber(value.items.length);
    case 'Hash':
      return value.entries.some(({ type }) => type === 'Splat') ? null : wholeNumber(value.entries.length);
    case 'Unary': {
      const size = value.op === '-' && value.operand.type !== 'Str' ? sizeOf(value.operand) : null;
      return size === null ? null : { ...size, digits: -size.digits };
    }
    default:
      return null;
  }
}

function wholeNumber(n: number | bigint): ExactNumber {
  return { digits: BigInt(n), decimals: 0 };
}

/** Whether a literal is outside of the ranges of an annotation. Regexes are left to the run time. */
export function breaksConstraint(value: Ast.Expr, annotation: string): boolean {
  const constraints = constraintsIn(annotation);
  if (constraints.length === 0) return false;
  const size = sizeOf(value);
  if (size === null) return false;
  const order = (bound: string): number => compareExact(size, exactNumber(boundText(bound)));
  return constraints.some(
    (one) =>
      one.kind === 'range' &&
      ((one.lo !== '' && order(one.lo) < 0) || (one.hi !== '' && order(one.hi) > (one.exclusive ? -1 : 0))),
  );
}

/** What a literal that breaks a constraint is in messages; null for other values. */
export function literalText(value: Ast.Expr, annotation: string): string | null {
  if (!breaksConstraint(value, annotation)) return null;
  const size = exactText(sizeOf(value) as ExactNumber);
  if (value.type === 'Str') return `one of ${size} character${size === '1' ? '' : 's'}`;
  if (value.type === 'Vector' || value.type === 'Hash') return `one of size ${size}`;
  const number = value.type === 'Unary' ? value.operand : value;
  return number.type === 'Float' && !size.includes('.') ? `${size}.0` : size;
}
