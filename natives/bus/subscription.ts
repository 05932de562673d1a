import { type Caller, PullIterator, type Requests } from '../../vm/calls/caller.js';
import { native } from '../../vm/calls/native.js';
import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { Errors, errorOf, isExit, Signal, SvcError } from '../../vm/values/error.js';
import { END } from '../../vm/values/iterator.js';
import { inspect } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { ModuleState } from '../../vm/calls/modulestate.js';
import { TASKS } from '../core/tasks.js';
import type { Bus, Listening } from './bus.js';
import { withValue } from './messages.js';

/** Maximum bytes of messages that wait in a subscription. Above that, it ends. */
const QUEUE_BYTES = 1024 * 1024;
/** Maximum bytes of messages that wait in all subscriptions. Above that, the one with most bytes ends. */
const ALL_BYTES = 64 * 1024 * 1024;
/** Bytes counted for a message in addition to its text: for its subscription, and for all subscriptions. */
const MESSAGE_COST = 100;
const ENTRY_BYTES = 16;
/** Maximum reports of slow subscriptions in REPORT_MS milliseconds. */
const MAX_REPORTS = 5;
const REPORT_MS = 60_000;

/** A waiting message. Several subscriptions may share its text. */
interface Held {
  readonly payload: string;
  holders: number;
}

/** The waiting messages of all subscriptions of a VM. */
interface Waiting {
  bytes: number;
  /** The message that was added last. */
  last: Held | null;
  /** Subscriptions with waiting messages. */
  readonly inboxes: Set<Inbox>;
  /** Subscriptions whose waiting messages have more than half of QUEUE_BYTES. */
  readonly long: Set<Inbox>;
  /** Called when one of these has taken so many that it is none of them any more. */
  readonly onTaken: Set<() => void>;
  reports: number;
  /** When `reports` began to be counted, by `host.now()`. */
  reportedAt: number;
}

const WAITING = new ModuleState<Waiting>(() => ({
  bytes: 0,
  last: null,
  inboxes: new Set(),
  long: new Set(),
  onTaken: new Set(),
  reports: 0,
  reportedAt: -Infinity,
}));

/** Maximum turns for which publishing waits for a slow subscription. */
const MAX_TURNS = 100;
/** Maximum milliseconds for which messages of other processes wait for slow subscriptions. */
const PATIENCE_MS = 500;

/**
 * Calls `then` when no subscription that could run has a long queue. Without this, a loop that publishes would fill the
 * queues of subscriptions that are fast enough. Stops waiting for a subscription that takes no message in MAX_TURNS.
 */
export function letSubscriptionsRun(vm: NativeContext, then: () => void, turns = 0): void {
  const busy = [...WAITING.of(vm).long].filter((inbox) => inbox.canRun);
  if (turns === MAX_TURNS) for (const inbox of busy) inbox.isStuck = true;
  if (busy.length === 0 || turns === MAX_TURNS) then();
  else vm.scheduler.afterTurn(() => letSubscriptionsRun(vm, then, turns + 1));
}

/**
 * Calls `then` when no subscription has a long queue. Without this, messages of other processes that arrive together
 * would fill the queues. Waits for PATIENCE_MS at most, and no longer for a subscription that then takes no message.
 */
export function whenTaken(vm: NativeContext, then: () => void): void {
  const { long, onTaken } = WAITING.of(vm);
  const isTaken = (): boolean => [...long].every(({ isStuck }) => isStuck);
  if (isTaken()) return then();
  const look = (): void => {
    if (isTaken()) go();
  };
  const timer = setTimeout(() => {
    for (const inbox of long) inbox.isStuck = true;
    go();
  }, PATIENCE_MS);
  const go = (): void => {
    clearTimeout(timer);
    if (onTaken.delete(look)) setImmediate(then);
  };
  onTaken.add(look);
}

/** Whether `letSubscriptionsRun` would wait. */
export function isBehind(vm: NativeContext): boolean {
  for (const inbox of WAITING.of(vm).long) if (inbox.canRun) return true;
  return false;
}

/** The waiting messages of a subscription. */
class Inbox extends PullIterator {
  private queue: Held[] = [];
  private at = 0;
  /** Bytes of the waiting messages; shared texts count in full. */
  bytes = 0;
  private waiter: ((value: Value) => void) | null = null;
  /** Why the subscription has ended; null while it continues. */
  failure: SvcError | null = null;
  /** The thread that takes the messages. */
  fiber: Fiber | null = null;
  /** Whether its thread had MAX_TURNS turns, or PATIENCE_MS, without taking a message since. */
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

  /** Adds a message, or ends the subscription if too many bytes wait. */
  add(payload: string): void {
    if (this.failure !== null) return;
    if (this.waiter !== null) {
      const resume = this.waiter;
      this.waiter = null;
      resume(payload);
      return;
    }
    const { waiting } = this;
    if (waiting.last?.payload !== payload) waiting.last = { payload, holders: 0 };
    const held = waiting.last;
    this.queue.push(held);
    if (held.holders++ === 0) waiting.bytes += payload.length;
    waiting.bytes += ENTRY_BYTES;
    this.account(payload.length + MESSAGE_COST);
    // A single message may be larger than the limit.
    if (this.bytes > QUEUE_BYTES && this.length > 1) this.fail('1 MiB');
    else if (waiting.bytes > ALL_BYTES) furthestBehind(waiting.inboxes).fail('all subscriptions may hold');
  }

  private get length(): number {
    return this.queue.length - this.at;
  }

  private fail(limit: string): void {
    this.failure = errorOf(
      Errors.RuntimeError,
      `the subscription to ${inspect(this.topic)} is too slow: ${this.length} messages wait, more than ${limit}; the subscription has ended`,
    );
    this.clear();
    this.onFailure(this.failure);
  }

  private account(bytes: number): void {
    this.bytes += bytes;
    const { inboxes, long, onTaken } = this.waiting;
    if (this.bytes > 0) inboxes.add(this);
    else inboxes.delete(this);
    if (this.bytes > QUEUE_BYTES / 2) long.add(this);
    else if (long.delete(this)) for (const taken of onTaken) taken();
  }

  /** Drops all waiting messages. */
  clear(): void {
    while (this.length > 0) this.take();
  }

  pull(_vm: Caller): Value | undefined {
    if (this.failure !== null) throw this.failure;
    if (this.length > 0) return this.take();
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
    const held = this.queue[this.at++];
    const { payload } = held;
    this.isStuck = false;
    if (--held.holders === 0) this.waiting.bytes -= payload.length;
    this.waiting.bytes -= ENTRY_BYTES;
    this.account(-(payload.length + MESSAGE_COST));
    if (this.length === 0) {
      this.queue = [];
      this.at = 0;
    }
    return payload;
  }
}

function furthestBehind(inboxes: Iterable<Inbox>): Inbox {
  let furthest: Inbox | null = null;
  for (const inbox of inboxes) if (furthest === null || inbox.bytes > furthest.bytes) furthest = inbox;
  return furthest as Inbox;
}

/** Writes a line about a slow subscription, at most MAX_REPORTS in REPORT_MS. */
function reportSlow(vm: NativeContext, bus: Bus, { value }: SvcError): void {
  const waiting = WAITING.of(vm);
  const now = vm.host.now();
  if (now - waiting.reportedAt > REPORT_MS) {
    waiting.reports = 0;
    waiting.reportedAt = now;
  }
  if (++waiting.reports > MAX_REPORTS) return;
  const more = waiting.reports === MAX_REPORTS ? ' (further ones of this minute are not reported)' : '';
  vm.host.stderr(`bus ${bus.label}: ${value.message}${more}\n`);
}

function* passing(inbox: Inbox, deliver: Value): Requests {
  for (let payload = yield inbox; payload !== END; payload = yield inbox) yield { fn: deliver, args: [payload] };
  return null;
}

/** Whether an exception ends the thread of a subscription. An error of its block does not. */
function endsThread(thrown: Thrown, inbox: Inbox): boolean {
  return thrown instanceof SvcError ? thrown.value === inbox.failure?.value : thrown.kind !== 'halt';
}

/** Whether an error has ended the thread of a subscription that is not reported yet: the second MemoryError. */
function isUnexpected(thrown: Thrown, { failure }: Inbox): boolean {
  return thrown instanceof SvcError && thrown.value !== failure?.value;
}

/** Makes a function that calls the block of a subscription with the value of a payload. */
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
    reportSlow(vm, bus, failure);
    // The error is reported, so the task need not report it again.
    TASKS.of(vm).awaited(fiber);
    vm.scheduler.raise(fiber, failure);
  });
  const deliver = deliverer(vm, inbox, block);
  vm.scheduler.checkSpawn();
  const fiber = vm.spawnNative(
    'subscription',
    native('subscription', '', 'Nil', 'Part of a subscription.', () => vm.answering(passing(inbox, deliver))),
    (outcome) => {
      listening?.stop();
      inbox.clear();
      if (outcome.ok || !(isExit(outcome.error) || isUnexpected(outcome.error, inbox))) return;
      if (!isExit(outcome.error)) vm.host.stderr(`the subscription to ${inspect(topic)} has ended:\n`);
      vm.report(null, outcome.error);
    },
  );
  inbox.fiber = fiber;
  listening = bus.listen(wire, (payload) => inbox.add(payload));
  return { fiber, ready: listening.ready };
}
