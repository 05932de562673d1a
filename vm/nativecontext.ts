import type { Assets } from './artefact/assetfiles.js';
import type { Deadline, EndedBy, Fiber, OnEnd, Thrown } from './fibers/fiber.js';
import type { Scheduler, Waited } from './fibers/scheduler.js';
import type { Timers } from './fibers/timers.js';
import type { Host } from './host.js';
import type { ErrorValue, Signal, SvcError, TraceLine } from './values/error.js';
import type { NameList, NativeFunction } from './values/function.js';
import type { Natives } from './values/methodgroup.js';
import type { Steps } from './values/steps.js';
import type { Value } from './values/value.js';
import type { Continuation } from './calls/continuation.js';
import type { Caller } from './calls/caller.js';
import type { MethodTables } from './calls/members.js';

/** The VM as natives see it: their first argument. */
export interface NativeContext extends Caller {
  readonly host: Host;
  readonly timers: Timers;
  readonly scheduler: Scheduler;
  readonly methods: MethodTables;
  /** Functions, constants and types that programs access by name. */
  readonly globals: Map<string, Value>;
  /** State of native modules, by its `ModuleState`. */
  readonly modules: Map<object, unknown>;
  /** Files of the program's artefact. */
  readonly assets: Assets;
  /** Whether a seed decides the order of threads: nothing visible to them may depend on real time. */
  readonly seeded: boolean;
  /** Maximum Svc frames on one stack. */
  maxDepth: number;
  /** The error that a `rescue` of the running thread handles, or null. */
  handling: ErrorValue | null;
  /** Marks of the calls of the running thread that `break` can end, innermost last. */
  readonly marks: number[];
  /** Handles an error of a fiber that has no watcher. */
  onUnhandled: (fiber: Fiber, error: Thrown) => void;
  /** Shows an error; `fiber` is null outside of fibers. */
  report: (fiber: Fiber | null, error: Thrown) => void;

  /** Registers functions (by name) and methods (by owner). */
  define(natives: Natives): void;

  /** Calls `callee`; its result becomes that of the native. Return this result. */
  call(callee: Value, args: Value[]): Value | undefined;
  /** As `call`, with named arguments. */
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined;
  /** Calls a method of `receiver`, also one that the program defines; its result becomes that of the native. Return this result. */
  callMethod(receiver: Value, name: string, args: Value[], names: NameList | null): Value | undefined;
  /**
   * Calls `callee`, then passes its value or exception to `then`, whose result becomes that of the native. Return this
   * result.
   */
  callThen(callee: Value, args: Value[], then: Continuation): undefined;

  /**
   * Suspends the running fiber until the operation that `start` begins resumes it; if `start` is a number, for so many
   * milliseconds. `what` names the operation in a word or two, `endedBy` says who ends the wait. Return its result.
   */
  wait(what: string, start: Waited, endedBy?: EndedBy): undefined;
  /**
   * Waits for a promise. A rejection with an SvcError or a Signal is raised; any other becomes an IOError. Return its
   * result.
   */
  waitForPromise(what: string, promise: Promise<Value>): undefined;
  /** Runs long work in pieces, between which all other threads can run. Return its result. */
  inPieces(what: string, steps: Steps): Value | undefined;
  /**
   * As `inPieces`, for work that follows an asynchronous operation; aborting `signal` drops it. With a signal of
   * `controller`, it takes the turns of its thread's request.
   */
  laterInPieces(steps: Steps, signal: AbortSignal): Promise<Value>;
  /** What aborts an operation for which the running thread begins to wait. */
  controller(): AbortController;
  /** Takes back the wait that a native called by this one asked for; null if there is none. */
  takeWait(): { start: Waited; what: string; endedBy: EndedBy } | null;
  /** Starts a `timeout` deadline in the running fiber. */
  pushDeadline(seconds: number): Deadline;

  /**
   * Starts a fiber that calls `callee` with `args`; tells `watcher` when it ends.
   * @throws TypeError, ArgumentError, RuntimeError
   */
  spawn(name: string, callee: Value, args: Value[], watcher?: OnEnd): Fiber;
  /** Starts a fiber that runs a native. @throws RuntimeError */
  spawnNative(name: string, fn: NativeFunction, watcher: OnEnd): Fiber;

  /** The source position of the running call. */
  position(): TraceLine | null;
  /** Source text of a file of the linked programs, or null. */
  sourceText(path: string): string | null;
  /** The error that `raise value` throws. */
  toError(value: Value): SvcError;
  /** The error kept by the last CATCH of all exceptions; clears it. */
  takeUnwinding(): ErrorValue | Signal | null;
}
