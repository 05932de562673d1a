import type { Instruction } from '../../bytecode/decode.js';
import type { Op } from '../../bytecode/generated/op.js';
import { OPCODES } from '../../bytecode/opcodes.js';
import { FLOAT_FLOAT, FLOAT_INT, GAVE_UP, INT_FLOAT, INT_INT, NOT_RAW } from '../../interpreter/feedback.js';
import { NativeFunction } from '../../values/function.js';
import { Float } from '../../values/value.js';
import { fieldRead } from './fields.js';
import type { FloatEmitter, Generator } from './generator.js';

/**
 * Operands of an instruction as JavaScript numbers if at least one is known to be a Float and the other a number; else
 * null.
 */
function operands(g: Generator, pc: number, b: number, c: number): [string, string] | null {
  const seen = g.feedback(pc);
  const known = g.isUnboxed(b) && g.isUnboxed(c);
  if ((seen & NOT_RAW) !== 0 && !known) return null;
  if (known || seen === FLOAT_FLOAT) return [g.unboxed(b), g.unboxed(c)];
  if (seen === FLOAT_INT) return [g.unboxed(b), g.number(c)];
  if (seen === INT_FLOAT) return [g.number(b), g.unboxed(c)];
  return null;
}

function arithmetic(operator: string): FloatEmitter {
  return (g, { a, b, c, pc }) => {
    const numbers = operands(g, pc, b, c);
    if (numbers === null) return false;
    g.setUnboxed(a, `${numbers[0]}${operator}${numbers[1]}`);
    return true;
  };
}

/** A quotient is a Float even for Integers. Division by zero is left to the interpreter. */
function divide(g: Generator, { a, b, c, pc }: Instruction): boolean {
  const numbers = g.feedback(pc) === INT_INT && !g.isUnboxed(b) && !g.isUnboxed(c) ? [g.number(b), g.number(c)] : operands(g, pc, b, c);
  if (numbers === null) return false;
  g.guard(`${numbers[1]}!==0`);
  g.setUnboxed(a, `${numbers[0]}/${numbers[1]}`);
  return true;
}

function comparison(operator: string): FloatEmitter {
  return (g, { a, b, c, pc }) => {
    const numbers = operands(g, pc, b, c);
    if (numbers === null) return false;
    g.out(`r${a}=${numbers[0]}${operator}${numbers[1]};`);
    g.setTagged(a);
    return true;
  };
}

function jumpUnless(operator: string): FloatEmitter {
  return (g, instruction) => {
    const numbers = operands(g, instruction.pc, instruction.a, instruction.b);
    if (numbers === null) return false;
    g.jump(instruction, `!(${numbers[0]}${operator}${numbers[1]})`);
    return true;
  };
}

function addImmediate(g: Generator, { a, b, immediate, pc }: Instruction): boolean {
  const seen = g.feedback(pc);
  if (!g.isUnboxed(b) && seen !== FLOAT_INT) return false;
  g.setUnboxed(a, `${g.unboxed(b)}+${immediate}`);
  return true;
}

function negate(g: Generator, { a, b, pc }: Instruction): boolean {
  if (!g.isUnboxed(b) && g.feedback(pc) !== FLOAT_FLOAT) return false;
  g.setUnboxed(a, `-${g.unboxed(b)}`);
  return true;
}

function loadConstant(g: Generator, { a, extras }: Instruction): boolean {
  const value = g.fn.constants[extras.K];
  if (!(value instanceof Float)) return false;
  g.setUnboxed(a, Object.is(value.n, -0) ? '-0' : String(value.n));
  return true;
}

function move(g: Generator, { a, b }: Instruction): boolean {
  if (!g.isUnboxed(b)) return false;
  g.setUnboxed(a, g.unboxed(b));
  return true;
}

function jumpUnlessImmediate(g: Generator, instruction: Instruction): boolean {
  if (!g.isUnboxed(instruction.a)) return false;
  g.jump(instruction, `!(${g.unboxed(instruction.a)}<${instruction.immediate})`);
  return true;
}

/** Reads a field that held a Float when its shape was cached. */
function getField(g: Generator, { a, b, pc }: Instruction): boolean {
  const cache = g.fn.caches[pc];
  if (cache === undefined || !cache.isFloat || (g.feedback(pc) & GAVE_UP) !== 0) return false;
  g.use(b);
  if (cache.ofRecord) {
    g.records.expectRecord(b, cache);
    g.records.expectFloats(b, cache);
    g.setUnboxed(a, `e${b}[${cache.slot}]`);
    return true;
  }
  const { condition, code } = fieldRead(g, pc, b);
  g.guard(`${condition}&&(u=${code})!==null&&u.n!==undefined`);
  g.setUnboxed(a, 'u.n');
  return true;
}

/** Stores the number unboxed in the record. */
function setField(g: Generator, { a, b, pc }: Instruction): boolean {
  const cache = g.fn.caches[pc];
  if (!g.isUnboxed(b) || cache === undefined || !cache.ofRecord || (g.feedback(pc) & GAVE_UP) !== 0) return false;
  g.use(a);
  g.records.expectRecord(a, cache);
  const number = g.unboxed(b);
  if (g.records.hasFloat(a, cache.slot)) g.out(`e${a}[${cache.slot}]=${number};`);
  else g.records.storeFloat(a, cache.slot, number);
  return true;
}

/** Calls of functions like `sqrt`. */
function callNative(g: Generator, { a, args, extras }: Instruction): boolean {
  const native = g.fn.natives[extras.N];
  if (!(native instanceof NativeFunction) || native.onDouble === null || args.length !== 1 || !g.isUnboxed(args[0])) return false;
  g.guard(`(t=${g.value(native.onDouble)}(${g.unboxed(args[0])}))===t`);
  g.setUnboxed(a, 't');
  return true;
}

/** Boxes the Float only if the caller uses the result. */
function returnFloat(g: Generator, { a }: Instruction): boolean {
  if (!g.isOnlyUnboxed(a)) return false;
  g.returnUnlessDropped(`new Float(${g.unboxed(a)})`);
  return true;
}

const FLOATS: Readonly<Partial<Record<keyof typeof Op, FloatEmitter>>> = {
  NATIVE: callNative,
  GETF: getField, SETF: setField,
  LOADK: loadConstant, MOVE: move, RETURN: returnFloat,
  ADD: arithmetic('+'), SUB: arithmetic('-'), MUL: arithmetic('*'), DIV: divide, ADDI: addImmediate, NEG: negate,
  LT: comparison('<'), LE: comparison('<='), GT: comparison('>'), GE: comparison('>='),
  JNLT: jumpUnless('<'), JNLE: jumpUnless('<='), JNGT: jumpUnless('>'), JNGE: jumpUnless('>='), JNLTI: jumpUnlessImmediate,
};

/** Emitters for unboxed Float operands, by opcode. */
export const floats: readonly (FloatEmitter | undefined)[] = (() => {
  const table: (FloatEmitter | undefined)[] = [];
  for (const { op, name } of OPCODES) table[op] = FLOATS[name as keyof typeof Op];
  return table;
})();
