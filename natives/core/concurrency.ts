import type { Steps } from '../../vm/values/steps.js';
import { methods, native } from '../../vm/calls/native.js';
import {
  type Cancelable,
  Deadline,
  type Fiber,
  type Outcome,
  type Thrown,
  type Watcher,
} from '../../vm/fibers/fiber.js';
import { Errors, fail, isExit, type Signal, SvcError, errorOf } from '../../vm/values/error.js';
import { Closure, type NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { floatText, toText } from '../../vm/values/text/text.js';
import { typeName } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { deepCopySteps, isLong } from './copysteps.js';
import { deepCopy } from '../../vm/values/deepcopy.js';
import { inSeconds } from './dates/duration.js';
import { TASKS } from './tasks.js';
import { type Attributes, childSpan, type Span } from './tracing.js';

const TASK = new HandleType('Task');

/** A spawned thread, as seen by programs. */
class Task extends Handle {
  constructor(readonly fiber: Fiber) {
    super();
  }

  get type(): HandleType {
    return TASK;
  }

  override describe(): string {
    return `<Task ${this.fiber.id} ${this.fiber.state}>`;
  }
}

/** Seconds in a duration argument. */
function seconds(value: Value): number {
  return value instanceof Float ? value.n : Number(value);
}

function sleep(vm: NativeContext, given: Value): undefined {
  const duration = inSeconds(given);
  const time = seconds(duration);
  if (!(time >= 0) || time === Infinity)
    fail(Errors.ArgumentError, `sleep() needs 0 or more seconds, got ${toText(duration)}`);
  return vm.wait('sleep', time * 1000, 'clock');
}

/** Starts the block of a `spawn` with deep copies of the values it captured; returns the result of `started`. */
function spawnBlock(vm: NativeContext, block: Closure, started: (fiber: Fiber) => Value): Value | undefined {
  const work = workHere(vm);
  if (block.captures.length === 0) return started(spawnFor(vm, block, work));
  if (block.captures.some(isLong)) return vm.inPieces('spawn', spawnSteps(vm, block, work, started));
  const seen = new Map<object, Value>();
  const copies = block.captures.map((value) => deepCopy(value, seen));
  return started(spawnFor(vm, new Closure(block.fn, copies), work));
}

function* spawnSteps(vm: NativeContext, block: Closure, work: Work, started: (fiber: Fiber) => Value): Steps {
  const seen = new Map<object, Value>();
  const copies: Value[] = [];
  for (const value of block.captures) copies.push(yield* deepCopySteps(value, seen));
  return started(spawnFor(vm, new Closure(block.fn, copies), work));
}

/** What a thread works for: it inherits that from the one that runs `spawn`. */
interface Work {
  context: Fiber['context'];
  /** The thread's own span; null without tracing, and outside of any span. */
  span: Span | null;
}

function workHere(vm: NativeContext): Work {
  return {
    context: vm.scheduler.current?.context ?? null,
    span: childSpan(vm, 'spawn', 'internal', () => placeOf(vm)),
  };
}

/** Starts the thread of a `spawn`, whose span lasts until it ends. */
function spawnFor(vm: NativeContext, block: Value, { context, span }: Work): Fiber {
  let fiber: Fiber;
  try {
    fiber = spawn(vm, 'spawn', block, []);
  } catch (error) {
    if (error instanceof SvcError) span?.failed(error.value);
    span?.end();
    throw error;
  }
  // Copying may have taken several turns, in which other threads ran.
  fiber.context = context;
  if (span === null) return fiber;
  fiber.span = span;
  fiber.onEnd({
    onlyNotes: true,
    ended(outcome) {
      if (!outcome.ok && outcome.error instanceof SvcError) span.failed(outcome.error.value);
      span.end();
    },
  });
  return fiber;
}

function spawn(vm: NativeContext, name: string, f: Value, args: Value[]): Fiber {
  vm.scheduler.checkSpawn();
  return vm.spawn(name, f, args);
}

/** The place of the running call as attributes, as OpenTelemetry names them. */
function placeOf(vm: NativeContext): Attributes {
  const place = vm.position();
  return place === null ? {} : { 'code.file.path': place.file, 'code.line.number': place.line };
}

/** The task of a thread, for a program that may wait for it or end it. */
export function taskOf(vm: NativeContext, fiber: Fiber): Handle {
  const task = new Task(fiber);
  TASKS.of(vm).track(fiber, task);
  return task;
}

/** Waits for a thread and returns its value, or raises its error. */
function join(vm: NativeContext, task: Task): Value | undefined {
  const { fiber } = task;
  TASKS.of(vm).awaited(fiber);
  if (fiber === vm.scheduler.current) fail(Errors.RuntimeError, 'a thread cannot wait for itself');
  return vm.wait('task', (resume, failed) => new Join(fiber, resume, failed).begin(), 'thread');
}

/** A thread that waits for another one. */
class Join implements Watcher, Cancelable {
  onlyNotes = false;

  constructor(
    private readonly fiber: Fiber,
    private readonly resume: (value: Value) => void,
    private readonly failed: (thrown: Thrown) => void,
  ) {}

  begin(): this {
    this.fiber.onEnd(this);
    return this;
  }

  ended(outcome: Outcome): void {
    if (outcome.ok) this.resume(outcome.value);
    else if (!this.onlyNotes) this.failed(joinError(outcome.error));
  }

  cancel(): void {
    this.fiber.offEnd(this);
  }
}

function lostReason(signal: Signal): string {
  return signal.kind === 'halt'
    ? 'halt() in a spawned thread: it belongs in a request handler'
    : 'the task was cancelled';
}

/** `await x`: the value of a task, the values of a vector of tasks, or the value itself. */
function awaitValue(vm: NativeContext, value: Value): Value | undefined {
  if (value instanceof Task) return join(vm, value);
  if (!Array.isArray(value) || !value.some((item) => item instanceof Task)) return value;
  const tasks = value.filter((item): item is Task => item instanceof Task);
  if (tasks.some(({ fiber }) => fiber === vm.scheduler.current))
    fail(Errors.RuntimeError, 'a thread cannot wait for itself');
  const failed = tasks.find(({ fiber }) => fiber.outcome?.ok === false);
  if (failed !== undefined) return join(vm, failed);
  for (const { fiber } of tasks) TASKS.of(vm).awaited(fiber);
  return vm.wait('task', (resume, failed) => joinAll(vm, value, tasks, resume, failed), 'thread');
}

/** Waits for all tasks. The first error ends the wait: nobody awaits the other tasks any more. */
function joinAll(
  vm: NativeContext,
  values: Value[],
  tasks: Task[],
  resume: (value: Value) => void,
  failed: (thrown: Thrown) => void,
): Cancelable {
  let left = tasks.length;
  const results = new Map<Task, Value>();
  const end = (thrown: Thrown): void => {
    for (const [i, join] of joins.entries()) {
      join.onlyNotes = true;
      if (!tasks[i].fiber.finished) TASKS.of(vm).track(tasks[i].fiber, tasks[i]);
    }
    failed(thrown);
  };
  const joins = tasks.map((task) => {
    const ended = (result: Value): void => {
      results.set(task, result);
      // A task may occur twice in the vector.
      if (--left === 0) resume(values.map((value) => (value instanceof Task ? (results.get(value) as Value) : value)));
    };
    return new Join(task.fiber, ended, end);
  });
  for (const join of joins) join.begin();
  return {
    cancel() {
      for (const join of joins) join.cancel();
    },
  };
}

/** What `await` raises for a thread that has not returned: `exit` goes on in the thread that awaits it. */
function joinError(error: Thrown): Thrown {
  return error instanceof SvcError || isExit(error) ? error : errorOf(Errors.RuntimeError, lostReason(error));
}

function cancel(vm: NativeContext, task: Task): void {
  TASKS.of(vm).awaited(task.fiber);
  vm.scheduler.cancel(task.fiber);
}

function pushDeadline(vm: NativeContext, given: Value): Deadline {
  const duration = inSeconds(given);
  const time =
    typeof duration === 'number' || typeof duration === 'bigint' || duration instanceof Float ? seconds(duration) : NaN;
  if (Number.isNaN(time))
    fail(Errors.TypeError, `timeout(): seconds must be Integer, Float or Duration, got ${typeName(given)}`);
  if (time <= 0) fail(Errors.ArgumentError, `timeout() needs more than 0 seconds, got ${toText(duration)}`);
  const deadline = vm.pushDeadline(time);
  deadline.label = duration instanceof Float ? floatText(duration.n) : String(duration);
  return deadline;
}

function endDeadline(vm: NativeContext, deadline: Value): void {
  if (!(deadline instanceof Deadline)) return;
  // Called in an `ensure`: what unwinds, if anything does, was kept just before.
  if (!vm.scheduler.popDeadline(deadline, vm.takeUnwinding())) return;
  throw deadline.raised(Errors.TimeoutError, `timed out after ${deadline.label}s`);
}

/** `spawn`, `await`, `sleep`, `timeout`, and the methods of Task. */
// prettier-ignore
export const concurrency: NativeFunction[] = [
  native('sleep', 'seconds: Integer|Float|Duration', 'Nil', 'Waits for the given number of seconds, or for a Duration; other threads continue. `sleep(0)` takes no time: it lets those run that are ready.', sleep),
  native('spawn', '&block: Function', 'Task', 'Runs a block in its own thread and returns its task immediately.', (vm: NativeContext, block: Value) => taskOf(vm, spawnFor(vm, block, workHere(vm)))),
  native('await', 'value: Any', 'Any', 'Waits for a task, or for all tasks of a vector, and returns the result.', awaitValue),
  native('%spawn', 'block', 'Any', 'Intrinsic of the compiler.', (vm: NativeContext, block: Closure) => spawnBlock(vm, block, (fiber) => taskOf(vm, fiber))),
  native('%spawn_detached', 'block', 'Any', 'Intrinsic of the compiler.', (vm: NativeContext, block: Closure) => spawnBlock(vm, block, () => null)),
  native('%start', 'f, x', 'Any', 'Intrinsic of the compiler.', (vm: NativeContext, f: Value, x: Value) => taskOf(vm, spawn(vm, 'parallel_map', f, [x]))),
  native('%deadline', 'seconds', 'Any', 'Intrinsic of the compiler.', pushDeadline),
  native('%end_deadline', 'deadline', 'Any', 'Intrinsic of the compiler.', endDeadline),
  ...methods('Task', [
    ['value', '', 'Any', 'Waits for the task and returns its value, or raises its error.', join],
    ['await', '', 'Any', 'Waits for the task and returns its value, or raises its error.', join],
    ['done?', '', 'Boolean', 'Whether the task has ended, successfully or not.', (_vm, task: Task) => task.fiber.finished],
    ['cancel', '', 'Nil', 'Ends the task at its next wait or safepoint; its ensure blocks run.', cancel],
  ]),
];
for (const fn of concurrency) if (fn.owner === 'Task') TASK.methods.set(fn.name, fn);
