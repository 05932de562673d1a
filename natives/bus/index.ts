/** Messages between threads, processes and hosts: `message_bus(…)` and the methods of the bus that it returns. */
import { Acquisition } from '../../vm/fibers/fiber.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { taskOf } from '../core/concurrency.js';
import { functions, methodsOf } from '../core/declare.js';
import type { Bus } from './bus.js';
import { callAfterGaps } from './gaps.js';
import { withPayload, wireTopic } from './messages.js';
import { busOf } from './opening.js';
import { isBehind, letSubscriptionsRun, subscribe } from './subscription.js';

const MESSAGE_BUS = new HandleType('MessageBus');

/** Milliseconds that `subscribe` waits for an engine that cannot be reached. */
const SUBSCRIBE_MS = 5000;
/** `publish` waits while more characters than this wait for the engine. */
const MUCH_WAITING = 1024 * 1024;

/** The type MessageBus. */
class MessageBus extends Handle {
  constructor(readonly bus: Bus) {
    super();
  }

  get type(): HandleType {
    return MESSAGE_BUS;
  }

  override describe(): string {
    return `<MessageBus ${this.bus.label}>`;
  }
}

function open(vm: NativeContext, url: string): undefined {
  return vm.waitForPromise(
    'bus',
    busOf(vm, url).then((bus) => new MessageBus(bus)),
  );
}

function topicOf(name: string, topic: string): string {
  return topic === '' ? fail(Errors.ArgumentError, `MessageBus.${name}(): the topic is empty`) : wireTopic('t:', topic);
}

function publish(vm: NativeContext, { bus }: MessageBus, topic: string, value: Value): Value | undefined {
  const wire = topicOf('publish', topic);
  return withPayload(vm, 'MessageBus.publish()', value, (payload) => {
    const isSent = bus.publish(wire, payload);
    bus.deliver(wire, payload);
    const { waiting, connected } = bus.stats();
    if (connected && waiting > MUCH_WAITING)
      return vm.wait('bus publish', (resume) => void bus.flush().then(() => resume(isSent)));
    // Let subscriptions of this process handle their messages.
    if (isBehind(vm))
      return vm.wait('bus publish', (resume) => letSubscriptionsRun(vm, () => resume(isSent)), 'thread');
    return isSent;
  });
}

function subscribeTo(vm: NativeContext, { bus }: MessageBus, topic: string, block: Value): Value | undefined {
  const { fiber, ready } = subscribe(vm, bus, topic, topicOf('subscribe', topic), block);
  const task = taskOf(vm, fiber);
  if (bus.isAlone) return task;
  return vm.wait('bus subscribe', (resume) => {
    const timer = vm.timers.add(SUBSCRIBE_MS, () => resume(task));
    void ready.then(() => {
      vm.timers.cancel(timer);
      resume(task);
    });
    // A thread that does not receive the task could not end the subscription.
    const end = (): void => vm.scheduler.cancel(fiber);
    const stop = (): void => {
      vm.timers.cancel(timer);
      end();
    };
    return new Acquisition(stop, end);
  });
}

/** The functions and methods for messages. */
// prettier-ignore
export const bus: readonly NativeFunction[] = [
  ...functions([
    ['message_bus', 'url: String = "local:"', 'MessageBus', 'A bus for messages between threads, processes and hosts: `local:` for the processes of `--workers`, `redis://host:port` or `postgres://user:password@host/name` for those of several hosts. `?prefix=NAME` separates programs that share a server. ArgumentError for other addresses.', open],
  ]),
  ...methodsOf('MessageBus', [
    ['publish', 'topic: String, value: Any', 'Boolean', 'Sends what JSON can carry, or Bytes, to all subscriptions of a topic, also those of this process. Returns false if the message was dropped, because the server cannot be reached and too many messages wait. ValueError for other values, and for more than 8 MiB.', publish],
    ['subscribe', 'topic: String, &block: Function', 'Task', 'Calls the block with each message to a topic, in order, in a thread of its own. Returns the task of the thread, whose `cancel` ends it. An error of the block is reported; then the next message follows. If more than 1 MiB of messages wait for the thread, it ends with a RuntimeError.', subscribeTo],
    ['on_gap', '&block: Function', 'Nil', 'Calls the block in a thread of its own when messages may have been lost: after a broken connection, with the seconds without a connection.', (vm: NativeContext, { bus }: MessageBus, block: Value) => callAfterGaps(vm, bus, [block])],
    ['connected?', '', 'Boolean', 'Whether messages can reach other processes now.', (_vm, { bus }: MessageBus) => bus.isConnected],
  ]),
];
for (const fn of bus) if (fn.owner === 'MessageBus') MESSAGE_BUS.methods.set(fn.name, fn);

/** Defines the functions for messages in a VM. */
export function installBus(vm: NativeContext): void {
  vm.define(bus);
}
