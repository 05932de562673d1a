import type * as Ast from '../../ast.js';
import { spineOf } from '../../spine.js';

/** A test for nil. */
export interface Test {
  value: Ast.Expr;
  /** Whether the value is nil where the test holds; else it is certainly not nil there. */
  isNil: boolean;
  /** Whether the test is of the value itself, so that it is nil on one side and not on the other. */
  isWhole: boolean;
}

/** The test for nil that a condition is. */
export function testOf(node: Ast.Expr): Test | null {
  switch (node.type) {
    case 'Assign':
      return { value: node.target, isNil: false, isWhole: true };
    case 'Ident':
      return { value: node, isNil: false, isWhole: true };
    case 'Match':
      return matchTest(node);
    case 'Binary':
      return comparison(node);
    case 'Member':
      if (node.name === 'nil?' && !node.safe) return { value: node.recv, isNil: true, isWhole: true };
      return safeTest(node) ?? { value: node, isNil: false, isWhole: true };
    case 'Method':
    case 'Index':
      return safeTest(node);
    default:
      return null;
  }
}

/** `u&.name` holds only if `u` is not nil. */
export function safeTest(node: Ast.Expr): Test | null {
  const link = spineOf(node).find((part) => 'safe' in part && part.safe);
  return link !== undefined && 'recv' in link ? { value: link.recv, isNil: false, isWhole: false } : null;
}

function comparison({ op, left, right }: Ast.Binary): Test | null {
  if (op !== '==' && op !== '!=') return safeTest(left);
  const [value, other] = left.type === 'Nil' ? [right, left] : [left, right];
  const isEqual = op === '==';
  const safe = safeTest(value);
  if (other.type === 'Nil') return { value: safe?.value ?? value, isNil: isEqual, isWhole: safe === null };
  return { value: safe?.value ?? value, isNil: !isEqual, isWhole: false };
}

function matchTest({ subject, pattern }: Ast.Match): Test | null {
  const fits = fitsNil(pattern);
  return fits === 'maybe' ? null : { value: subject, isNil: fits === 'only', isWhole: fits === 'only' };
}

/** Whether nil, or only nil, fits a pattern. */
export function fitsNil(pattern: Ast.MatchPattern): 'only' | 'never' | 'maybe' {
  switch (pattern.type) {
    case 'ValueMatch':
      if (pattern.value.type === 'Nil') return 'only';
      // A name may stand for an enum with a member nil, or for a constant.
      return pattern.value.type === 'Ident' && !/^[A-Z]/.test(pattern.value.name) ? 'maybe' : 'never';
    case 'VectorMatch':
    case 'HashMatch':
    case 'RecordMatch':
      return 'never';
    case 'NamedMatch':
      return fitsNil(pattern.pattern);
    case 'AnyMatch': {
      const all = new Set(pattern.options.map(fitsNil));
      return all.size === 1 ? [...all][0] : 'maybe';
    }
    default:
      return 'maybe';
  }
}
