import { Assets } from './artefact/assetfiles.js';
import type { Program } from './bytecode/program.js';
import { bindClosure } from './calls/arguments.js';
import { continuationProgram, type Continuation } from './calls/continuation.js';
import { Limits } from './fibers/limits.js';
import { type EndedBy, NO_VALUE, type Deadline, type Fiber, type Outcome, type Thrown } from './fibers/fiber.js';
import { type Activation, Frame } from './fibers/frame.js';
import type { Host } from './host.js';
import { Jit } from './jit/compile.js';
import { runFrames } from './interpreter/run.js';
import { COPIED_AT_ONCE, sliceSteps } from './interpreter/operators.js';
import { stackOverflow, toError } from './interpreter/operations.js';
import { bind, link, type LinkedProgram } from './calls/link.js';
import {
  fieldsOf,
  indexValue,
  mayBeKey,
  MethodTables,
  noSuchMethod,
  readField,
  sliceBounds,
  storeIndex,
  storeNamed,
} from './calls/members.js';
import { cacheField, noteReceiver } from './interpreter/inlinecaches.js';
import { bindNative } from './calls/native.js';
import { type Steps } from './values/steps.js';
import { LongWork } from './fibers/longwork.js';
import { Scheduler, type Machine, type WaitStart } from './fibers/scheduler.js';
import { Timers } from './fibers/timers.js';
import { Range, RecordType } from './values/structured.js';
import { charge } from './values/cost.js';
import { compiledPlace, nowRunning, RunningCode } from './traces/callsites.js';
import type { Tier } from './interpreter/tier.js';
import { linesOf, traceOf } from './traces/trace.js';
import { Unwound } from './interpreter/suspension.js';
import { Errors, ErrorType, ErrorValue, fail, Signal, SvcError, type TraceLine, errorOf } from './values/error.js';
import { Closure, NativeFunction, type Fn, type NameList } from './values/function.js';
import { Handle } from './values/handle.js';
import { toText } from './values/text/text.js';
import { typeName, kindName } from './values/types.js';
import type { Value } from './values/value.js';

export interface VmOptions {
  /** Safepoints per slice; 0 follows the clock. */
  slice?: number;
  /** A seeded source of numbers in [0, 1) that decides which thread runs next and for how long. */
  chance?: () => number;
  /** Maximum Svc frames on one stack. */
  maxDepth?: number;
  /** Calls of a function after which it is compiled to JavaScript; null or absent: never. */
  jit?: number | null;
}

/** Units charged per native call: one clock read per 16 calls. One read costs about as much as a small native. */
const CALL = 125;

const NO_REGISTERS: Value[] = [];

/** One virtual machine: natives, programs, fibers. One process can have several. */
export class VM implements Machine {
  readonly limits = new Limits();
  readonly unwound = new Unwound();
  readonly tier: Tier | null;
  private readonly running = new RunningCode();
  readonly timers: Timers;
  readonly scheduler: Scheduler;
  readonly methods = new MethodTables();
  /** Functions, constants and types that programs access by name. */
  readonly globals = new Map<string, Value>();
  /** State of native modules, by its `ModuleState`. */
  readonly modules = new Map<object, unknown>();
  /** Files of the program's artefact. */
  readonly assets = new Assets();
  maxDepth: number;
  private readonly sources = new Map<string, string | null>();
  /** Set by a helper whose callee needs its own frame; null if the fiber is waiting instead. */
  callee: Closure | null = null;
  /** Frame of the running native call, for messages with a source position. */
  topFrame: Frame | null = null;
  private registers: Value[] = [];
  /** Whether a seed decides the order of threads: nothing visible to them may depend on real time. */
  readonly seeded: boolean;
  private readonly longWork: LongWork;
  private waitStart: WaitStart | null = null;
  private waitEndedBy: EndedBy = 'outside';
  private waitWhat = '';
  private readonly resumeFn: Fn;
  unwinding: ErrorValue | null = null;
  /** Set by the host: shows an error of a fiber that has no watcher. */
  report: (fiber: Fiber | null, error: Thrown) => void = () => {};
  /** Handles such an error; shows it unless a module replaces this function. */
  onUnhandled: (fiber: Fiber, error: Thrown) => void = (fiber, error) => this.report(fiber, error);

  constructor(
    readonly host: Host,
    options: VmOptions = {},
  ) {
    this.maxDepth = options.maxDepth ?? 10_000;
    this.tier = options.jit === undefined || options.jit === null ? null : new Jit(this, this.running, options.jit);
    this.timers = new Timers(host);
    this.seeded = options.chance !== undefined;
    this.longWork = new LongWork(host, options.slice === 1 || this.seeded);
    this.scheduler = new Scheduler(this, host, this.timers, {
      fixed: options.slice ?? 0,
      chance: options.chance ?? null,
    });
    this.resumeFn = continuationProgram(
      (program) => this.ready(bind(program, (name) => this.globals.get(name))),
      this.globals,
    );
  }

  /** Registers functions (by name) and methods (by owner). */
  define(natives: readonly NativeFunction[]): void {
    for (const fn of natives) if (fn.owner === '') this.globals.set(fn.name, fn);
    this.methods.add(natives.filter((fn) => fn.owner !== ''));
  }

  /** Verifies and binds a program. @throws InvalidBytecode */
  link(program: Program): LinkedProgram {
    if (program.assets !== undefined) this.assets.take(program.assets);
    for (const { path, text } of program.sources) this.sources.set(path, text);
    return this.ready(link(program, (name) => this.globals.get(name)));
  }

  /** Prepares the functions of a program for calls from compiled code. */
  private ready(linked: LinkedProgram): LinkedProgram {
    for (const fn of linked.functions) this.tier?.admit(fn);
    return linked;
  }

  /** The closure of a linked function without captured values. */
  closureOf(fn: Fn): Closure {
    return (fn.self ??= new Closure(fn, []));
  }

  /** A first frame that calls `callee` with `args`. @throws TypeError, ArgumentError */
  frameFor(callee: Value, args: Value[]): Frame {
    if (!(callee instanceof Closure)) return fail(Errors.TypeError, `${typeName(callee)} is not a function`);
    return new Frame(null, callee.fn, callee, 0, bindClosure(callee, args, null));
  }

  /**
   * Starts a fiber that calls `callee` with `args`; calls `watcher` when it ends.
   * @throws TypeError, ArgumentError, RuntimeError
   */
  spawn(name: string, callee: Value, args: Value[], watcher?: (outcome: Outcome) => void): Fiber {
    return this.scheduler.start(name, this.frameFor(callee, args), watcher);
  }

  /** Starts a fiber that runs a native. @throws RuntimeError */
  spawnNative(name: string, fn: NativeFunction, watcher: (outcome: Outcome) => void): Fiber {
    this.callThen(fn, [], {
      done: (value) => value,
      failed: (thrown) => {
        throw thrown;
      },
    });
    const callee = this.callee as Closure;
    this.callee = null;
    return this.scheduler.start(name, new Frame(null, callee.fn, callee, 0, this.registers), watcher);
  }

  run(fiber: Fiber): Value | undefined {
    const before = nowRunning(this.running);
    try {
      return runFiber(this, fiber);
    } finally {
      nowRunning(before);
      // Release references to values of the thread.
      this.topFrame = null;
      this.registers = NO_REGISTERS;
      this.unwound.interpreted = null;
    }
  }

  get activations(): readonly Activation[] {
    return this.running.activations;
  }

  runNested(frame: Frame, depth: number): Value | undefined {
    return this.activate(frame, depth, NO_VALUE, null);
  }

  /** Runs a chain of frames in an activation of the interpreter. */
  activate(frame: Frame, depth: number, value: Value, thrown: Thrown | null): Value | undefined {
    const { activations } = this.running;
    const activation: Activation = { frame: null };
    const below = activations.length;
    activations.push(activation);
    try {
      return runFrames(this, frame, depth, value, thrown, activation);
    } finally {
      activations.length = below;
    }
  }

  takeRegisters(): Value[] {
    this.callee = null;
    return this.registers;
  }

  unhandled(fiber: Fiber, error: Thrown): void {
    if (error instanceof Signal && error.kind === 'cancel') return;
    this.onUnhandled(fiber, error);
  }

  /** Source text of a file of the linked programs, or null. */
  sourceText(path: string): string | null {
    return this.sources.get(path) ?? null;
  }

  /** For natives: the source position of the running call. */
  position(): TraceLine | null {
    const place = compiledPlace();
    if (place !== null) return linesOf([place])[0] ?? null;
    const frame = this.topFrame;
    return frame === null ? null : (traceOf(frame, frame.pc)[0] ?? null);
  }

  /** The error that `raise value` throws. */
  toError(value: Value): SvcError {
    return toError(value);
  }

  takeWait(): { start: WaitStart; what: string; endedBy: EndedBy } | null {
    const start = this.waitStart;
    this.waitStart = null;
    return start === null ? null : { start, what: this.waitWhat, endedBy: this.waitEndedBy };
  }

  /**
   * For natives: suspends the running fiber until the operation of `start` resumes it. `what` names the operation in a
   * word or two, `endedBy` says who ends the wait. Return its result.
   */
  wait(what: string, start: WaitStart, endedBy: EndedBy = 'outside'): undefined {
    this.waitStart = start;
    this.waitWhat = what;
    this.waitEndedBy = endedBy;
    return undefined;
  }

  /** For natives: runs long work in pieces, between which all other threads can run. Return its result. */
  inPieces(what: string, steps: Steps): Value | undefined {
    const done = this.longWork.begin(steps);
    this.scheduler.checkTime();
    return done === undefined
      ? this.wait(what, (resume, failed) => this.longWork.goOn(steps, resume, failed))
      : done.value;
  }

  /** As `inPieces`, for work that follows an asynchronous operation; aborting `signal` drops it. */
  laterInPieces(steps: Steps, signal: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      const drop = this.longWork.goOn(steps, resolve, reject);
      signal.addEventListener('abort', drop);
    });
  }

  /** For natives: waits for a promise. A rejection with an SvcError is raised; any other becomes an IOError. */
  waitForPromise(what: string, promise: Promise<Value>): undefined {
    return this.wait(what, (resume, failed) => {
      promise.then(resume, (error: unknown) =>
        failed(error instanceof SvcError ? error : errorOf(Errors.IOError, String((error as Error).message ?? error))),
      );
    });
  }

  /** For natives: calls `callee`; its result becomes that of the native. Return this result. */
  call(callee: Value, args: Value[]): Value | undefined {
    return this.invoke(callee, args, null);
  }

  /**
   * For natives: calls `callee`, then passes its value or exception to `then`, whose result becomes that of the native.
   * Return this result.
   */
  callThen(callee: Value, args: Value[], then: Continuation): undefined {
    this.callee = this.closureOf(this.resumeFn);
    // One value for each register of `continuationProgram`.
    this.registers = [callee, args, then as unknown as Value, null, null];
    return undefined;
  }

  /**
   * Checks that the frame of `fn` fits at depth `depth`. A continuation always gets one: its native may hold a lock and
   * must learn that the function it called does not fit.
   * @throws StackError
   */
  checkDepth(fn: Fn, depth: number): void {
    if (depth > this.maxDepth && fn !== this.resumeFn) stackOverflow(this.maxDepth);
  }

  /** Creates the frame for `callee` on top of `parent`; there are `depth` frames so far. */
  takeFrame(parent: Frame, depth: number): Frame {
    const callee = this.callee as Closure;
    this.callee = null;
    this.checkDepth(callee.fn, depth + 1);
    return new Frame(parent, callee.fn, callee, 0, this.registers);
  }

  /** Calls any value. Returns undefined if the call needs a frame or waits: see `callee`. */
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined {
    if (callee instanceof Closure) {
      this.registers = bindClosure(callee, args, names);
      this.callee = callee;
      return undefined;
    }
    if (callee instanceof NativeFunction) return this.invokeNative(callee, args, names);
    if (callee instanceof RecordType) return this.invoke(callee.make as Closure, args, names);
    if (callee instanceof ErrorType) return newError(callee, args);
    return fail(Errors.TypeError, `${kindName(callee)} is not a function`);
  }

  invokeNative(fn: NativeFunction, args: Value[], names: NameList | null): Value | undefined {
    const bound = bindNative(fn, args, names);
    const { impl } = fn;
    switch (bound.length) {
      case 0:
        return this.answer(impl(this));
      case 1:
        return this.answer(impl(this, bound[0]));
      case 2:
        return this.answer(impl(this, bound[0], bound[1]));
      case 3:
        return this.answer(impl(this, bound[0], bound[1], bound[2]));
      default:
        return this.answer(impl(this, ...bound));
    }
  }

  invokeMethod(fn: NativeFunction, recv: Value, args: Value[], names: NameList | null): Value | undefined {
    const bound = bindNative(fn, args, names);
    const { impl } = fn;
    switch (bound.length) {
      case 0:
        return this.answer(impl(this, recv));
      case 1:
        return this.answer(impl(this, recv, bound[0]));
      case 2:
        return this.answer(impl(this, recv, bound[0], bound[1]));
      default:
        return this.answer(impl(this, recv, ...bound));
    }
  }

  /** The result of a native: nil if it returned nothing and neither waits nor calls a function. */
  answer(value: Value | undefined | void): Value | undefined {
    // A long vector took long to make.
    charge(Array.isArray(value) ? CALL + value.length : CALL);
    return value === undefined
      ? this.callee === null && this.waitStart === null
        ? null
        : undefined
      : (value as Value);
  }

  callMethod(recv: Value, name: string, args: Value[], names: NameList | null): Value | undefined {
    const fn = this.methods.find(recv, name);
    if (fn !== undefined) return this.invokeMethod(fn, recv, args, names);
    const field = mayBeKey(name) ? fieldsOf(recv)?.get(name) : undefined;
    if (field !== undefined && (field instanceof Closure || field instanceof NativeFunction))
      return this.invoke(field, args, names);
    return noSuchMethod(this.methods, recv, name);
  }

  getField(fn: Fn, pc: number, recv: Value, name: string): Value | undefined {
    const field = readField(this.methods, recv, name);
    if (field !== undefined) {
      cacheField(this.methods, fn, pc, recv, name);
      return field;
    }
    const method = this.methods.find(recv, name);
    if (method === undefined) return noSuchMethod(this.methods, recv, name);
    noteReceiver(fn, pc, recv);
    return this.invokeMethod(method, recv, [], null);
  }

  setField(recv: Value, name: string, value: Value): void {
    if (storeNamed(recv, name, value)) return;
    const setter = recv instanceof Handle ? recv.type.setters.get(name) : undefined;
    if (setter === undefined) fail(Errors.AttributeError, `cannot set '${name}' of ${kindName(recv)}`);
    this.invokeMethod(setter as NativeFunction, recv, [value], null);
  }

  index(recv: Value, index: Value): Value | undefined {
    if (index instanceof Range && Array.isArray(recv)) {
      const bounds = sliceBounds(index, recv.length);
      if (bounds === null) return null;
      const count = bounds.end - bounds.start;
      charge(count >>> 3);
      return count > COPIED_AT_ONCE
        ? this.inPieces('slice', sliceSteps(recv, bounds.start, bounds.end))
        : recv.slice(bounds.start, bounds.end);
    }
    const value = indexValue(recv, index);
    if (value !== undefined) return value;
    const method = this.methods.find(recv, '[]');
    if (method === undefined) fail(Errors.TypeError, `cannot index ${kindName(recv)}`);
    return this.invokeMethod(method as NativeFunction, recv, [index], null);
  }

  setIndex(recv: Value, index: Value, value: Value): void {
    if (storeIndex(recv, index, value)) return;
    const method = this.methods.find(recv, '[]=');
    if (method === undefined) {
      const hint = typeof recv === 'string' ? ' (strings do not change; build a new one)' : '';
      fail(Errors.TypeError, `cannot assign to an index of ${kindName(recv)}${hint}`);
    }
    this.invokeMethod(method as NativeFunction, recv, [index, value], null);
  }

  takeUnwinding(): ErrorValue | null {
    const error = this.unwinding;
    this.unwinding = null;
    return error;
  }

  get handling(): ErrorValue | null {
    return this.scheduler.current?.handling ?? null;
  }

  set handling(error: ErrorValue | null) {
    if (this.scheduler.current !== null) this.scheduler.current.handling = error;
  }

  /** Starts a `timeout` deadline in the running fiber. */
  pushDeadline(seconds: number): Deadline {
    return this.scheduler.pushDeadline(seconds);
  }
}

/**
 * Runs a fiber until it ends (returns its value) or suspends (returns undefined, with its frames saved). Backtraces of
 * compiled code end at this function.
 */
function runFiber(vm: VM, fiber: Fiber): Value | undefined {
  const { unwound } = vm;
  for (;;) {
    vm.limits.depth = vm.maxDepth;
    const { frame, depth, value, thrown } = fiber;
    fiber.value = NO_VALUE;
    fiber.thrown = null;
    const result = vm.activate(frame as Frame, depth, value, thrown);
    if (result !== undefined) return result;
    fiber.frame = unwound.head;
    fiber.depth = unwound.depth;
    unwound.head = unwound.tail = null;
    if (!unwound.spills) return undefined;
    unwound.spills = false;
  }
}

function newError(type: ErrorType, args: Value[]): ErrorValue {
  if (args.length > 1) fail(Errors.ArgumentError, `${type.name}() takes 0..1 arguments, got ${args.length}`);
  return new ErrorValue(type, args.length === 0 ? type.name : toText(args[0]));
}
