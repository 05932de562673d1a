import type * as Ast from '../ast.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import type { Label } from '../../vm/bytecode/encode.js';
import { spineOf } from '../spine.js';
import type { Variable } from '../symbols.js';
import { DISCARD, type Emitters, type FunctionBuilder } from './builder.js';
import { emitInt } from './literals.js';
import { emitOperator } from './operators.js';
import { assignedReceiver } from './calls.js';
import { takeApart } from './patterns.js';

function variableOf(b: FunctionBuilder, node: Ast.Node): Variable {
  const symbol = b.program.resolution.symbols.get(node);
  if (symbol?.kind !== 'variable') throw new Error('assignment to no variable');
  return symbol.variable;
}

/**
 * Evaluates `value` directly into a variable's register if it has one. Returns a register that holds the value
 * afterwards.
 */
function assignVariable(b: FunctionBuilder, variable: Variable, value: Ast.Expr): number {
  const location = b.locate(variable);
  if (location.kind === 'register' && location.register < 256) {
    b.expr(value, location.register);
    return location.register;
  }
  const register = b.operand(value);
  b.storeVariable(variable, register);
  return register;
}

function emitAssign(b: FunctionBuilder, node: Ast.Assign, dest: number): void {
  const { target } = node;
  if (target.type === 'Ident') {
    if (b.program.resolution.reassigned.has(node)) return constantAgain(b, target.name, node, dest);
    b.move(dest, assignVariable(b, variableOf(b, target), node.value));
    return;
  }
  const skip = b.encoder.newLabel();
  const place = openPlace(b, target, [node.value], skip);
  const value = b.operand(node.value);
  place.store(value);
  b.move(dest, value);
  endPlace(b, target, skip, dest);
}

/** A member or an element, with its receiver and index in registers. */
interface Place {
  load(dest: number): void;
  store(value: number): void;
}

/** Whether an assignment does nothing where a `&.` is behind nil. */
function maySkip(target: Ast.Member | Ast.Index): boolean {
  return spineOf(target).some((node) => 'safe' in node && node.safe);
}

/** Ends an assignment: where it was skipped, its value is nil. */
function endPlace(b: FunctionBuilder, target: Ast.Member | Ast.Index, skip: Label, dest: number): void {
  if (!maySkip(target)) return;
  const { encoder } = b;
  if (dest === DISCARD) {
    encoder.bind(skip);
    return;
  }
  const done = encoder.newLabel();
  encoder.jump(Op.JUMP, done);
  encoder.bind(skip);
  encoder.emit(Op.LOADNIL, dest);
  encoder.bind(done);
}

/** @param skip where to go on if there is no place, because a `&.` is behind nil */
function openPlace(b: FunctionBuilder, target: Ast.Member | Ast.Index, later: readonly Ast.Node[], skip: Label): Place {
  const { encoder } = b;
  if (target.type === 'Member') {
    const recv = assignedReceiver(b, target, later, skip);
    const name = b.program.string(target.name);
    return {
      load: (dest) => {
        b.at(target.nameStart);
        encoder.emit(Op.GETF, dest, recv, 0, [name]);
      },
      store: (value) => {
        b.at(target.nameStart);
        encoder.emit(Op.SETF, recv, value, 0, [name]);
      },
    };
  }
  const recv = assignedReceiver(b, target, [...target.args, ...later], skip);
  const index = b.stableOperand(target.args[0], later);
  return {
    load: (dest) => {
      b.at(target.recv.end);
      encoder.emit(Op.INDEX, dest, recv, index);
    },
    store: (value) => {
      b.at(target.recv.end);
      encoder.emit(Op.SETINDEX, recv, index, value);
    },
  };
}

function emitOpAssign(b: FunctionBuilder, node: Ast.OpAssign, dest: number): void {
  if (node.target.type === 'Ident') {
    if (b.program.resolution.reassigned.has(node)) return constantAgain(b, node.target.name, node, dest);
    const variable = variableOf(b, node.target);
    if (node.op === '||' || node.op === '&&') logicalAssign(b, node, dest, variablePlace(b, variable));
    else opAssignVariable(b, node, variable, dest);
    return;
  }
  const skip = b.encoder.newLabel();
  const place = openPlace(b, node.target, [node.value], skip);
  if (node.op === '||' || node.op === '&&') {
    logicalAssign(b, node, dest, place);
    endPlace(b, node.target, skip, dest);
    return;
  }
  const value = b.temp();
  place.load(value);
  const right = b.operand(node.value);
  b.at(node.opStart);
  emitOperator(b, node.op, value, value, right);
  place.store(value);
  b.move(dest, value);
  endPlace(b, node.target, skip, dest);
}

function variablePlace(b: FunctionBuilder, variable: Variable): Place {
  return { load: (dest) => b.loadVariable(variable, dest), store: (value) => b.storeVariable(variable, value) };
}

function opAssignVariable(b: FunctionBuilder, node: Ast.OpAssign, variable: Variable, dest: number): void {
  const op = node.op as Ast.BinaryOp;
  const location = b.locate(variable);
  const own = location.kind === 'register' && location.register < 256 ? location.register : null;
  const current = own !== null ? b.stableOperand(node.target, [node.value]) : b.temp();
  if (own === null) b.loadVariable(variable, current);
  const result = own ?? current;
  const { value } = node;
  const isStep =
    value.type === 'Int' && typeof value.value === 'number' && value.value !== 0 && Math.abs(value.value) < 128;
  if (isStep && (op === '+' || op === '-')) {
    b.at(node.opStart);
    b.encoder.emit(Op.ADDI, result, current, op === '+' ? Number(value.value) : -Number(value.value));
  } else {
    const right = b.operand(value);
    b.at(node.opStart);
    emitOperator(b, op, result, current, right);
  }
  if (own === null) b.storeVariable(variable, result);
  b.move(dest, result);
}

function logicalAssign(b: FunctionBuilder, node: Ast.OpAssign, dest: number, place: Place): void {
  const { encoder } = b;
  const value = b.temp();
  const skip = encoder.newLabel();
  place.load(value);
  if (node.counter !== undefined) countReplaced(b, node, node.counter, value);
  encoder.jump(node.op === '||' ? Op.JT : Op.JF, skip, value);
  b.expr(node.value, value);
  place.store(value);
  encoder.bind(skip);
  b.move(dest, value);
}

/** Counts, for coverage, whether the value that a place has is replaced. */
function countReplaced(b: FunctionBuilder, { op }: Ast.OpAssign, counter: number, value: number): void {
  const mark = b.mark();
  const number = b.temp();
  emitInt(b, counter, number);
  b.encoder.emitList(
    Op.NATIVE,
    b.temp(),
    [number, value],
    [b.program.native(op === '||' ? '%branch_unless' : '%branch')],
  );
  b.release(mark);
}

type AnyTarget = Ast.Target | Ast.SplatTarget | Ast.GroupTarget;

function emitMultiAssign(b: FunctionBuilder, node: Ast.MultiAssign, dest: number): void {
  const items = dest === DISCARD ? itemsForEach(node) : null;
  if (items !== null) {
    assignEach(b, node.targets, items);
    return;
  }
  const value = b.temp();
  b.expr(node.value, value);
  assignTargets(b, node.targets, value);
  b.move(dest, value);
}

/** The values of `a, b = c, d`, one for each target; null where only the vector itself can be taken apart. */
function itemsForEach({ targets, value }: Ast.MultiAssign): Ast.Expr[] | null {
  if (value.type !== 'Vector' || value.items.length !== targets.length) return null;
  if (targets.some(({ type }) => type === 'SplatTarget')) return null;
  const items = value.items.filter((item) => item.type !== 'Splat');
  return items.length === targets.length ? items : null;
}

/** Evaluates all values before the first is assigned. */
function assignEach(b: FunctionBuilder, targets: readonly AnyTarget[], items: readonly Ast.Expr[]): void {
  const values = items.map((item) => {
    const value = b.temp();
    b.expr(item, value);
    return value;
  });
  targets.forEach((target, i) => assignTarget(b, target, values[i]));
}

function assignTargets(b: FunctionBuilder, targets: readonly AnyTarget[], value: number): void {
  takeApart(
    b,
    targets,
    value,
    (target) => target.type === 'SplatTarget',
    (target, part) => assignTarget(b, target, part),
  );
}

function assignTarget(b: FunctionBuilder, target: AnyTarget, value: number): void {
  switch (target.type) {
    case 'Ident':
      b.storeVariable(variableOf(b, target), value);
      break;
    case 'SplatTarget':
      if (target.target !== null) assignTarget(b, target.target, value);
      break;
    case 'GroupTarget':
      assignTargets(b, target.targets, value);
      break;
    default: {
      const skip = b.encoder.newLabel();
      openPlace(b, target, [], skip).store(value);
      endPlace(b, target, skip, DISCARD);
    }
  }
}

function emitHashDestructure(b: FunctionBuilder, node: Ast.HashDestructure, dest: number): void {
  const hash = b.temp();
  b.expr(node.value, hash);
  b.encoder.emitList(Op.NATIVE, hash, [hash], [b.program.native('%fields')]);
  for (const { key, name } of node.entries) {
    const mark = b.mark();
    const part = b.temp();
    b.encoder.emitWord(Op.LOADK, part, b.program.string(key));
    b.encoder.emit(Op.INDEX, part, hash, part);
    b.storeVariable(variableOf(b, name), part);
    b.release(mark);
  }
  b.move(dest, hash);
}

function emitConst(b: FunctionBuilder, node: Ast.ConstDecl, dest: number): void {
  const { reassigned, repeated } = b.program.resolution;
  if (repeated.has(node)) return constantInLoop(b, node, dest);
  if (!reassigned.has(node)) {
    b.move(dest, assignVariable(b, variableOf(b, node.name), node.value));
    return;
  }
  constantAgain(b, node.name.name, node, dest);
}

/** A constant declared in a loop: only the first iteration assigns it. */
function constantInLoop(b: FunctionBuilder, node: Ast.ConstDecl, dest: number): void {
  const variable = variableOf(b, node.name);
  const mark = b.mark();
  const current = b.temp();
  const first = b.encoder.newLabel();
  const done = b.encoder.newLabel();
  b.loadVariable(variable, current);
  b.encoder.jump(Op.JNIL, first, current);
  constantAgain(b, node.name.name, node, dest);
  b.encoder.jump(Op.JUMP, done);
  b.encoder.bind(first);
  b.move(dest, assignVariable(b, variable, node.value));
  b.encoder.bind(done);
  b.release(mark);
}

/** Assigns to a constant that already has a value: evaluates the new value, discards it and warns. */
function constantAgain(
  b: FunctionBuilder,
  constant: string,
  node: Ast.Assign | Ast.OpAssign | Ast.ConstDecl,
  dest: number,
): void {
  b.expr(node.value, DISCARD);
  const name = b.temp();
  b.encoder.emitWord(Op.LOADK, name, b.program.string(constant));
  b.at(node.start);
  b.encoder.emitList(Op.NATIVE, name, [name], [b.program.native('%constant_again')]);
  if (dest !== DISCARD) b.encoder.emit(Op.LOADNIL, dest);
}

export const assignEmitters: Pick<Emitters, 'Assign' | 'OpAssign' | 'MultiAssign' | 'HashDestructure' | 'ConstDecl'> = {
  Assign: emitAssign,
  OpAssign: emitOpAssign,
  MultiAssign: emitMultiAssign,
  HashDestructure: emitHashDestructure,
  ConstDecl: emitConst,
};
