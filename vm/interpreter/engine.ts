import type { Caller } from '../calls/caller.js';
import type { Limits } from '../fibers/limits.js';
import type { Frame } from '../fibers/frame.js';
import type { Steps } from '../values/steps.js';
import type { MethodTables } from '../calls/members.js';
import type { Tier } from './tier.js';
import type { Unwound } from './suspension.js';
import type { ErrorValue, Signal } from '../values/error.js';
import type { Closure, Fn, NameList } from '../values/function.js';
import type { Value } from '../values/value.js';

/**
 * The VM as the interpreter sees it. A call that returns undefined either needs a frame for `callee` or, if that is
 * null, waits.
 */
export interface Engine extends Caller {
  readonly limits: Limits;
  readonly unwound: Unwound;
  /** Compiles hot functions; null: all code is interpreted. */
  readonly tier: Tier | null;
  /** Number of activations of the interpreter on the JavaScript stack. */
  readonly nesting: number;
  readonly maxDepth: number;
  readonly callee: Closure | null;
  readonly methods: MethodTables;
  /** The error or signal kept by the last CATCH of all exceptions, until `%unwinding` or `%left` takes it. */
  unwinding: ErrorValue | Signal | null;
  /** The error that a `rescue` of the running thread handles, or null. */
  handling: ErrorValue | null;
  /** Frame of the running native call. */
  topFrame: Frame | null;
  /** Returns the registers of `callee` and clears the request for its frame. */
  takeRegisters(): Value[];
  /** Runs a frame on the JavaScript stack; returns undefined if it suspends. */
  runNested(frame: Frame, depth: number): Value | undefined;
  /** @throws StackError when the frame of `fn` does not fit at depth `depth` */
  checkDepth(fn: Fn, depth: number): void;
  takeFrame(parent: Frame, depth: number): Frame;
  /** The result of a native; undefined if it requests a callee or waits. */
  answer(value: Value | undefined | void): Value | undefined;
  /** Runs work in pieces; returns undefined if the fiber waits for the rest. */
  inPieces(what: string, steps: Steps): Value | undefined;
  callMethod(recv: Value, name: string, args: Value[], names: NameList | null): Value | undefined;
  getField(fn: Fn, pc: number, recv: Value, name: string): Value | undefined;
  setField(recv: Value, name: string, value: Value): void;
  index(recv: Value, index: Value): Value | undefined;
  setIndex(recv: Value, index: Value, value: Value): void;
}
