import type { Frame } from './frame.js';
import type { Closure, Fn, NameList } from './values/function.js';
import type { Value } from './values/value.js';

/** What the interpreter asks of the VM. A call that answers undefined wants a frame for `callee`, or, when that is null, waits. */
export interface Engine {
  /** [0] is the fuel left in the running slice; safepoints take it. */
  readonly fuel: Int32Array;
  readonly maxDepth: number;
  readonly callee: Closure | null;
  /** Frame of the native call that is running. */
  topFrame: Frame | null;
  takeFrame(parent: Frame, depth: number): Frame;
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined;
  callMethod(recv: Value, name: string, args: Value[], names: NameList | null): Value | undefined;
  getField(fn: Fn, pc: number, recv: Value, name: string): Value | undefined;
  setField(recv: Value, name: string, value: Value): void;
  index(recv: Value, index: Value): Value | undefined;
  setIndex(recv: Value, index: Value, value: Value): void;
}
