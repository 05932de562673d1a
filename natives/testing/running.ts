import type { Fiber, Outcome, Thrown } from '../../vm/fibers/fiber.js';
import type { Host } from '../../vm/host.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { native } from '../../vm/calls/native.js';
import { traceOf } from '../../vm/traces/trace.js';
import { isExit, SvcError, type TraceLine } from '../../vm/values/error.js';
import { Internal, type Value } from '../../vm/values/value.js';
import { TASKS } from '../core/tasks.js';
import { TEST_RESULTS } from '../core/testresults.js';
import { diffOf } from './diff.js';
import { restoreMocks } from './mocks.js';
import { type Failure, hooksAfter, hooksBefore, type Phase, type TestInfo, type TestRun, TESTS } from './run.js';
import { SnapshotUse } from './snapshots.js';

/** Milliseconds that threads of a test get to end by themselves when the test has ended. */
const LINGER_MS = 100;
/** Turns of the event loop for the same. */
const LINGER_TURNS = 20;
/** Milliseconds after which a thread that was cancelled is left alone. */
const STUBBORN_MS = 12_000;
/** Maximum number of failed threads that a test shows one by one. */
const MAX_THREAD_FAILURES = 10;

/** Payload of the signal that ends a test which is skipped. */
export class Skipped extends Internal {
  constructor(readonly reason: string) {
    super();
  }
}

/** What runs: a function with its arguments. */
export interface Body {
  readonly fn: Value;
  readonly args: Value[];
}

/** Runs one test: its hooks and its body, each with a limited time, in a thread of their own. */
export class RunningTest {
  readonly snapshots: SnapshotUse;
  private readonly run: TestRun;
  private readonly failures: Failure[] = [];
  private skipped: string | null = null;
  private left: string[] = [];
  private readonly startedAt: number;
  /** Threads that started before the test have smaller numbers. */
  private firstThread = 0;
  private phase: Phase = 'before_each';
  /** Number of threads of the test that failed and were not awaited. */
  private failedThreads = 0;
  /** The thread that runs a hook or the body. */
  fiber: Fiber | null = null;
  /** Ends that thread early, with a failure. */
  private stop: ((failure: Failure) => void) | null = null;
  /** Restores how the VM reports errors. */
  private restoreReport = (): void => {};

  /**
   * @param isVirtual whether the time of the test is that of a virtual clock
   * @param caller the thread that waits for the test
   */
  constructor(
    private readonly vm: NativeContext,
    readonly info: TestInfo,
    private readonly body: Body,
    private readonly isVirtual: boolean,
    private readonly caller: Fiber,
    private readonly resume: (passed: boolean) => void,
  ) {
    this.run = TESTS.of(vm);
    this.snapshots = new SnapshotUse(this.run, info);
    this.startedAt = this.realHost.now();
  }

  private get realHost(): Host {
    return this.vm.host.behind ?? this.vm.host;
  }

  /** Begins; must be called while the caller waits. */
  start(): void {
    this.run.current = this;
    TASKS.of(this.vm).catcher = (fiber, error) => this.threadFailed(fiber, error);
    this.catchExit();
    this.run.reporter.started(this.info);
    const { group } = this.run;
    const before = hooksBefore(group);
    const after = hooksAfter(group);
    this.inThread(
      (vm) => this.chain(vm, before),
      () => this.nextAfter(after),
    );
  }

  /** Makes `exit` in any other thread end this test, in place of the program. */
  private catchExit(): void {
    const { vm } = this;
    const { report } = vm;
    let hasExited = false;
    vm.report = (fiber, error) => {
      if (!isExit(error)) return report(fiber, error);
      if (hasExited) return;
      hasExited = true;
      const failure = this.failure('', `a thread called exit(${String(error.payload)})`, []);
      const ofThread: Failure = { ...failure, phase: 'thread' };
      if (this.stop === null) this.failures.push(ofThread);
      else this.stop(ofThread);
    };
    this.restoreReport = () => {
      vm.report = report;
    };
  }

  /** Ends the hook or the body that runs: the caller was cancelled. */
  cancel(): void {
    if (this.fiber !== null) this.vm.scheduler.cancel(this.fiber);
  }

  /** Calls the hooks and the body one after another. */
  private chain(vm: NativeContext, hooks: readonly Value[]): Value | undefined {
    const [first, ...rest] = hooks;
    if (first !== undefined) return vm.callThen(first, [], { done: () => this.chain(vm, rest) });
    this.phase = 'test';
    return vm.callThen(this.body.fn, this.body.args, { done: () => null });
  }

  private nextAfter(hooks: readonly Value[]): void {
    this.phase = 'after_each';
    const [first, ...rest] = hooks;
    if (first === undefined) this.endThreads();
    else {
      this.run.reporter.phase?.();
      this.inThread(
        (vm) => vm.call(first, []),
        () => this.nextAfter(rest),
      );
    }
  }

  /** Runs work in a thread of its own, whose failure counts; calls `then` when it has ended, or does not end. */
  private inThread(work: (vm: NativeContext) => Value | undefined, then: () => void): void {
    const { vm } = this;
    let isOver = false;
    let stopTimer = (): void => {};
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      this.fiber = null;
      this.stop = null;
      then();
    };
    let isStopped = false;
    const ended = (outcome: Outcome): void => {
      if (isOver) return;
      if (!isStopped && !outcome.ok) this.failed(outcome.error);
      over();
    };
    let fiber: Fiber;
    try {
      fiber = vm.spawnNative('test', native('test', '', 'Any', '', work), ended);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.failed(error);
      over();
      return;
    }
    if (this.firstThread === 0) this.firstThread = fiber.id;
    this.fiber = fiber;
    const stop = (failure: Failure): void => {
      this.failures.push(failure);
      if (isStopped) return;
      isStopped = true;
      stopTimer();
      vm.scheduler.cancel(fiber);
      stopTimer = this.after(STUBBORN_MS, over);
    };
    this.stop = stop;
    stopTimer = this.after(this.info.timeoutMs, () => stop(this.timedOut(fiber)));
  }

  /** A timer of the clock that counts for timeouts. */
  private after(ms: number, callback: () => void): () => void {
    if (!this.isVirtual) return this.realHost.setTimer(ms, callback);
    const timer = this.vm.timers.add(ms, callback);
    return () => this.vm.timers.cancel(timer);
  }

  private timedOut(fiber: Fiber): Failure {
    const doing = fiber.state === 'waiting' ? `, waiting for ${fiber.waitsFor}` : '';
    return this.failure('', `timed out after ${this.info.timeoutMs / 1000} s${doing}`, placesOf(fiber));
  }

  private failure(type: string, message: string, trace: readonly TraceLine[]): Failure {
    return { phase: this.phase, type, message, trace, diff: [] };
  }

  private failed(thrown: Thrown): void {
    if (thrown instanceof SvcError) {
      const { type, message, trace } = thrown.value;
      this.failures.push({ ...this.failure(type.name, message, trace ?? []), diff: diffOf(thrown.value) });
    } else if (thrown.payload instanceof Skipped) this.skipped = thrown.payload.reason;
    else if (thrown.kind === 'exit')
      this.failures.push(this.failure('', `the test called exit(${String(thrown.payload)})`, []));
    else if (thrown.kind === 'halt') this.failures.push(this.failure('RuntimeError', 'halt() outside a request', []));
    else this.failures.push(this.failure('', 'the test was cancelled', []));
  }

  /** Notes the error of a thread that the test started. Returns false for other threads, and for `exit`, which is reported. */
  private threadFailed({ id }: Fiber, error: Thrown): boolean {
    if (this.firstThread === 0 || id < this.firstThread) return false;
    if (isExit(error)) return false;
    if (++this.failedThreads > MAX_THREAD_FAILURES) return true;
    const { phase } = this;
    this.phase = 'thread';
    this.failed(error);
    this.phase = phase;
    return true;
  }

  /** Counts threads that failed, also those whose tasks have not been awaited. */
  private endTasks(): void {
    const tasks = TASKS.of(this.vm);
    if (this.firstThread > 0) tasks.flush(this.firstThread);
    tasks.catcher = null;
    const more = this.failedThreads - MAX_THREAD_FAILURES;
    if (more > 0) this.failures.push({ ...this.failure('', `${more} more threads failed`, []), phase: 'thread' });
  }

  /** Threads that the test has started, and that have not ended. */
  private threads(): Fiber[] {
    return [...this.vm.scheduler.live].filter(({ id, cancelled }) => id >= this.firstThread && !cancelled);
  }

  /** Ends the threads that the test has started, unless they end by themselves soon. */
  private endThreads(): void {
    let turns = 0;
    let isLate = false;
    let stopTimer = (): void => {};
    const look = (): void => {
      const threads = this.threads();
      if (threads.length > 0 && (turns++ < LINGER_TURNS || !isLate)) {
        this.vm.host.defer(look);
        return;
      }
      stopTimer();
      this.left = threads.map(describeThread);
      for (const fiber of threads) this.vm.scheduler.cancel(fiber);
      this.finish();
    };
    if (this.threads().length > 0) {
      if (this.vm.host.behind !== undefined) isLate = true;
      else stopTimer = this.realHost.setTimer(LINGER_MS, () => (isLate = true));
      // While the caller waits for the event loop, threads that wait for each other are no deadlock.
      this.caller.waitEndedBy = 'outside';
      this.vm.host.defer(look);
    } else this.finish();
  }

  /** Stores what is new; that it cannot be stored is a failure. */
  private endSnapshots(): number {
    try {
      return this.snapshots.end(this.failures.length === 0 && this.skipped === null);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.failed(error);
      return 0;
    }
  }

  private finish(): void {
    this.endTasks();
    this.restoreReport();
    restoreMocks(this.vm);
    const written = this.endSnapshots();
    const results = TEST_RESULTS.of(this.vm);
    const passed = this.failures.length === 0;
    if (passed) results.passed++;
    else results.failed++;
    this.run.current = null;
    this.run.reporter.ended(this.info, {
      failures: this.failures,
      skipped: passed ? this.skipped : null,
      left: this.left,
      written,
      ms: this.realHost.now() - this.startedAt,
    });
    this.resume(passed);
  }
}

/** The lines of the program that a thread is at. */
function placesOf({ frame }: Fiber): TraceLine[] {
  return frame === null ? [] : traceOf(frame, frame.pc);
}

/** What a thread is, for messages. */
export function describeThread(fiber: Fiber): string {
  const what = fiber.waitEndedBy === 'signal' && fiber.state === 'waiting' ? 'a server' : `the thread ${fiber.name}`;
  const [place] = placesOf(fiber);
  return place === undefined ? what : `${what} (${place.file}:${place.line})`;
}
