import { type Caller, PullIterator, type Requests } from '../../vm/calls/caller.js';
import { native } from '../../vm/calls/native.js';
import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { Errors, errorOf, Signal, SvcError } from '../../vm/values/error.js';
import { END } from '../../vm/values/iterator.js';
import { inspect } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { ModuleState } from '../../vm/calls/modulestate.js';
import { TASKS } from '../core/tasks.js';
import type { Bus, Listening } from './bus.js';
import { withValue } from './messages.js';

/** Bytes of waiting messages at which a subscription ends, and the same while all subscriptions together hold ALL_BYTES. */
const QUEUE_BYTES = 1024 * 1024;
const SHORT_QUEUE_BYTES = 16 * 1024;
const ALL_BYTES = 64 * 1024 * 1024;
/** Bytes counted for a message besides its text. */
const MESSAGE_COST = 100;

/** Waiting messages of all subscriptions of a VM. */
interface Waiting {
  bytes: number;
  /** Subscriptions of which more than half of the queue is used. */
  readonly long: Set<Inbox>;
}

const WAITING = new ModuleState<Waiting>(() => ({ bytes: 0, long: new Set() }));

/** Turns that publishing lets a subscription have that is behind. */
const MAX_TURNS = 100;

/**
 * Calls `then` once no subscription is behind that could run, so that a loop that publishes does not end those that keep
 * up otherwise. A subscription that takes no message in MAX_TURNS is not waited for again until it does.
 */
export function letSubscriptionsRun(vm: NativeContext, then: () => void, turns = 0): void {
  const busy = [...WAITING.of(vm).long].filter((inbox) => inbox.canRun);
  if (turns === MAX_TURNS) for (const inbox of busy) inbox.isStuck = true;
  if (busy.length === 0 || turns === MAX_TURNS) then();
  else vm.scheduler.afterTurn(() => letSubscriptionsRun(vm, then, turns + 1));
}

/** Whether `letSubscriptionsRun` would wait. */
export function isBehind(vm: NativeContext): boolean {
  for (const inbox of WAITING.of(vm).long) if (inbox.canRun) return true;
  return false;
}

/** The messages of a subscription that wait for its thread. */
class Inbox extends PullIterator {
  private payloads: string[] = [];
  private at = 0;
  private bytes = 0;
  private waiter: ((value: Value) => void) | null = null;
  /** Why the subscription has ended; null while it has not. */
  failure: SvcError | null = null;
  /** The thread that takes the messages. */
  fiber: Fiber | null = null;
  /** Whether its thread has run for long without taking a message. */
  isStuck = false;
  private readonly waiting: Waiting;

  constructor(
    private readonly vm: NativeContext,
    private readonly bus: Bus,
    readonly topic: string,
    private readonly onFailure: (failure: SvcError) => void,
  ) {
    super();
    this.waiting = WAITING.of(vm);
  }

  get canRun(): boolean {
    return !this.isStuck && this.fiber?.state === 'ready';
  }

  /** Adds a message, or ends the subscription if too much waits. */
  add(payload: string): void {
    if (this.failure !== null) return;
    if (this.waiter !== null) {
      const resume = this.waiter;
      this.waiter = null;
      resume(payload);
      return;
    }
    this.payloads.push(payload);
    this.account(payload.length + MESSAGE_COST);
    const limit = this.waiting.bytes > ALL_BYTES ? SHORT_QUEUE_BYTES : QUEUE_BYTES;
    // One message is never too much.
    if (this.bytes > limit && this.payloads.length - this.at > 1) this.fail(limit);
  }

  private fail(limit: number): void {
    const count = this.payloads.length - this.at;
    const size = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`;
    this.failure = errorOf(
      Errors.RuntimeError,
      `the subscription to ${inspect(this.topic)} is too slow: ${count} messages wait, more than ${size}; the subscription has ended`,
    );
    this.clear();
    this.onFailure(this.failure);
  }

  private account(bytes: number): void {
    this.bytes += bytes;
    this.waiting.bytes += bytes;
    if (this.bytes > QUEUE_BYTES / 2) this.waiting.long.add(this);
    else this.waiting.long.delete(this);
  }

  /** Drops what waits. */
  clear(): void {
    this.payloads = [];
    this.at = 0;
    this.account(-this.bytes);
  }

  pull(_vm: Caller): Value | undefined {
    if (this.failure !== null) throw this.failure;
    if (this.at < this.payloads.length) return this.take();
    return this.vm.wait(
      'bus message',
      (resume) => {
        this.waiter = resume;
        return () => (this.waiter = null);
      },
      this.bus.isAlone ? 'thread' : 'outside',
    );
  }

  private take(): string {
    const payload = this.payloads[this.at++];
    this.isStuck = false;
    this.account(-(payload.length + MESSAGE_COST));
    if (this.at === this.payloads.length) {
      this.payloads = [];
      this.at = 0;
    }
    return payload;
  }
}

function* passing(inbox: Inbox, deliver: Value): Requests {
  for (let payload = yield inbox; payload !== END; payload = yield inbox) yield { fn: deliver, args: [payload] };
  return null;
}

/** Whether an exception ends the thread of a subscription. An error of its block does not. */
function endsThread(thrown: Thrown, inbox: Inbox): boolean {
  return thrown instanceof SvcError ? thrown.value === inbox.failure?.value : thrown.kind !== 'halt';
}

/** A function that calls the block of a subscription with the value of a payload. */
function deliverer(vm: NativeContext, inbox: Inbox, block: Value): Value {
  const deliver = (_vm: NativeContext, payload: string): Value | undefined =>
    withValue(vm, payload, (value) =>
      vm.callThen(block, [value], {
        done: () => null,
        failed: (thrown) => {
          if (endsThread(thrown, inbox)) throw thrown;
          vm.host.stderr(`the subscription to ${inspect(inbox.topic)} failed:\n`);
          vm.report(vm.scheduler.current, shown(thrown));
          return null;
        },
      }),
    );
  return native('deliver', 'payload: String', 'Nil', 'Part of a subscription.', deliver);
}

function shown(thrown: Thrown): Thrown {
  return thrown instanceof Signal
    ? errorOf(Errors.RuntimeError, `${thrown.kind}() in a subscription: it belongs in a request handler`)
    : thrown;
}

/** A thread that calls a block with each message, and its listener. */
export interface Subscribed {
  readonly fiber: Fiber;
  readonly ready: Promise<void>;
}

/**
 * Starts the thread of a subscription.
 * @param topic the topic as the program names it
 * @param wire the topic as the bus names it
 * @throws RuntimeError when there are too many threads
 */
export function subscribe(vm: NativeContext, bus: Bus, topic: string, wire: string, block: Value): Subscribed {
  let listening: Listening | null = null;
  const inbox = new Inbox(vm, bus, topic, (failure) => {
    listening?.stop();
    vm.host.stderr(`bus ${bus.label}: ${failure.value.message}\n`);
    // Reported: the thread need not raise the error once more.
    TASKS.of(vm).awaited(fiber);
    vm.scheduler.raise(fiber, failure);
  });
  const deliver = deliverer(vm, inbox, block);
  vm.scheduler.checkSpawn();
  const fiber = vm.spawnNative(
    'subscription',
    native('subscription', '', 'Nil', 'Part of a subscription.', () => vm.answering(passing(inbox, deliver))),
    () => {
      listening?.stop();
      inbox.clear();
    },
  );
  inbox.fiber = fiber;
  listening = bus.listen(wire, (payload) => inbox.add(payload));
  return { fiber, ready: listening.ready };
}
