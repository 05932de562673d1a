/** Slow paths of the interpreter loop, for rare or large cases. */
import { callOwn, OperatorCall } from './ownoperators.js';
import { OPCODES } from '../bytecode/opcodes.js';
import { Op } from '../bytecode/generated/op.js';
import { HANDLES_ALL } from '../bytecode/program.js';
import { spread } from '../calls/arguments.js';
import type { Engine } from './engine.js';
import { stackMessage } from '../fibers/coroutine.js';
import type { Frame } from '../fibers/frame.js';
import type { Tier } from './tier.js';
import { iterated, OTHER_RECEIVER } from './feedback.js';
import { END, type Iterator } from '../values/iterator.js';
import type { Out } from '../calls/sequence.js';
import type { PullIterator } from '../calls/caller.js';
import { cacheField, noteReceiver } from './inlinecaches.js';
import { Bytes } from '../values/bytes.js';
import { ownMethod, Range, RecordValue, type RecordType } from '../values/structured.js';
import { Errors, ErrorType, ErrorValue, fail, failForNil, type Signal, SvcError, errorOf } from '../values/error.js';
import { Closure, FieldCache, type NameList, type Fn, type LoopCode } from '../values/function.js';
import { Hash } from '../values/hash.js';
import { failTooManyElements, MAX_ELEMENTS } from '../values/limits.js';
import { SetValue } from '../values/set.js';
import { kindName } from '../values/types.js';
import { shiftLeft } from '../values/numbers/bits.js';
import { Cell, isInteger, isNumber, type Value } from '../values/value.js';
import * as operators from './operators.js';

/** Words before the argument registers, and whether there are any, by opcode. */
const FIXED_WORDS = new Uint8Array(256);
const HAS_ARGS = new Uint8Array(256);
for (const { op, extras } of OPCODES) {
  HAS_ARGS[op] = extras.endsWith('*') ? 1 : 0;
  FIXED_WORDS[op] = 1 + extras.length - HAS_ARGS[op];
}

/** Words of the instruction at `pc`. */
export function lengthAt(code: Int32Array, pc: number): number {
  const w = code[pc];
  const op = w & 255;
  return FIXED_WORDS[op] + (HAS_ARGS[op] === 1 ? ((w >>> 24) + 3) >> 2 : 0);
}

/** Values of the `n` argument registers whose words start at `at`; for a method of a record, after the receiver. */
export function readArgs(R: Value[], code: Int32Array, at: number, n: number, recv?: Value): Value[] {
  const from = recv === undefined ? 0 : 1;
  const out = new Array<Value>(from + n);
  if (recv !== undefined) out[0] = recv;
  for (let i = 0; i < n; i++) out[from + i] = R[(code[at + (i >> 2)] >>> ((i & 3) << 3)) & 255];
  return out;
}

/**
 * The method that the type of a record defines, if the call with `n` positional arguments at instruction `pc` fills all its
 * parameters and no others; else null. The instruction caches it.
 */
export function plainMethod(fn: Fn, pc: number, { type }: RecordValue, n: number): Closure | null {
  const method = type.methods?.get(fn.constants[fn.code[pc + 1]] as string);
  if (method === undefined || method.entry.arity !== n + 1) return null;
  fn.feedback[pc] |= OTHER_RECEIVER;
  const cache = (fn.caches[pc] ??= new FieldCache());
  cache.recordType = type;
  return (cache.method = method);
}

/** All calls except CALL and CALLV, and fields. Returns undefined if the callee needs a frame or the fiber waits. */
export function call(vm: Engine, fn: Fn, R: Value[], pc: number, w: number): Value | undefined {
  const { code, constants } = fn;
  const n = w >>> 24;
  const recv = R[(w >>> 16) & 255];
  switch (w & 255) {
    case Op.NATIVE:
      return vm.invoke(fn.natives[code[pc + 1]], readArgs(R, code, pc + 2, n), null);
    case Op.CALLM: {
      noteReceiver(fn, pc, recv);
      const name = constants[code[pc + 1]] as string;
      const own = ownMethod(recv, name);
      return own === undefined
        ? vm.callMethod(recv, name, readArgs(R, code, pc + 2, n), null)
        : vm.invoke(own, readArgs(R, code, pc + 2, n, recv), null);
    }
    case Op.GETF:
      return vm.getField(fn, pc, recv, constants[code[pc + 1]] as string);
    case Op.CALLMN:
      return vm.callMethod(
        recv,
        constants[code[pc + 1]] as string,
        readArgs(R, code, pc + 3, n),
        constants[code[pc + 2]] as NameList,
      );
    case Op.CALLN:
      return vm.invoke(recv, readArgs(R, code, pc + 2, n), constants[code[pc + 1]] as NameList);
    case Op.APPLY: {
      const [callee, vector, named] = readArgs(R, code, pc + 1, n);
      const { args, names } = spread(vector, named);
      return vm.invoke(callee, args, names);
    }
    default: {
      const [receiver, vector, named] = readArgs(R, code, pc + 2, n);
      const { args, names } = spread(vector, named);
      return vm.callMethod(receiver, constants[code[pc + 1]] as string, args, names);
    }
  }
}

/** `recv.name = value` at instruction `pc` whose cache does not have this shape. */
export function setField(vm: Engine, fn: Fn, pc: number, recv: Value, name: string, value: Value): void {
  vm.setField(recv, name, value);
  cacheField(vm.methods, fn, pc, recv, name);
}

/** ITER at instruction `pc`. */
export function iterator(fn: Fn, pc: number, source: Value, mode: number, name: string): Iterator {
  const elements = operators.iterator(source, mode, name);
  // Only what can be iterated here: compiled code counts to an Integer without looking at the mode.
  fn.feedback[pc] |= iterated(source);
  return elements;
}

/** Passes an element on, for `out << value` in the block of a sequence. */
export function giving(out: Out, value: Value): OperatorCall {
  return new OperatorCall((vm) => out.give(vm, value));
}

/** Fetches the next element of a `PullIterator`. */
export function pulling(iterator: Value): OperatorCall {
  return new OperatorCall((vm) => (iterator as PullIterator).pull(vm));
}

/**
 * Completes the instruction at `pc` with the value of its call or `LongOperation`. Returns the address at which to
 * continue. Jumps get the result of their comparison.
 */
export function finish(R: Value[], code: Int32Array, pc: number, value: Value): number {
  const w = code[pc];
  switch (w & 255) {
    case Op.NE:
      R[(w >>> 8) & 255] = value !== true;
      break;
    case Op.JNLT:
    case Op.JNLE:
    case Op.JNGT:
    case Op.JNGE:
    case Op.JNLTI:
    case Op.JNEQ:
      return value === true ? pc + 2 : code[pc + 1];
    case Op.JEQ:
      return value === true ? code[pc + 1] : pc + 2;
    case Op.NEXT:
      if (value === END) return code[pc + 1];
      R[(w >>> 8) & 255] = value;
      break;
    case Op.NEXT2:
      if (value === END) return code[pc + 1];
      R[(w >>> 8) & 255] = itemAt(value, 0);
      R[(w >>> 16) & 255] = itemAt(value, 1);
      break;
    default:
      R[(w >>> 8) & 255] = value;
  }
  return pc + lengthAt(code, pc);
}

export function newCell(value: Value): Cell {
  return new Cell(value);
}

/** `a << b`. */
export function append(a: Value, b: Value): Value {
  if (a instanceof SetValue) {
    a.add(b);
    return a;
  }
  if (!Array.isArray(a)) {
    callOwn(a, '<<', [b]);
    if (isInteger(a) && isInteger(b)) return shiftLeft(a, b);
    const hint =
      typeof a === 'string'
        ? ' (strings do not change; use += or interpolation)'
        : a instanceof Bytes
          ? ' (Bytes do not change; use + or bytes_builder)'
          : kindName(a) === 'Channel'
            ? ' (use send)'
            : '';
    return failForNil(Errors.TypeError, `cannot append to ${kindName(a)}${hint}`, a === null ? 'left' : null);
  }
  // V8 ends the process when an array grows beyond its limit.
  if (a.length >= MAX_ELEMENTS) failTooManyElements();
  a.push(b);
  return a;
}

/** A hash literal with repeated keys or too many keys for a shape. */
export function newHash(keys: NameList, values: Value[]): Hash {
  const hash = new Hash();
  keys.names.forEach((key, i) => hash.set(key, values[i]));
  return hash;
}

export function newRecord(type: RecordType, values: Value[]): RecordValue {
  return RecordValue.of(type, values);
}

export function newRange(lo: Value, hi: Value, exclusive: boolean): Range {
  const fits =
    (isNumber(lo) && (hi === null || isNumber(hi))) ||
    ((lo === null || typeof lo === 'string') && typeof hi === 'string') ||
    (lo === null && isNumber(hi));
  if (!fits) fail(Errors.TypeError, `cannot make a range from ${kindName(lo)} to ${kindName(hi)}`);
  return new Range(lo, hi, exclusive);
}

/** Element `i` of a destructured value: of the vector, or the value itself as element 0 if it is not a vector. */
export function itemAt(value: Value, i: number): Value {
  if (Array.isArray(value)) return value[i] ?? null;
  return i === 0 ? value : null;
}

function asVector(value: Value): Value[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}

/** Element `i` after a rest. `counts` is: elements before the rest | elements after it << 8. */
export function itemBehindRest(value: Value, i: number, counts: number): Value {
  const list = asVector(value);
  const before = counts & 255;
  return list[Math.max(before, list.length - (counts >>> 8)) + i] ?? null;
}

/** The exception for `raise x`: x is an error, an error type, or a text for a RuntimeError. */
export function toError(value: Value): SvcError {
  if (value instanceof ErrorValue) return new SvcError(value);
  if (value instanceof ErrorType) return errorOf(value, value.name);
  if (typeof value === 'string') return errorOf(Errors.RuntimeError, value);
  return errorOf(Errors.TypeError, `raise takes an Error, its type or a String, got ${kindName(value)}`);
}

/**
 * Throws from a short function: whenever something is thrown, V8 computes its position, in time that is linear in the
 * length of the function with the `throw`.
 */
export function rethrow(thrown: unknown): never {
  throw thrown;
}

/** `raise value`. */
export function raise(value: Value): never {
  throw toError(value);
}

/** The value that CATCH stores: the error itself, or, if `raw`, the exception for RETHROW. */
export function caughtValue(vm: Engine, thrown: Value, raw: number): Value {
  const kept = thrown instanceof SvcError ? thrown.value : thrown;
  if (raw === 0) return kept;
  vm.unwinding = kept as ErrorValue | Signal;
  return thrown;
}

/**
 * Address of the innermost handler of `fn` for the instruction at `pc`, or −1. Signals are handled only by `ensure`.
 */
export function findHandler(fn: Fn, pc: number, isError: boolean): number {
  const { handlers } = fn;
  for (let i = 0; i < handlers.length; i += 4) {
    if (pc >= handlers[i] && pc < handlers[i + 1] && (isError || handlers[i + 3] === HANDLES_ALL))
      return handlers[i + 2];
  }
  return -1;
}

export function stackOverflow(limit: number): never {
  return fail(Errors.StackError, stackMessage(limit));
}

export function unknownOpcode(op: number, pc: number, fn: Fn): never {
  throw new Error(`opcode ${op} at ${pc} of ${fn.name}`);
}

/**
 * Calls on the JavaScript stack before frames go to the heap. A frame of compiled code takes up to 730 bytes before V8
 * has optimised it, and a native that traverses nested values on top takes 600 kilobytes; about one megabyte is
 * available.
 */
const MAX_CALLS_FROM_NATIVE = 200;

/** Whether a function is compiled; counts a call, and compiles the function when it is hot. */
export function isCompiled(tier: Tier, fn: Fn): boolean {
  return fn.compiled || (++fn.calls > tier.calls && tier.compile(fn));
}

/** Compiled code for a frame at a loop's head, or null. */
export function loopCode(tier: Tier, f: Frame): LoopCode | null {
  return f.fn.turns > tier.turns && (f.fn.code[f.pc] & 255) === Op.LOOPHEAD ? tier.loopCode(f.fn, f.pc) : null;
}

/** The closure without captured values. */
export function selfOf(fn: Fn): Closure {
  return (fn.self ??= new Closure(fn, []));
}

/**
 * Call before compiled code runs at depth `depth`. Lowers the limit: after returns, the JavaScript stack may be less
 * deep than the limit assumes.
 */
export function limitDepth(vm: Engine, depth: number): void {
  const limit = Math.min(vm.maxDepth, depth + MAX_CALLS_FROM_NATIVE);
  if (vm.limits.depth > limit) vm.limits.depth = limit;
}
