import type * as Ast from '../ast.js';
import type { Label } from '../../vm/bytecode/encode.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { DISCARD, type Emitters, type FunctionBuilder } from './builder.js';
import { jumpIfMatch } from './matching.js';

/** Operators that are methods of their left operand. */
type MethodOp = '&' | '^' | '>>';

const OPCODE: Record<Exclude<Ast.BinaryOp, '!~' | MethodOp>, Op> = {
  '+': Op.ADD,
  '-': Op.SUB,
  '*': Op.MUL,
  '/': Op.DIV,
  '//': Op.IDIV,
  '%': Op.MOD,
  '**': Op.POW,
  '<<': Op.APPEND,
  '|': Op.UNION,
  '<': Op.LT,
  '<=': Op.LE,
  '>': Op.GT,
  '>=': Op.GE,
  '==': Op.EQ,
  '!=': Op.NE,
  '=~': Op.MATCH,
  '<=>': Op.COMPARE,
};

/** Writes `dest = left op right`. */
export function emitOperator(b: FunctionBuilder, op: Ast.BinaryOp, dest: number, left: number, right: number): void {
  if (op === '!~') {
    b.encoder.emit(Op.MATCH, dest, left, right);
    b.encoder.emit(Op.NOT, dest, dest);
  } else if (op === '&' || op === '^' || op === '>>')
    b.encoder.emit(Op.CALLM, dest, left, 1, [b.program.string(op)], [right]);
  else b.encoder.emit(OPCODE[op], dest, left, right);
}

/** The value of an Integer literal that fits in a signed byte, or null. */
function smallInt(node: Ast.Expr): number | null {
  return node.type === 'Int' && typeof node.value === 'number' && Math.abs(node.value) < 128 ? node.value : null;
}

/** Writes left-deep chains in a loop: they may have thousands of links. */
function emitBinary(b: FunctionBuilder, node: Ast.Binary, dest: number): void {
  const chain: Ast.Binary[] = [];
  let first: Ast.Expr = node;
  for (; first.type === 'Binary'; first = first.left) chain.push(first);
  chain.reverse();
  const result = b.target(dest);
  let left = b.stableOperand(
    first,
    chain.map((link) => link.right),
  );
  const acc = b.isVariable(result) && chain.length > 1 ? b.temp() : result;
  const mark = b.mark();
  chain.forEach((link, i) => {
    emitLink(b, link, i === chain.length - 1 ? result : acc, left);
    left = acc;
    b.release(mark);
  });
}

function emitLink(b: FunctionBuilder, node: Ast.Binary, dest: number, left: number): void {
  const small = smallInt(node.right);
  // `x - 0` stays a subtraction, which keeps the sign of −0.0 and the operator's name in messages.
  if (small !== null && (node.op === '+' || (node.op === '-' && small !== 0))) {
    b.at(node.opStart);
    b.encoder.emit(Op.ADDI, dest, left, node.op === '+' ? small : -small);
    return;
  }
  const right = b.operand(node.right);
  b.at(node.opStart);
  emitOperator(b, node.op, dest, left, right);
}

function emitLogical(b: FunctionBuilder, node: Ast.Logical, dest: number): void {
  const { encoder } = b;
  if (dest === DISCARD) {
    const skip = encoder.newLabel();
    jumpIf(b, node.left, node.op === 'or', skip);
    b.expr(node.right, DISCARD);
    encoder.bind(skip);
    return;
  }
  const chain: Ast.Logical[] = [];
  let first: Ast.Expr = node;
  for (; first.type === 'Logical'; first = first.left) chain.push(first);
  chain.reverse();
  const value = b.scratch(dest);
  b.expr(first, value);
  // `a and b or c` nests to the left: each link decides by the value so far.
  for (const link of chain) {
    const skip = encoder.newLabel();
    encoder.jump(link.op === 'and' ? Op.JF : Op.JT, skip, value);
    b.expr(link.right, value);
    encoder.bind(skip);
  }
  b.move(dest, value);
}

const JUMP_UNLESS: Partial<Record<Ast.BinaryOp, Op>> = {
  '<': Op.JNLT,
  '<=': Op.JNLE,
  '>': Op.JNGT,
  '>=': Op.JNGE,
  '==': Op.JNEQ,
  '!=': Op.JEQ,
};

/** Jumps to `to` if the truth of `node` equals `sense`. */
export function jumpIf(b: FunctionBuilder, node: Ast.Expr, sense: boolean, to: Label): void {
  const { encoder } = b;
  const mark = b.mark();
  if (node.type === 'Unary' && node.op === 'not' && !mayBeOwnNot(b, node)) jumpIf(b, node.operand, !sense, to);
  else if (node.type === 'Bool' && node.value === sense) encoder.jump(Op.JUMP, to);
  else if (node.type === 'Bool') return;
  else if (node.type === 'Match') jumpIfMatch(b, node, sense, to);
  else if (node.type === 'Logical' && node.left.type !== 'Logical') jumpLogical(b, node, sense, to);
  else if (node.type === 'Binary' && !sense && JUMP_UNLESS[node.op] !== undefined) jumpUnlessCompare(b, node, to);
  else {
    const value = b.operand(node);
    b.at(node.start);
    encoder.jump(sense ? Op.JT : Op.JF, to, value);
  }
  b.release(mark);
}

function jumpLogical(b: FunctionBuilder, node: Ast.Logical, sense: boolean, to: Label): void {
  if ((node.op === 'or') === sense) {
    jumpIf(b, node.left, sense, to);
    jumpIf(b, node.right, sense, to);
    return;
  }
  const skip = b.encoder.newLabel();
  jumpIf(b, node.left, !sense, skip);
  jumpIf(b, node.right, sense, to);
  b.encoder.bind(skip);
}

function jumpUnlessCompare(b: FunctionBuilder, node: Ast.Binary, to: Label): void {
  const { left, right, op } = node;
  const a = b.stableOperand(left, [right]);
  if (op === '<' && right.type === 'Int' && typeof right.value === 'number' && Math.abs(right.value) < 32768) {
    b.at(node.opStart);
    b.encoder.emit16(Op.JNLTI, a, right.value, [to]);
    return;
  }
  const c = b.operand(right);
  b.at(node.opStart);
  b.encoder.jump(JUMP_UNLESS[op] as Op, to, a, c);
}

/** Whether `!x` or `not x`, other than the `not` of `unless`, may call a method of a record of the program. */
function mayBeOwnNot(b: FunctionBuilder, { start, operand }: Ast.Unary): boolean {
  return start < operand.start && b.program.names.dispatched.has('!');
}

/** `!x`, whose operand decides at run time. */
function emitOwnNot(b: FunctionBuilder, value: number, dest: number): void {
  const { encoder, program } = b;
  const plain = encoder.newLabel();
  const done = encoder.newLabel();
  const test = b.temp();
  encoder.emitList(Op.NATIVE, test, [value], [program.native('%negates')]);
  encoder.jump(Op.JF, plain, test);
  encoder.emit(Op.CALLM, dest, value, 0, [program.string('!')], []);
  encoder.jump(Op.JUMP, done);
  encoder.bind(plain);
  encoder.emit(Op.NOT, dest, value);
  encoder.bind(done);
}

function emitUnary(b: FunctionBuilder, node: Ast.Unary, dest: number): void {
  const value = b.operand(node.operand);
  const result = b.target(dest);
  b.at(node.start);
  if (node.op === 'not' && mayBeOwnNot(b, node)) emitOwnNot(b, value, result);
  else if (node.op === 'not') b.encoder.emit(Op.NOT, result, value);
  else if (node.op === '-') b.encoder.emit(Op.NEG, result, value);
  else if (node.op === '~') b.encoder.emit(Op.CALLM, result, value, 0, [b.program.string('~')], []);
  else b.encoder.emitList(Op.NATIVE, result, [value], [b.program.native('%plus')]);
}

export const operatorEmitters: Pick<Emitters, 'Binary' | 'Logical' | 'Unary' | 'Await'> = {
  Binary: emitBinary,
  Logical: emitLogical,
  Unary: emitUnary,
  Await: (b, node, dest) => {
    const value = b.operand(node.operand);
    b.at(node.start);
    b.encoder.emitList(Op.NATIVE, b.target(dest), [value], [b.program.native('await')]);
  },
};
