import { OperatorCall } from '../interpreter/ownoperators.js';
import { spread } from '../calls/arguments.js';
import { Out } from '../calls/sequence.js';
import type { Engine } from '../interpreter/engine.js';
import { Frame } from '../fibers/frame.js';
import * as operators from '../interpreter/operators.js';
import * as slow from '../interpreter/operations.js';
import { CountIterator, ListIterator } from '../values/iteration.js';
import { PULL } from '../values/iterator.js';
import { noteTrace } from '../traces/callsites.js';
import * as arithmetic from '../values/numbers/arithmetic.js';
import { Range, RecordValue } from '../values/structured.js';
import { Signal, SvcError } from '../values/error.js';
import { Closure, type Fn, type NameList } from '../values/function.js';
import { Handle } from '../values/handle.js';
import { characterAt } from '../values/text/codepoints.js';
import { Hash } from '../values/hash.js';
import { occursIn } from '../values/regex/index.js';
import { Cell, Float, type Value } from '../values/value.js';
import { truncate, type SuspendExit } from '../interpreter/suspension.js';
import { finish } from '../values/steps.js';
import { OTHER } from '../interpreter/feedback.js';
import { callCompiled } from '../interpreter/entercompiled.js';
import { fieldAt, missesShapes, storeAt } from './fieldaccess.js';
import type { KeyCache } from './keycache.js';

/**
 * Maximum nesting of interpreter activations started by compiled code: each takes one to two kilobytes of the
 * JavaScript stack.
 */
export const MAX_NESTED_ACTIVATIONS = 40;

export interface Runtime {
  /** Values and functions that compiled code uses, by name. */
  helpers: Record<string, unknown>;
  /** Starts a closure whose registers are bound; returns undefined if it suspends. */
  start(closure: Closure, regs: Value[], depth: number): Value | undefined;
}

/**
 * Operators as compiled code calls them. They return undefined if the operands are too large for one step and the
 * interpreter must run the instruction. Code without an exit passes its function and instruction: it gets the value at
 * once, and is then dropped.
 */
const operatorHelpers = {
  add: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.add(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  subtract: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.subtract(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  multiply: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.multiply(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  divide: (a: Value, b: Value) => { try { return operators.divide(a, b); } catch (error) { return unlessLong(error); } },
  floorDivide: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.floorDivide(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  modulo: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.modulo(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  power: (a: Value, b: Value) => { try { return operators.power(a, b); } catch (error) { return unlessLong(error); } },
  addImmediate: (a: Value, n: number, fn?: Fn, pc?: number) => { try { return operators.addImmediate(a, n); } catch (error) { return unlessLong(error, fn, pc); } },
  less: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.less(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  lessOrEqual: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.lessOrEqual(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  greater: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.greater(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  greaterOrEqual: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.greaterOrEqual(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  order: (a: Value, b: Value) => { try { return operators.order(a, b); } catch (error) { return unlessLong(error); } },
  equal: (a: Value, b: Value, fn?: Fn, pc?: number) => { try { return operators.equal(a, b); } catch (error) { return unlessLong(error, fn, pc); } },
  regexMatch: (a: Value, b: Value) => { try { return operators.regexMatch(a, b); } catch (error) { return unlessLong(error); } },
  union: (a: Value, b: Value) => { try { return operators.union(a, b); } catch (error) { return unlessLong(error); } },
  matches: (a: Value, b: Value) => { try { return operators.matches(a, b); } catch (error) { return unlessLong(error); } },
  negate: (a: Value) => { try { return operators.negate(a); } catch (error) { return unlessLong(error); } },
  interpolate: (...parts: Value[]) => { try { return operators.interpolate(parts); } catch (error) { return unlessLong(error); } },
  restOf: (a: Value, from: number, behind: number) => { try { return operators.restOf(a, from, behind); } catch (error) { return unlessLong(error); } },
  iterate: (a: Value, mode: number, name: string) => { try { return operators.iterator(a, mode, name); } catch (error) { return unlessLong(error); } },
  extend: (out: Value[], source: Value) => { try { operators.extend(out, source); return out; } catch (error) { return unlessLong(error); } },
  mergeInto: (out: Value, source: Value) => { try { operators.mergeInto(out as Hash, source); return out; } catch (error) { return unlessLong(error); } },
};

function unlessLong(error: unknown, fn?: Fn, pc?: number): undefined {
  if (error instanceof OperatorCall && fn === undefined) return undefined;
  if (!(error instanceof operators.LongOperation)) throw error;
  if (fn === undefined || pc === undefined) return undefined;
  fn.feedback[pc] |= OTHER;
  dropCode(fn);
  // The steps are those of the helper's own operation, so the result has the helper's type.
  return finish(error.steps) as unknown as undefined;
}

/** Drops the compiled code of a function; it is compiled again when it is hot again. */
export function dropCode(fn: Fn): void {
  fn.entry.jit = fn.entry.stub;
  fn.compiled = false;
  fn.calls = fn.turns = 0;
  fn.loops.clear();
}

/**
 * Notes an access by index for the next one; drops code that was compiled for other accesses. Returns the slots of a
 * hash that has the key in one of them, by now that of the cache; else null.
 */
function expect(cache: KeyCache, receiver: Value, index: Value): Value[] | null {
  if (cache.misses(receiver, index)) dropCode(cache.fn);
  return cache.note(receiver, index);
}

/** Creates the environment of compiled code for a VM. */
export function runtime(vm: Engine): Runtime {
  const { limits, unwound } = vm;

  function start(closure: Closure, regs: Value[], depth: number): Value | undefined {
    const { fn } = closure;
    vm.checkDepth(fn, depth);
    const { tier } = vm;
    if (tier !== null && slow.isCompiled(tier, fn)) return callCompiled(fn, closure, depth, regs);
    const frame = new Frame(null, fn, closure, 0, regs);
    if (--limits.fuel >= 0 && depth <= limits.depth && vm.nesting < MAX_NESTED_ACTIVATIONS) return vm.runNested(frame, depth);
    unwound.spills = limits.fuel >= 0;
    return unwound.begin(frame, frame, depth);
  }

  /** Runs the callee that a helper requested; returns undefined if the thread waits instead. */
  function callee(depth: number): Value | undefined {
    const closure = vm.callee;
    return closure === null ? undefined : start(closure, vm.takeRegisters(), depth + 1);
  }

  function invoke(depth: number, f: Value, args: Value[], names: NameList | null): Value | undefined {
    const value = vm.invoke(f, args, names);
    return value === undefined ? callee(depth) : value;
  }

  const helpers = {
    limits,
    vm,
    answer: (value: Value | undefined | void) => vm.answer(value),
    occursIn, placeIn: operators.placeIn,
    Cell, Float, Closure, Handle, Hash, ListIterator, CountIterator, PULL, Range, RecordValue, Signal, SvcError,
    callee,
    /**
     * Suspends an activation of compiled code. `fuel`: what is left, or was left before `turns` iterations of the exit's
     * loop; undefined if it is in `limits.fuel`.
     */
    suspend: (exit: SuspendExit, self: Closure | null, depth: number, fuel: number | undefined, turns: number, ...values: readonly unknown[]): undefined => {
      if (exit.isEntry) {
        vm.checkDepth(exit.fn, depth);
        unwound.spills = limits.fuel >= 0;
      }
      if (fuel !== undefined) limits.fuel = fuel - exit.weight * turns;
      return unwound.save(exit.frame(self, values), depth);
    },
    invoke,
    apply: (depth: number, f: Value, vector: Value, named: Value): Value | undefined => {
      if (named === null && f instanceof Closure && Array.isArray(vector) && f.entry.arity === vector.length) {
        if (vector.length === 1) return f.entry.jit(f, depth + 1, vector[0]);
        if (vector.length === 2) return f.entry.jit(f, depth + 1, vector[0], vector[1]);
      }
      const { args, names } = spread(vector, named);
      return invoke(depth, f, args, names);
    },
    applyMethod: (name: string, recv: Value, vector: Value, named: Value): Value | undefined => {
      const { args, names } = spread(vector, named);
      return vm.callMethod(recv, name, args, names);
    },
    callMethod: (recv: Value, name: string, args: Value[], names: NameList | null) => vm.callMethod(recv, name, args, names),
    getField: (fn: Fn, pc: number, recv: Value, name: string) => {
      const value = vm.getField(fn, pc, recv, name);
      if (missesShapes(fn, pc)) dropCode(fn);
      return value;
    },
    setField: (fn: Fn, pc: number, recv: Value, name: string, value: Value) => slow.setField(vm, fn, pc, recv, name, value),
    fieldAt, storeAt, characterAt,
    // Handles first: the caches are for vectors and hashes.
    index: (recv: Value, index: Value, cache: KeyCache) => {
      const element = recv instanceof Handle ? recv.elementAt(index) : undefined;
      if (element !== undefined) return element;
      const slots = expect(cache, recv, index);
      return slots === null ? vm.index(recv, index) : slots[cache.slot];
    },
    setIndex: (recv: Value, index: Value, value: Value, cache: KeyCache) => {
      if (recv instanceof Handle && recv.storeAt(index, value)) return recv;
      const slots = cache.note(recv, index);
      if (slots !== null) {
        slots[cache.slot] = value;
        if (cache.misses(recv, index)) dropCode(cache.fn);
        return recv;
      }
      try {
        vm.setIndex(recv, index, value);
      } catch (error) {
        return unlessLong(error);
      }
      expect(cache, recv, index);
      return recv;
    },
    cut: truncate,
    /** The value for a handler; the error's trace is recorded before the frames change. */
    caught: (thrown: Value, raw: number): Value => {
      if (thrown instanceof SvcError) noteTrace(thrown, vm.handling, null, -1);
      return slow.caughtValue(vm, thrown, raw);
    },
    concat: arithmetic.concat, productModulo: arithmetic.productModulo, append: (a: Value, b: Value) => { if (a instanceof Out) return undefined; try { return slow.append(a, b); } catch (error) { return unlessLong(error); } }, newHash: slow.newHash, newRange: slow.newRange, newRecord: slow.newRecord,
    itemAt: slow.itemAt, itemBehindRest: slow.itemBehindRest, raise: slow.raise, rethrow: slow.rethrow,
    ...operatorHelpers,
  };
  return { helpers, start };
}
