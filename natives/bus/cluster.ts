import type { Channel } from '../cluster/channel.js';
import { BUS_SERVICE, type FromWorker, type ToWorker } from './clustermessage.js';
import { type BusEvents, type BusOptions, ORIGIN_LENGTH } from './driver.js';
import { unpack } from './outbox.js';
import { QueuedBus } from './queued.js';

/** Maximum characters of the packs in one message. */
const MESSAGE_CHARACTERS = 256 * 1024;
/** Maximum messages that wait in the channel to the first process. Above that, the outbox keeps further ones. */
const MAX_BACKLOG = 16;
/** Milliseconds before the next attempt to send from the outbox. */
const RETRY_MS = 2;

/** Messages between the workers of `--workers`, through the first process. */
export class ClusterBus extends QueuedBus {
  readonly knowsEnds = true;
  private isOpen = false;

  constructor(
    private readonly channel: Channel,
    options: BusOptions,
    events: BusEvents,
  ) {
    super(options, events);
  }

  protected get canPublish(): boolean {
    return !this.channel.isClosed;
  }

  protected get canSubscribe(): boolean {
    return !this.channel.isClosed;
  }

  async flush(): Promise<void> {
    while (!this.outbox.isEmpty && !this.isClosed && !this.channel.isClosed) {
      this.send();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    await this.ask({ flush: true });
  }

  close(): void {
    this.isClosed = true;
  }

  protected open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.channel.on(BUS_SERVICE, (message) => this.receive(message as ToWorker));
    this.post({ origin: this.options.origin });
  }

  private post(message: FromWorker): void {
    this.channel.post(BUS_SERVICE, message);
  }

  /** Resolves when the first process has handled all messages before this one, or has ended. */
  private async ask(message: FromWorker): Promise<void> {
    await this.channel.request(BUS_SERVICE, message).catch(() => {});
  }

  protected async subscribeAll(): Promise<void> {
    if (this.topics.isComplete) return;
    const topics = this.topics.take(Infinity);
    await this.ask({ subscribe: topics });
    for (const topic of topics) this.topics.confirm(topic);
  }

  protected unsubscribeFrom(topic: string): void {
    this.post({ unsubscribe: topic });
  }

  protected overflowed(): void {
    this.events.refused('the first process takes messages too slowly');
  }

  protected send(): void {
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

  private receive(message: ToWorker): void {
    if (this.isClosed) return;
    if ('ended' in message) this.intake.add(0, () => this.events.ended(message.ended));
    else if ('dropped' in message) this.missed(message.dropped);
    else
      for (let i = 0; i < message.packs.length; i += 2) {
        const [topic, text] = [message.packs[i], message.packs[i + 1]];
        this.received(topic, text.slice(0, ORIGIN_LENGTH), unpack(text));
      }
  }

  private missed(count: number): void {
    this.events.gap(`this process did not read ${count} ${count === 1 ? 'message' : 'messages'} in time`);
    this.events.restored(0);
  }
}
