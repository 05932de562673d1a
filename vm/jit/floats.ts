import type { Instruction } from '../bytecode/decode.js';
import { OPCODES } from '../bytecode/opcodes.js';
import { FLOAT_FLOAT, FLOAT_INT, GAVE_UP, INT_FLOAT, INT_INT, NOT_RAW } from '../feedback.js';
import { NativeFunction } from '../values/function.js';
import { Float } from '../values/value.js';
import { slotOf } from './fields.js';
import type { FloatEmitter, Generator } from './generator.js';

/** Operands of an instruction as JavaScript numbers, one of them at least that of a Float; null when they are not known to be that. */
function operands(g: Generator, pc: number, b: number, c: number): [string, string] | null {
  const seen = g.feedback(pc);
  const known = g.isRaw(b) && g.isRaw(c);
  if ((seen & NOT_RAW) !== 0 && !known) return null;
  if (known || seen === FLOAT_FLOAT) return [g.raw(b), g.raw(c)];
  if (seen === FLOAT_INT) return [g.raw(b), g.number(c)];
  if (seen === INT_FLOAT) return [g.number(b), g.raw(c)];
  return null;
}

function arithmetic(operator: string): FloatEmitter {
  return (g, { a, b, c, pc }) => {
    const numbers = operands(g, pc, b, c);
    if (numbers === null) return false;
    g.setRaw(a, `${numbers[0]}${operator}${numbers[1]}`);
    return true;
  };
}

/** A quotient is a Float even of Integers; what divides by zero is left to the interpreter. */
function divide(g: Generator, { a, b, c, pc }: Instruction): boolean {
  const numbers = g.feedback(pc) === INT_INT && !g.isRaw(b) && !g.isRaw(c) ? [g.number(b), g.number(c)] : operands(g, pc, b, c);
  if (numbers === null) return false;
  g.guard(`${numbers[1]}!==0`);
  g.setRaw(a, `${numbers[0]}/${numbers[1]}`);
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
  if (!g.isRaw(b) && seen !== FLOAT_INT) return false;
  g.setRaw(a, `${g.raw(b)}+${immediate}`);
  return true;
}

function negate(g: Generator, { a, b, pc }: Instruction): boolean {
  if (!g.isRaw(b) && g.feedback(pc) !== FLOAT_FLOAT) return false;
  g.setRaw(a, `-${g.raw(b)}`);
  return true;
}

function loadConstant(g: Generator, { a, extras }: Instruction): boolean {
  const value = g.fn.constants[extras.K];
  if (!(value instanceof Float)) return false;
  g.setRaw(a, Object.is(value.n, -0) ? '-0' : String(value.n));
  return true;
}

function move(g: Generator, { a, b }: Instruction): boolean {
  if (!g.isRaw(b)) return false;
  g.setRaw(a, g.raw(b));
  return true;
}

function jumpUnlessImmediate(g: Generator, instruction: Instruction): boolean {
  if (!g.isRaw(instruction.a)) return false;
  g.jump(instruction, `!(${g.raw(instruction.a)}<${instruction.immediate})`);
  return true;
}

/** A field that held a Float when its shape was noted. */
function getField(g: Generator, { a, b, pc }: Instruction): boolean {
  const cache = g.fn.caches[pc];
  if (cache === undefined || !cache.isFloat || (g.feedback(pc) & GAVE_UP) !== 0) return false;
  g.use(b);
  g.expectRecord(b, cache);
  const { condition, slot } = slotOf(g, pc, b);
  if (!g.isRecord(b, cache.shape)) {
    g.guard(`${condition}&&(u=${slot})!==null&&u.n!==undefined`);
    g.setRaw(a, 'u.n');
    return true;
  }
  const { local, isKnown } = g.floatSlot(b, cache.slot);
  if (!isKnown) g.guard(`(${local}=${slot})!==null&&${local}.n!==undefined`);
  g.setRaw(a, `${local}.n`);
  return true;
}

/** The number goes into the Float of the slot, which belongs to it alone. */
function setField(g: Generator, { a, b, pc }: Instruction): boolean {
  const cache = g.fn.caches[pc];
  if (!g.isRaw(b) || cache === undefined || !cache.ofRecord || (g.feedback(pc) & GAVE_UP) !== 0) return false;
  g.use(a);
  g.expectRecord(a, cache);
  const { slot } = slotOf(g, pc, a);
  const { local, isKnown } = g.floatSlot(a, cache.slot);
  const number = g.raw(b);
  g.out(isKnown ? `${local}.n=${number};` : `if((${local}=${slot})!==null&&${local}.n!==undefined)${local}.n=${number};else ${slot}=${local}=new Float(${number});`);
  return true;
}

/** Functions like `sqrt`. */
function callNative(g: Generator, { a, args, extras }: Instruction): boolean {
  const native = g.fn.natives[extras.N];
  if (!(native instanceof NativeFunction) || native.onDouble === null || args.length !== 1 || !g.isRaw(args[0])) return false;
  g.guard(`(t=${g.value(native.onDouble)}(${g.raw(args[0])}))===t`);
  g.setRaw(a, 't');
  return true;
}

const FLOATS: Record<string, FloatEmitter> = {
  NATIVE: callNative,
  GETF: getField, SETF: setField,
  LOADK: loadConstant, MOVE: move,
  ADD: arithmetic('+'), SUB: arithmetic('-'), MUL: arithmetic('*'), DIV: divide, ADDI: addImmediate, NEG: negate,
  LT: comparison('<'), LE: comparison('<='), GT: comparison('>'), GE: comparison('>='),
  JNLT: jumpUnless('<'), JNLE: jumpUnless('<='), JNGT: jumpUnless('>'), JNGE: jumpUnless('>='), JNLTI: jumpUnlessImmediate,
};

/** Emitters for operands that are raw Floats, by opcode. */
export const floats: readonly (FloatEmitter | undefined)[] = (() => {
  const table = new Array<FloatEmitter | undefined>(256).fill(undefined);
  for (const { op, name } of OPCODES) if (Object.hasOwn(FLOATS, name)) table[op] = FLOATS[name];
  return table;
})();
