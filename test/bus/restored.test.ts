/** When subscriptions are in force, and when a bus says that its connection is restored. */
import t, { type Test } from 'tap';
import type { BusEvents } from '../../natives/bus/driver.js';
import { NetworkedBus } from '../../natives/bus/networked.js';
import { until } from '../patience.js';

/** A bus whose server answers to subscriptions when the test wants it. */
class SlowBus extends NetworkedBus {
  canPublish = false;
  canSubscribe = false;
  protected readonly topicsAtOnce = 1;
  private readonly answers: ((refusal: Error | null) => void)[] = [];

  /** Opens both connections, as after an outage. */
  protected connect(): void {
    this.canPublish = true;
    this.canSubscribe = true;
    this.subscriberReady();
  }

  restart(): void {
    this.canPublish = false;
    this.canSubscribe = false;
    this.lost('a restart');
    this.connect();
  }

  /** Answers to the subscription that waits. Returns whether there is one. */
  answer(refusal: Error | null = null): boolean {
    const settle = this.answers.shift();
    settle?.(refusal);
    return settle !== undefined;
  }

  protected subscribeTo(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.answers.push((refusal) => (refusal === null ? resolve() : reject(refusal))),
    );
  }

  protected sendSome(): number {
    const pack = this.outbox.take(Infinity);
    if (pack === null) return 0;
    setImmediate(() => this.sent(pack.text.length, 0));
    return pack.text.length;
  }

  protected disconnect(): void {}
  protected ping(): void {}
  protected unsubscribeFrom(): void {}
  protected refusalOf(error: unknown): string {
    return (error as Error).message;
  }
}

function slowBus(t: Test, told: string[]): SlowBus {
  const events: BusEvents = {
    message: () => {},
    gap: () => told.push('gap'),
    restored: () => told.push('restored'),
    refused: (reason) => told.push(reason),
    ended: () => {},
  };
  const bus = new SlowBus(
    { origin: 'process-0000', prefix: 'svc', defer: setImmediate, whenTaken: (then) => then() },
    events,
  );
  t.teardown(() => bus.close());
  return bus;
}

t.test('a connection is restored after the server has answered to all subscriptions', async (t) => {
  const told: string[] = [];
  const bus = slowBus(t, told);
  const ready = Promise.all(['a', 'b'].map((topic) => bus.subscribe(topic)));
  for (let left = 2; left > 0; left--) await until('a subscription', () => bus.answer());
  await ready;

  bus.restart();
  for (let left = 2; left > 0; left--) {
    bus.publish('a', 'a message that leaves meanwhile');
    await until('the message to leave', () => bus.stats().waiting === 0);
    t.strictSame(told, ['gap'], `${left} subscriptions without an answer`);
    await until('a subscription', () => bus.answer());
  }
  await until('the report', () => told.length > 1);
  t.strictSame(told, ['gap', 'restored']);
});

t.test('a subscription that the server refuses is tried again', async (t) => {
  const told: string[] = [];
  const bus = slowBus(t, told);
  let isReady = false;
  const ready = bus.subscribe('a').then(() => (isReady = true));
  await until('the subscription', () => bus.answer(new Error('no permission')));
  await until('the refusal', () => told.length > 0);
  t.notOk(isReady);
  await until('the next attempt', () => bus.answer());
  await ready;
  t.strictSame(told, ['no permission']);
});
