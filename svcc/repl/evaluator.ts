import { renderDiagnostic, Session, type SessionInput } from '../../compiler/index.js';
import { TASKS } from '../../natives/core/tasks.js';
import { whenFlushed } from '../../natives/core/ending.js';
import { linkEmpty, type LinkedProgram } from '../../vm/calls/link.js';
import type { Fiber, Outcome } from '../../vm/fibers/fiber.js';
import type { Host } from '../../vm/host.js';
import { isExit, Signal, SvcError } from '../../vm/values/error.js';
import { ownMethod } from '../../vm/values/structured.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { watchForDeadlock } from '../../vm/watch/deadlock.js';
import { ErrorLog } from '../errorlog.js';
import { createCoreVm, type ExecuteOptions } from '../execute.js';
import { installParts, libraryNames } from '../library.js';
import { environment } from '../load.js';
import { describeError } from '../report.js';
import { isColoured, type Paint } from './paint.js';

/** What became of an input. */
export type Result =
  /** `text` is that of the value's own `inspect`, or null. */
  | { kind: 'value'; value: Value; text: string | null }
  /** More text could complete it; `message` says what is missing. */
  | { kind: 'incomplete'; message: string }
  /** It does not compile, or an error ended it. */
  | { kind: 'failed'; message: string }
  | { kind: 'cancelled' }
  /** It serves until a signal ends it. */
  | { kind: 'serving' }
  | { kind: 'exit'; code: number };

/** Milliseconds that threads may take to end with the session. */
const END_MS = 10_000;

/** Compiles and runs the inputs of a session in one VM. */
export class Evaluator {
  readonly vm: VM;
  readonly session: Session;
  /** Called when a thread ends the program. */
  onExit: (code: number) => void = () => {};
  /** Whether an input has failed after it had begun to serve. */
  hasFailedLater = false;
  private readonly linked: LinkedProgram;
  private readonly installed = new Set<string>();
  /** The thread of the input that is being evaluated. */
  private running: Fiber | null = null;
  private serves: () => void = () => {};
  private readonly lastSlot: number;

  /** @param entry the file next to which modules are searched */
  constructor(
    private readonly host: Host,
    options: ExecuteOptions,
    entry: string,
    private readonly paint: Paint,
  ) {
    this.session = new Session(environment(libraryNames(), entry));
    this.lastSlot = this.session.declare('_');
    this.linked = linkEmpty(this.session.program);
    this.vm = createCoreVm(host, options);
    this.watch(new ErrorLog(host));
  }

  private watch(log: ErrorLog): void {
    const { vm } = this;
    vm.report = (_fiber, error) => {
      if (isExit(error)) this.onExit(Number(error.payload));
      else log.tell(describeError(error, (path) => vm.sourceText(path)));
    };
    TASKS.of(vm);
    // A task's error is shown at once: the variable `_` may hold the task for long.
    vm.onUnhandled = (fiber, error) => vm.report(fiber, error);
    // Threads may wait for the next input.
    watchForDeadlock(vm, () => this.running);
    const { onSlice } = vm.scheduler;
    vm.scheduler.onSlice = (fiber) => {
      onSlice(fiber);
      if (fiber === this.running && fiber.state === 'waiting' && fiber.waitEndedBy === 'signal') this.serves();
    };
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** The value of a top-level name; undefined if there is none. */
  valueOf(name: string): Value | undefined {
    const slot = this.session.slotOf(name);
    return slot === undefined ? undefined : this.linked.slots[slot];
  }

  /** Compiles and runs a text. `path` names it in messages. */
  async evaluate(path: string, text: string): Promise<Result> {
    const input = this.session.add(path, text);
    const message = this.render(input);
    if (input.sources === null) return { kind: input.incomplete ? 'incomplete' : 'failed', message };
    if (message !== '') this.host.stderr(message);
    await installParts(this.vm, this.linked.program, this.installed);
    this.vm.extend(this.linked, input.sources);
    const result = await this.finished(this.vm.spawn('main', this.vm.closureOf(this.linked.entry), []));
    if (result.kind !== 'value') return result;
    const value = input.declared === null ? result.value : (this.valueOf(input.declared) ?? null);
    this.linked.slots[this.lastSlot] = value;
    return this.withText(value);
  }

  /** Adds the text that the value's own method makes. */
  private async withText(value: Value): Promise<Result> {
    const method = ownMethod(value, 'inspect');
    if (method === undefined) return { kind: 'value', value, text: null };
    const result = await this.finished(this.vm.spawn('main', method, [value]));
    if (result.kind !== 'value') return result;
    return { kind: 'value', value, text: typeof result.value === 'string' ? result.value : null };
  }

  private render({ diagnostics, texts }: SessionInput): string {
    const style = { color: isColoured(this.paint) };
    return diagnostics.map((one) => `${renderDiagnostic(one, texts.get(one.file) ?? '', style)}\n`).join('');
  }

  private finished(fiber: Fiber): Promise<Result> {
    this.running = fiber;
    return new Promise((resolve) => {
      const done = (result: Result): void => {
        if (this.running === fiber) this.running = null;
        resolve(result);
      };
      // If it cannot listen, it ends in the same turn of the event loop.
      this.serves = () => {
        this.serves = () => {};
        setImmediate(() => setImmediate(() => done({ kind: 'serving' })));
      };
      fiber.onEnd((outcome) => {
        if (this.running === fiber) done(this.resultOf(outcome));
        else if (!outcome.ok) {
          // It served; now it has failed or been stopped.
          this.hasFailedLater ||= outcome.error instanceof SvcError;
          this.vm.unhandled(fiber, outcome.error);
        }
      });
    });
  }

  private resultOf(outcome: Outcome): Result {
    if (outcome.ok) return { kind: 'value', value: outcome.value, text: null };
    const { error } = outcome;
    if (isExit(error)) return { kind: 'exit', code: Number(error.payload) };
    if (error instanceof Signal && error.kind === 'cancel') return { kind: 'cancelled' };
    return { kind: 'failed', message: describeError(error, (path) => this.vm.sourceText(path)) };
  }

  /** Ends the evaluation; its `ensure` blocks run. */
  interrupt(): void {
    if (this.running !== null) this.vm.scheduler.cancel(this.running);
  }

  /** Ends all threads, and calls `then` after their `ensure` blocks have run. */
  end(then: () => void): void {
    const { scheduler } = this.vm;
    for (const fiber of [...scheduler.live]) scheduler.cancel(fiber);
    let isDone = false;
    const done = (): void => {
      if (isDone) return;
      isDone = true;
      cancel();
      whenFlushed(this.vm, then);
    };
    const cancel = this.host.setTimer(END_MS, done);
    scheduler.whenIdle(done);
  }
}
