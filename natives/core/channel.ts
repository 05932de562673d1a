import { methods, native } from '../../vm/calls/native.js';
import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { Errors, fail, type SvcError, errorOf } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { inSeconds } from './dates/duration.js';
import { HandoverOrder } from './handoverorder.js';
import { Receiver } from './receiver.js';
import { shift } from '../../vm/values/queue.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';

const CHANNEL = new HandleType('Channel');

/** A thread that waits for a value of a channel. */
class ChannelReceiver extends Receiver {
  /** The number of its value, if a thread has sent it. */
  private number: number | null = null;

  constructor(
    private readonly channel: Channel,
    vm: NativeContext,
    goOn: (value: Value) => void,
    failed: (thrown: Thrown) => void,
    timeout: Value,
  ) {
    super(vm, goOn, failed, timeout);
  }

  /** Ends the wait with a value that was sent. @param number its place in the order of the channel */
  receive(value: Value, number = this.channel.order.next()): void {
    this.number = number;
    this.resume(value);
  }

  /** Passes the value to another thread, or makes it the next one of the channel. */
  giveBack(value: Value): void {
    if (this.number === null) return;
    const other = this.channel.receivers.shift();
    if (other === undefined) this.channel.order.giveBack(this.channel.buffer, value, this.number);
    else other.receive(value, this.number);
  }

  protected leave(): void {
    remove(this.channel.receivers, this);
  }
}

interface Sender {
  value: Value;
  resume(value: Value): void;
  fail(error: SvcError): void;
}

/** A queue between threads: `send` waits while it is full, `recv` while it is empty. */
class Channel extends Handle {
  readonly buffer: Value[] = [];
  readonly receivers: ChannelReceiver[] = [];
  readonly senders: Sender[] = [];
  readonly order = new HandoverOrder();
  closed = false;

  /** @param size number of values held without a receiver */
  constructor(readonly size: number) {
    super();
  }

  get type(): HandleType {
    return CHANNEL;
  }

  /** Takes the first value of the buffer. */
  take(): Value {
    this.order.next();
    return shift(this.buffer) as Value;
  }
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

function closedError(): SvcError {
  return errorOf(Errors.RuntimeError, 'the channel is closed');
}

function send(vm: NativeContext, channel: Channel, value: Value): Value | undefined {
  if (channel.closed) throw closedError();
  const receiver = channel.receivers.shift();
  if (receiver !== undefined) {
    receiver.receive(value);
    return channel;
  }
  if (channel.buffer.length < channel.size) {
    channel.buffer.push(value);
    return channel;
  }
  return vm.wait(
    'channel send',
    (resume, failed) => {
      const sender: Sender = { value, resume: () => resume(channel), fail: failed };
      channel.senders.push(sender);
      return () => remove(channel.senders, sender);
    },
    'thread',
  );
}

function recv(vm: NativeContext, channel: Channel, timeout: Value): Value | undefined {
  if (channel.buffer.length > 0) {
    const value = channel.take();
    const sender = channel.buffer.length < channel.size ? channel.senders.shift() : undefined;
    if (sender !== undefined) {
      channel.buffer.push(sender.value);
      sender.resume(null);
    }
    return value;
  }
  const sender = channel.senders.shift();
  if (sender !== undefined) {
    sender.resume(null);
    return sender.value;
  }
  return channel.closed ? null : park(vm, channel, timeout);
}

function park(vm: NativeContext, channel: Channel, given: Value): undefined {
  const timeout = inSeconds(given);
  return vm.wait(
    'channel recv',
    (resume, failed) => {
      const receiver = new ChannelReceiver(channel, vm, resume, failed, timeout);
      channel.receivers.push(receiver);
      return receiver;
    },
    'thread',
  );
}

function close(_vm: NativeContext, channel: Channel): void {
  channel.closed = true;
  for (const receiver of channel.receivers.splice(0)) receiver.resume(null);
  for (const sender of channel.senders.splice(0)) sender.fail(closedError());
}

const SHARED = new HandleType('Shared');

/** A value shared by threads; `update` runs one block at a time. */
class Shared extends Handle {
  private locked = false;
  /** The thread that runs the block of `update`. */
  private holder: Fiber | null = null;
  private readonly waiting: (() => void)[] = [];

  constructor(public value: Value) {
    super();
  }

  get type(): HandleType {
    return SHARED;
  }

  /**
   * Runs `then` while holding the lock; waits for the lock if it is taken.
   * @throws RuntimeError if this thread holds it
   */
  lock(vm: NativeContext, then: () => Value | undefined): Value | undefined {
    const { current } = vm.scheduler;
    if (!this.locked) {
      this.locked = true;
      this.holder = current;
      return then();
    }
    if (this.holder === current)
      fail(Errors.RuntimeError, 'deadlock: update within the block of an update of the same shared value');
    let granted = false;
    const wait = native('lock', '', 'Any', 'Waits for the lock.', () =>
      vm.wait(
        'shared value',
        (resume) => {
          const turn = (): void => {
            granted = true;
            resume(null);
          };
          // The lock may have been released since: the thread can be preempted before it waits.
          if (!this.locked) {
            this.locked = true;
            turn();
            return;
          }
          this.waiting.push(turn);
          return () => remove(this.waiting, turn);
        },
        'thread',
      ),
    );
    return vm.callThen(wait, [], {
      done: () => {
        this.holder = current;
        return then();
      },
      failed: (thrown) => {
        // If cancelled after getting the lock but before running, release it.
        if (granted) this.unlock();
        throw thrown;
      },
    });
  }

  /** Passes the lock to the next waiting thread, or releases it. */
  unlock(): void {
    this.holder = null;
    const next = this.waiting.shift();
    if (next === undefined) this.locked = false;
    else next();
  }
}

function update(vm: NativeContext, shared: Shared, block: Value): Value | undefined {
  return shared.lock(vm, () =>
    vm.callThen(block, [shared.value], {
      done: (value) => {
        shared.value = value;
        shared.unlock();
        return value;
      },
      failed: (thrown) => {
        shared.unlock();
        throw thrown;
      },
    }),
  );
}

function newChannel(_vm: NativeContext, size: number): Channel {
  if (!(size >= 0)) fail(Errors.ArgumentError, `channel() needs a size of 0 or more, got ${size}`);
  return new Channel(size);
}

/** `channel` and `shared`, for exchanging values between threads. */
// prettier-ignore
export const sharing: NativeFunction[] = [
  native('channel', 'size: Integer = 0', 'Channel', 'Makes a queue between threads that holds `size` values.', newChannel),
  native('shared', 'value: Any = nil', 'Shared', 'Makes a value that threads share.', (_vm, value) => new Shared(value)),
  ...methods('Channel', [
    ['send', 'value: Any', 'Channel', 'Puts a value into the channel; waits while it is full.', send],
    ['recv', 'timeout: Integer|Float|Duration? = nil', 'Any', 'Takes the next value, waiting for it if necessary; nil when the channel is closed and empty.', recv],
    ['close', '', 'Nil', 'Closes the channel: waiting receivers get nil, waiting senders an error.', close],
    ['closed?', '', 'Boolean', 'Whether the channel is closed.', (_vm, channel: Channel) => channel.closed],
    ['length', '', 'Integer', 'Number of values waiting in the channel.', (_vm, channel: Channel) => channel.buffer.length],
  ]),
  ...methods('Shared', [
    ['get', '', 'Any', 'The shared value.', (_vm, shared: Shared) => shared.value],
    ['set', 'value: Any', 'Any', 'Replaces the shared value.', (_vm, shared: Shared, value: Value) => (shared.value = value)],
    ['update', '&block: Function', 'Any', 'Replaces the value with the result of the block for it; one thread at a time.', update],
  ]),
];
for (const fn of sharing) if (fn.owner !== '') (fn.owner === 'Channel' ? CHANNEL : SHARED).methods.set(fn.name, fn);
