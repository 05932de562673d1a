/** When a bus says that its connection is restored. */
import t from 'tap';
import type { BusEvents } from '../../natives/bus/driver.js';
import { NetworkedBus } from '../../natives/bus/networked.js';
import { until } from '../patience.js';

/** A bus whose server answers to subscriptions when the test wants it. */
class SlowBus extends NetworkedBus {
  canPublish = false;
  canSubscribe = false;
  private readonly answers: (() => void)[] = [];

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
  answer(): boolean {
    const resolve = this.answers.shift();
    resolve?.();
    return resolve !== undefined;
  }

  protected async subscribeSome(): Promise<void> {
    const topics = this.topics.take(1);
    await new Promise<void>((resolve) => this.answers.push(resolve));
    for (const topic of topics) this.topics.confirm(topic);
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
  protected refusalOf(): null {
    return null;
  }
}

t.test('a connection is restored after the server has answered to all subscriptions', async (t) => {
  const told: string[] = [];
  const events: BusEvents = {
    message: () => {},
    gap: () => told.push('gap'),
    restored: () => told.push('restored'),
    refused: () => {},
    ended: () => {},
  };
  const bus = new SlowBus({ origin: 'process-0000', prefix: 'svc', defer: setImmediate }, events);
  t.teardown(() => bus.close());
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
