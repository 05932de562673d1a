import type { Limits } from '../fibers/limits.js';
import type { Activation, Frame } from '../fibers/frame.js';
import type { Steps } from '../values/steps.js';
import type { MethodTables } from '../calls/members.js';
import type { Tier } from './tier.js';
import type { Unwound } from './suspension.js';
import type { ErrorValue } from '../values/error.js';
import type { Closure, Fn, NameList } from '../values/function.js';
import type { Value } from '../values/value.js';

/** What the interpreter asks of the VM. A call that answers undefined wants a frame for `callee`, or, when that is null, waits. */
export interface Engine {
  readonly limits: Limits;
  readonly unwound: Unwound;
  /** Compiles hot functions; null: everything is interpreted. */
  readonly tier: Tier | null;
  /** Activations of the interpreter, innermost last. */
  readonly activations: readonly Activation[];
  readonly maxDepth: number;
  readonly callee: Closure | null;
  readonly methods: MethodTables;
  /** The error that the last CATCH of everything kept, until `%unwinding` takes it. */
  unwinding: ErrorValue | null;
  /** The error that a `rescue` of the running thread handles, or null. */
  handling: ErrorValue | null;
  /** Frame of the native call that is running. */
  topFrame: Frame | null;
  /** The registers of `callee`, whose request is thereby answered. */
  takeRegisters(): Value[];
  /** Runs a frame on the JavaScript stack; undefined when it suspends. */
  runNested(frame: Frame, depth: number): Value | undefined;
  /** @throws StackError when there is no room for the frame of `fn` as number `depth` */
  checkDepth(fn: Fn, depth: number): void;
  takeFrame(parent: Frame, depth: number): Frame;
  /** The result of a native's function; undefined: it wants a callee, or waits. */
  answer(value: Value | undefined | void): Value | undefined;
  /** Does work in pieces; undefined when the fiber waits for the rest of it. */
  inPieces(what: string, steps: Steps): Value | undefined;
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined;
  callMethod(recv: Value, name: string, args: Value[], names: NameList | null): Value | undefined;
  getField(fn: Fn, pc: number, recv: Value, name: string): Value | undefined;
  setField(recv: Value, name: string, value: Value): void;
  index(recv: Value, index: Value): Value | undefined;
  setIndex(recv: Value, index: Value, value: Value): void;
}
