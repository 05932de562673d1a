import type { Channel } from '../cluster/channel.js';
import { BUS_SERVICE, type FromWorker, type ToWorker } from './clustermessage.js';
import { type BusDriver, type BusEvents, type BusOptions, type BusStats, ORIGIN_LENGTH } from './driver.js';
import { Outbox, unpack } from './outbox.js';
import { Subscriptions } from './subscriptions.js';

/** Maximum characters of the packs in one message. */
const MESSAGE_CHARACTERS = 256 * 1024;
/** Messages to the first process that wait at most; then the outbox keeps further ones. */
const MAX_BACKLOG = 16;
/** Milliseconds until the outbox tries again. */
const RETRY_MS = 2;

/** Messages between the workers of `--workers`, through the first process. */
export class ClusterBus implements BusDriver {
  readonly knowsEnds = true;
  readonly isAlone = false;
  private readonly outbox: Outbox;
  private readonly topics = new Subscriptions();
  private isScheduled = false;
  private isOpen = false;
  private isClosed = false;

  constructor(
    private readonly channel: Channel,
    private readonly options: BusOptions,
    private readonly events: BusEvents,
  ) {
    this.outbox = new Outbox(options.origin);
  }

  publish(topic: string, payload: string): boolean {
    this.open();
    const isKept = this.outbox.add(topic, payload);
    if (!isKept) this.events.refused('the first process takes messages too slowly');
    this.schedule();
    return isKept;
  }

  subscribe(topic: string): Promise<void> {
    this.open();
    const ready = this.topics.add(topic);
    this.schedule();
    return ready;
  }

  unsubscribe(topic: string): void {
    if (this.topics.remove(topic)) this.post({ unsubscribe: topic });
  }

  async flush(): Promise<void> {
    while (!this.outbox.isEmpty && !this.isClosed && !this.channel.isClosed) {
      this.send();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    await this.ask({ flush: true });
  }

  stats(): BusStats {
    return { connected: !this.channel.isClosed, waiting: this.outbox.waiting, dropped: this.outbox.dropped };
  }

  close(): void {
    this.isClosed = true;
  }

  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.channel.on(BUS_SERVICE, (message) => this.received(message as ToWorker));
    this.post({ origin: this.options.origin });
  }

  private post(message: FromWorker): void {
    this.channel.post(BUS_SERVICE, message);
  }

  /** Resolves when the first process has handled all messages before this one, or has ended. */
  private async ask(message: FromWorker): Promise<void> {
    await this.channel.request(BUS_SERVICE, message).catch(() => {});
  }

  private schedule(): void {
    if (this.isScheduled || this.isClosed) return;
    this.isScheduled = true;
    this.options.defer(() => {
      this.isScheduled = false;
      this.subscribeAll();
      this.send();
    });
  }

  private subscribeAll(): void {
    if (this.topics.isComplete) return;
    const topics = this.topics.take(Infinity);
    void this.ask({ subscribe: topics }).then(() => {
      for (const topic of topics) this.topics.confirm(topic);
    });
  }

  private send(): void {
    while (!this.outbox.isEmpty) {
      if (this.channel.backlog > MAX_BACKLOG) {
        setTimeout(() => this.schedule(), RETRY_MS);
        return;
      }
      const packs: string[] = [];
      for (let characters = 0; characters < MESSAGE_CHARACTERS;) {
        const pack = this.outbox.take(MESSAGE_CHARACTERS - characters);
        if (pack === null) break;
        packs.push(pack.topic, pack.text);
        characters += pack.text.length;
      }
      this.post({ packs });
    }
  }

  private received(message: ToWorker): void {
    if (this.isClosed) return;
    if ('ended' in message) this.events.ended(message.ended);
    else if ('dropped' in message) this.missed(message.dropped);
    else
      for (let i = 0; i < message.packs.length; i += 2) {
        const [topic, text] = [message.packs[i], message.packs[i + 1]];
        const origin = text.slice(0, ORIGIN_LENGTH);
        if (this.topics.has(topic)) for (const payload of unpack(text)) this.events.message(topic, payload, origin);
      }
  }

  private missed(count: number): void {
    this.events.gap(`this process did not read ${count} ${count === 1 ? 'message' : 'messages'} in time`);
    this.events.restored(0);
  }
}
