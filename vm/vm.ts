import { Assets } from './artefact/assetfiles.js';
import type { Program, SourceFile } from './bytecode/program.js';
import { bindClosure } from './calls/arguments.js';
import { continuationProgram } from './calls/continuation.js';
import type { Coroutine } from './fibers/coroutine.js';
import { failToCall } from './calls/notcallable.js';
import { requestsProgram } from './calls/requests.js';
import { Limits } from './fibers/limits.js';
import { NO_VALUE, type Deadline, type Fiber, type OnEnd, type Thrown } from './fibers/fiber.js';
import { type Activation, Frame } from './fibers/frame.js';
import type { Host } from './host.js';
import { Jit } from './jit/jit.js';
import { runFrames } from './interpreter/run.js';
import { toError } from './interpreter/operations.js';
import { bind, extend, link, type LinkedProgram } from './calls/link.js';
import { CallEngine } from './interpreter/callengine.js';
import type { Engine } from './interpreter/engine.js';
import type { NativeContext } from './nativecontext.js';
import { type Steps } from './values/steps.js';
import { LongWork } from './fibers/longwork.js';
import { contextOf, controllerFor } from './fibers/operations.js';
import { Scheduler, type Machine } from './fibers/scheduler.js';
import { Timers } from './fibers/timers.js';
import { compiledPlace, markFrames, nowRunning, RunningCode } from './traces/callsites.js';
import type { CodeShelf, Tier, WhenUncompiled } from './interpreter/tier.js';
import { linesOf, traceOf } from './traces/trace.js';
import { Unwound } from './interpreter/suspension.js';
import { Errors, type ErrorValue, Signal, SvcError, type TraceLine, errorOf } from './values/error.js';
import { Closure, NativeFunction, type Fn } from './values/function.js';
import type { Natives } from './values/methodgroup.js';
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
  /** Told of a failure of the JIT compiler: the function then stays in the interpreter. Absent: the error is thrown. */
  whenUncompiled?: WhenUncompiled;
}

/** One virtual machine: natives, programs, fibers. One process can have several. */
export class VM extends CallEngine implements Machine, Engine, NativeContext {
  readonly limits = new Limits();
  readonly unwound = new Unwound();
  readonly tier: Tier | null;
  private readonly running = new RunningCode();
  readonly timers: Timers;
  readonly scheduler: Scheduler;
  /** Functions, constants and types that programs access by name. */
  readonly globals = new Map<string, Value>();
  /** State of native modules, by its `ModuleState`. */
  readonly modules = new Map<object, unknown>();
  /** Files of the program's artefact. */
  readonly assets = new Assets();
  /** The interpreter: `runFrames`, or its copy that notes its position (`vm/watch/sampling.ts`). */
  interpret = runFrames;
  private readonly sources = new Map<string, string | null>();
  /** Whether a seed decides the order of threads: nothing visible to them may depend on real time. */
  readonly seeded: boolean;
  readonly longWork: LongWork;
  protected readonly resumeFn: Fn;
  private ownRequestsFn: Fn | null = null;
  private dropped: FinalizationRegistry<Coroutine> | null = null;
  unwinding: ErrorValue | Signal | null = null;
  /** Set by the host: shows an error of a fiber that has no watcher. */
  report: (fiber: Fiber | null, error: Thrown) => void = () => {};
  /** Handles such an error; shows it unless a module replaces this function. */
  onUnhandled: (fiber: Fiber, error: Thrown) => void = (fiber, error) => this.report(fiber, error);

  constructor(
    readonly host: Host,
    options: VmOptions = {},
  ) {
    super(options.maxDepth ?? 10_000);
    this.tier =
      options.jit === undefined || options.jit === null
        ? null
        : new Jit(this, this.running, options.jit, options.whenUncompiled);
    this.timers = new Timers(host);
    this.seeded = options.chance !== undefined;
    this.longWork = new LongWork(host, options.slice === 1 || this.seeded);
    this.scheduler = new Scheduler(this, host, this.timers, {
      fixed: options.slice ?? 0,
      chance: options.chance ?? null,
    });
    this.resumeFn = continuationProgram((program) => this.linkOwn(program), this.globals);
  }

  /** Registers functions (by name) and methods (by owner). */
  define(natives: Natives): void {
    for (const one of natives) if (one instanceof NativeFunction && one.owner === '') this.globals.set(one.name, one);
    this.methods.add(natives.filter(({ owner }) => owner !== ''));
  }

  /** Verifies and binds a program, whose generated code is kept on `shelf`. @throws InvalidBytecode */
  link(program: Program, shelf: CodeShelf | null = null): LinkedProgram {
    if (program.assets !== undefined) this.assets.take(program.assets);
    for (const { path, text } of program.sources) this.sources.set(path, text);
    const linked = this.ready(link(program, (name) => this.globals.get(name)));
    if (shelf !== null) this.tier?.keep(linked, shelf);
    return linked;
  }

  /** Verifies and binds what the program of `linked` has gained from `sources`. @throws InvalidBytecode */
  extend(linked: LinkedProgram, sources: readonly SourceFile[]): void {
    for (const { path, text } of sources) this.sources.set(path, text);
    for (const fn of extend(linked, (name) => this.globals.get(name))) this.tier?.admit(fn);
  }

  /** Binds a program of the VM itself, which needs no verification. */
  private linkOwn(program: Program): LinkedProgram {
    return this.ready(bind(program, (name) => this.globals.get(name)));
  }

  /** Prepares the functions of a program for calls from compiled code. */
  private ready(linked: LinkedProgram): LinkedProgram {
    for (const fn of linked.functions) this.tier?.admit(fn);
    return linked;
  }

  /** A first frame that calls `callee` with `args`. @throws TypeError, ArgumentError */
  frameFor(callee: Value, args: Value[]): Frame {
    if (!(callee instanceof Closure)) return failToCall(callee);
    return new Frame(null, callee.fn, callee, 0, bindClosure(callee, args, null));
  }

  /**
   * Starts a fiber that calls `callee` with `args`; tells `watcher` when it ends.
   * @throws TypeError, ArgumentError, RuntimeError
   */
  spawn(name: string, callee: Value, args: Value[], watcher?: OnEnd): Fiber {
    return this.scheduler.start(name, this.frameFor(callee, args), watcher);
  }

  /** Starts a fiber that runs a native. @throws RuntimeError */
  spawnNative(name: string, fn: NativeFunction, watcher: OnEnd): Fiber {
    this.callThen(fn, [], {
      done: (value) => value,
    });
    const callee = this.callee as Closure;
    return this.scheduler.start(name, new Frame(null, callee.fn, callee, 0, this.takeRegisters()), watcher);
  }

  run(fiber: Fiber): Value | undefined {
    const before = nowRunning(this.running);
    try {
      return runFiber(this, fiber);
    } finally {
      nowRunning(before);
      // Release references to values of the thread.
      this.forgetCall();
      this.unwound.interpreted = null;
    }
  }

  protected get requestsFn(): Fn {
    return (this.ownRequestsFn ??= requestsProgram((program) => this.linkOwn(program), this.globals));
  }

  protected onDropped(owner: object, coroutine: Coroutine): void {
    // The moment of a collection is not deterministic.
    if (this.seeded) return;
    this.dropped ??= new FinalizationRegistry((one) => this.closeDropped(one));
    this.dropped.register(owner, coroutine);
  }

  /** Runs the `ensure` blocks of a coroutine in a thread of its own. */
  private closeDropped(coroutine: Coroutine): void {
    if (!coroutine.mustClose || this.scheduler.isFull) return;
    const close = new NativeFunction('close', '', 'Nil', '', () => this.close(coroutine));
    const fiber = this.spawnNative('sequence', close, () => {});
    fiber.onEnd((outcome) => {
      if (!outcome.ok) this.unhandled(fiber, outcome.error);
    });
  }

  protected get current(): Fiber | null {
    return this.scheduler.current;
  }

  get nesting(): number {
    return this.running.activation?.nesting ?? 0;
  }

  runNested(frame: Frame, depth: number): Value | undefined {
    return this.activate(frame, depth, NO_VALUE, null);
  }

  /** Runs a chain of frames in an activation of the interpreter. */
  activate(frame: Frame, depth: number, value: Value, thrown: Thrown | null): Value | undefined {
    const { running } = this;
    const outer = running.activation;
    const activation: Activation = { outer, nesting: (outer?.nesting ?? 0) + 1, frame: null, top: null, pc: 0 };
    running.activation = activation;
    try {
      return this.interpret(this, frame, depth, value, thrown, activation);
    } finally {
      running.activation = outer;
    }
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

  /** For natives: runs long work in pieces, between which all other threads can run. Return its result. */
  inPieces(what: string, steps: Steps): Value | undefined {
    const done = this.longWork.begin(steps);
    this.scheduler.checkTime();
    return done === undefined
      ? this.wait(what, (resume, failed) =>
          this.longWork.goOn(steps, this.scheduler.current?.context ?? null, resume, failed),
        )
      : done.value;
  }

  /** As `inPieces`, for work that follows an asynchronous operation; aborting `signal` drops it. */
  laterInPieces(steps: Steps, signal: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      const drop = this.longWork.goOn(steps, contextOf(signal), resolve, reject);
      signal.addEventListener('abort', drop);
    });
  }

  /** What aborts an operation for which the running thread begins to wait. */
  controller(): AbortController {
    return controllerFor(this.scheduler.current?.context ?? null);
  }

  /** For natives: waits for a promise. A rejection with an SvcError or a Signal is raised; any other becomes an IOError. */
  waitForPromise(what: string, promise: Promise<Value>): undefined {
    return this.wait(what, (resume, failed) => {
      promise.then(resume, (error: unknown) =>
        failed(
          error instanceof SvcError || error instanceof Signal
            ? error
            : errorOf(Errors.IOError, String((error as Error).message ?? error)),
        ),
      );
    });
  }

  takeUnwinding(): ErrorValue | Signal | null {
    const thrown = this.unwinding;
    this.unwinding = null;
    return thrown;
  }

  get handling(): ErrorValue | null {
    return this.scheduler.current?.handling ?? null;
  }

  get marks(): number[] {
    const fiber = this.scheduler.current;
    return fiber === null ? [] : (fiber.marks ??= []);
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
 * Clears the registers of activations that have ended. Those of a fiber that waited are old objects, and what a dead old
 * object refers to lives until the next full collection.
 */
function clear(top: Frame | null): void {
  for (let frame = top; frame !== null; frame = frame.parent) frame.regs.fill(null);
}

markFrames(runFiber, 'thread');

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
    if (result !== undefined) {
      clear(frame);
      return result;
    }
    fiber.frame = unwound.head;
    fiber.depth = unwound.depth;
    const { spills } = unwound;
    unwound.clear();
    if (!vm.switched(fiber) && !spills) return undefined;
  }
}
