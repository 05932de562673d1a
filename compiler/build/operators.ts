import type { Assign, BinaryOp, ConstDecl, Expr, Ident, Index, Member, OpAssign, Target } from '../ast.js';
import type { Token } from '../layout/token.js';
import { invalid } from './invalid.js';
import { jump } from './jumps.js';
import { List, toArray } from './list.js';
import { joined, NO_END } from './literals.js';
import { namedPattern, pinned, questionPattern } from './patterns.js';
import { pipe } from './pipes.js';
import { bindingOf, isRightAssociative, PREFIX_STRENGTH, TERNARY } from './strength.js';

interface Prefixed {
  kind: 'prefixed';
  prefixes: Token[];
  operand: Expr;
}
interface TernaryMiddle {
  kind: 'ternary';
  then: Expr;
}
interface Infix {
  kind: 'infix';
  token: Token;
}
type Item = Expr | Prefixed | TernaryMiddle | Infix;
/** Operands and operators in source order. */
export type Operands = List<Item>;

export function prefixed(prefixes: List<Token>, operand: Expr): Prefixed {
  return { kind: 'prefixed', prefixes: toArray(prefixes), operand };
}

export function infix(token: Token): Infix {
  return { kind: 'infix', token };
}

export function ternary(then: Expr): TernaryMiddle {
  return { kind: 'ternary', then };
}

export function operation(list: List<Item>, operator: Infix | TernaryMiddle, operand: Item): List<Item> {
  return new List(new List<Item>(list, operator), operand);
}

/** Turns a flat sequence of operands and operators into a tree. */
export function resolve(list: List<Item>): Expr {
  const only = list.last;
  if (list.init === null && !('kind' in only)) return only;
  return new Climber(toArray(list)).climb(0);
}

/**
 * Precedence climbing. It recurses to the right only, whose depth the layout pass limits; left-associative chains are a
 * loop.
 */
class Climber {
  private at = 0;

  constructor(private readonly items: Item[]) {}

  climb(strength: number): Expr {
    return this.extend(this.operand(), strength);
  }

  /** Continues `left` with the operators that bind at least as tightly as `strength`. */
  private extend(left: Expr, strength: number): Expr {
    let tree = left;
    for (let item = this.items[this.at]; item !== undefined; item = this.items[this.at]) {
      const binding = strengthOf(item);
      if (binding < strength) break;
      this.at++;
      if ('kind' in item && item.kind === 'ternary') tree = conditional(tree, item.then, this.climb(binding));
      else tree = combine((item as Infix).token, tree, this.climb(isRightAssociative(binding) ? binding : binding + 1));
    }
    return tree;
  }

  private operand(): Expr {
    const item = this.items[this.at++] as Expr | Prefixed;
    return 'kind' in item ? this.applyPrefix(item, 0) : item;
  }

  private applyPrefix(item: Prefixed, index: number): Expr {
    const token = item.prefixes[index];
    const inner = index + 1 < item.prefixes.length ? this.applyPrefix(item, index + 1) : item.operand;
    return prefix(token, this.extend(inner, PREFIX_STRENGTH[token.text]));
  }
}

function strengthOf(item: Item): number {
  if (!('kind' in item)) return -1;
  return item.kind === 'infix' ? bindingOf(item.token) : TERNARY;
}

function conditional(cond: Expr, then: Expr, otherwise: Expr): Expr {
  return { type: 'If', start: cond.start, end: otherwise.end, clauses: [{ cond, body: [then] }], else: [otherwise] };
}

function prefix(token: Token, operand: Expr): Expr {
  const { start, text } = token;
  const { end } = operand;
  if (operand === NO_END) return unclearRange(token);
  switch (text) {
    case 'await':
      return { type: 'Await', start, end, operand };
    case '!':
    case 'not':
      return { type: 'Unary', start, end, op: 'not', operand };
    case '-':
    case '+':
    case '~':
      return { type: 'Unary', start, end, op: text, operand };
    case '^':
      return pinned(token, operand);
    default:
      return jump(token, operand, end);
  }
}

function combine(token: Token, left: Expr, right: Expr): Expr {
  const { start } = left;
  const { end } = right;
  switch (token.text) {
    case '|>':
      return pipe(left, right);
    case 'and':
    case '&&':
      return { type: 'Logical', start, end, op: 'and', left, right };
    case 'or':
    case '||':
      return { type: 'Logical', start, end, op: 'or', left, right };
    case 'in':
      return { type: 'Match', start, end, subject: left, pattern: questionPattern(right) };
    case '=>':
      return namedPattern(left, right);
    case '':
      return joined(left, right);
    case '..':
    case '...':
      return range(left, right, token);
    default:
      if (right === NO_END) return unclearRange(token);
      if (token.type !== 'BINOP') return assign(token, left, right);
      return { type: 'Binary', start, end, op: token.text as BinaryOp, left, right, opStart: token.start };
  }
}

/** An operator before a range without a start, which binds tighter than the range. */
function unclearRange({ start, end, text }: Token): Expr {
  return invalid(
    'syntax-error',
    `\`${text}\` cannot take a range without a start`,
    start,
    end,
    'put the range in parentheses',
  );
}

function range(left: Expr, right: Expr, token: Token): Expr {
  const { start, end } = token;
  if (left === NO_END && right === NO_END)
    return invalid('syntax-error', 'a range has a start or an end', start, end, 'write `0..` for all elements');
  const lo: Expr = left === NO_END ? { type: 'Nil', start, end: start } : left;
  const hi = right === NO_END ? null : right;
  return { type: 'Range', start: lo.start, end: hi?.end ?? token.end, lo, hi, exclusive: token.text === '...' };
}

/** A condition. An `=` in it is an error unless it is in parentheses. */
export function condition(list: List<Item>): Expr {
  for (let rest: List<Item> | null = list; rest !== null; rest = rest.init) {
    const item = rest.last;
    if ('kind' in item && item.kind === 'infix' && item.token.type === 'ASGN') return assignmentInCondition(item.token);
  }
  return resolve(list);
}

/**
 * `while line = read()` is common and allowed. With a literal on the right the loop would never end, so that is an
 * error.
 */
export function loopCondition(list: List<Item>): Expr {
  const value = list.last;
  const before = list.init?.last;
  const assigns = before !== undefined && 'kind' in before && before.kind === 'infix' && before.token.type === 'ASGN';
  return assigns && !('kind' in value) && isLiteral(value) ? assignmentInCondition(before.token) : resolve(list);
}

function isLiteral({ type }: Expr): boolean {
  return ['Int', 'Float', 'Decimal', 'Str', 'Nil', 'Bool'].includes(type);
}

function assignmentInCondition({ start, end }: Token): Expr {
  return invalid(
    'assignment-in-condition',
    '`=` assigns; use `==` to compare',
    start,
    end,
    'to assign here, put the assignment in parentheses',
  );
}

/** Replaces the last operand of a flat sequence. */
export function replaceLast(list: Operands, change: (last: Expr) => Expr): Expr {
  return resolve(new List(list.init, change(list.last as Expr)));
}

// ---- assignments

const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

function assign(token: Token, target: Expr, value: Expr): Assign | OpAssign | ConstDecl {
  const { start } = target;
  const { end } = value;
  if (token.text === '=') {
    if (target.type === 'Ident' && CONSTANT.test(target.name)) {
      return { type: 'ConstDecl', start, end, name: { start, end: target.end, name: target.name }, value };
    }
    return { type: 'Assign', start, end, target: asTarget(target), value };
  }
  const op = token.text.slice(0, -1) as OpAssign['op'];
  return { type: 'OpAssign', start, end, op, target: asTarget(target), value, opStart: token.start };
}

/** The left side of an assignment: a name, a field or an element; anything else is an error. */
export function asTarget(node: Expr): Target {
  const { start, end } = node;
  if (node.type === 'Index' && node.args.length > 1) {
    return invalid(
      'invalid-target',
      'cannot assign to several elements at once',
      start,
      end,
      'assign to one element: `x[i] = v`',
    ) as unknown as Target;
  }
  if (isTarget(node)) return node;
  return invalid(
    'invalid-target',
    `cannot assign to ${describe(node)}`,
    start,
    end,
    'assign to a name, a field `x.name` or an element `x[i]`; `==` compares',
  ) as unknown as Target;
}

function isTarget(node: Expr): node is Ident | Member | Index {
  if (node.type === 'Ident' || node.type === 'Member') return !/[?!]$/.test(node.name);
  return node.type === 'Index' || node.type === 'Error';
}

function describe(node: Expr): string {
  if (node.type === 'Call' || node.type === 'Method') return 'the result of a call';
  if (node.type === 'Ident') return `\`${node.name}\`, because names of variables do not end in \`?\` or \`!\``;
  if (node.type === 'Member')
    return `\`.${node.name}\`, because names that end in \`?\` or \`!\` are methods; a key is written \`["${node.name}"]\``;
  return isLiteral(node) ? 'a literal' : 'an expression';
}
