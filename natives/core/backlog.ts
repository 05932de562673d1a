import { ModuleState } from '../../vm/calls/modulestate.js';
import { native } from '../../vm/calls/native.js';
import type { Linked } from '../../vm/fibers/linkedlist.js';
import { contextOf } from '../../vm/fibers/operations.js';
import { WaitingLine } from '../../vm/fibers/waitingline.js';
import type { Backlog, Output } from '../../vm/host.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Value } from '../../vm/values/value.js';

/** Bytes of an output that may wait for its reader. If more do, threads that print wait as well. */
const FULL_BYTES = 1024 * 1024;
/** Threads that go on in one turn: what each of them prints is not known before. */
const AT_ONCE = 16;

interface Waiter extends Linked<Waiter> {
  readonly context: object;
  readonly resume: (value: Value) => void;
}

/** Threads that wait because the reader of an output is slower than they print. Requests take turns. */
class PrintingLine {
  private readonly line = new WaitingLine<Waiter>();
  /** Whether `wake` will be called. */
  private isWatching = false;
  /** Waits until there is room. */
  readonly wait: NativeFunction;

  constructor(
    vm: NativeContext,
    private readonly backlog: Backlog,
    private readonly output: Output,
  ) {
    this.wait = native('output', '', 'Nil', 'Waits for the reader of the output.', () =>
      vm.wait('output', (resume) => this.enter(contextOf(vm.controller().signal), resume)),
    );
  }

  /** @returns what takes the thread out of the line */
  private enter(context: object, resume: (value: Value) => void): () => void {
    const waiter: Waiter = { context, resume, older: null, younger: null };
    this.line.add(waiter);
    this.watch();
    return () => this.line.leave(waiter);
  }

  private watch(): void {
    if (this.isWatching) return;
    this.isWatching = true;
    this.backlog.whenTaken(this.output, () => {
      this.isWatching = false;
      this.wake();
    });
  }

  /** Lets some go on, and the others when these have printed. */
  private wake(): void {
    if (this.backlog.bytes(this.output) <= FULL_BYTES)
      for (let i = 0; i < AT_ONCE && this.line.length > 0; i++) this.line.next()?.resume(null);
    if (this.line.length > 0) this.watch();
  }
}

const LINES = new ModuleState<Map<Output, PrintingLine>, NativeContext>(() => new Map());

function lineOf(vm: NativeContext, backlog: Backlog, output: Output): PrintingLine {
  const lines = LINES.of(vm);
  let line = lines.get(output);
  if (line === undefined) lines.set(output, (line = new PrintingLine(vm, backlog, output)));
  return line;
}

/** Whether so much waits for the reader of an output that threads that print must wait as well. */
export function isFull({ host: { backlog } }: NativeContext, output: Output): boolean {
  return backlog !== undefined && backlog.bytes(output) > FULL_BYTES;
}

/** Calls `print` when it is the thread's turn to print to an output that was full. Return its result. */
export function whenRoom(vm: NativeContext, output: Output, print: () => Value | undefined): Value | undefined {
  const line = lineOf(vm, vm.host.backlog as Backlog, output);
  return vm.callThen(line.wait, [], { done: print });
}
