import { type BusDriver, type BusEvents, type BusOptions, type BusStats, ORIGIN_LENGTH, PING_MS } from './driver.js';
import { Outbox } from './outbox.js';
import { Subscriptions } from './subscriptions.js';

/** Maximum characters on their way to the server; further messages wait. */
const IN_FLIGHT_CHARACTERS = 4 * 1024 * 1024;

/**
 * The part that drivers with a server share: one connection publishes, one is subscribed; messages of a turn leave
 * together; a broken connection is reported once, until both connections are in use again.
 */
export abstract class NetworkedBus implements BusDriver {
  readonly knowsEnds = false;
  readonly isAlone = false;
  protected readonly outbox: Outbox;
  protected readonly topics = new Subscriptions();
  protected isClosed = false;
  private inFlight = 0;
  private pings: NodeJS.Timeout | null = null;
  private isScheduled = false;
  private isSubscribing = false;
  private isBroken = false;
  /** Messages given up until the end of the last outage. */
  private reported = 0;
  private flushes: (() => void)[] = [];

  constructor(
    protected readonly options: BusOptions,
    protected readonly events: BusEvents,
  ) {
    this.outbox = new Outbox(options.origin);
  }

  /** Whether the connection that publishes, and the subscribed one, are in use. */
  protected abstract get canPublish(): boolean;
  protected abstract get canSubscribe(): boolean;
  /** Opens both connections. */
  protected abstract connect(): void;
  protected abstract disconnect(): void;
  /** Asks the server for a sign of life on both connections. */
  protected abstract ping(): void;
  /** Subscribes to some of the topics that the server does not know; rejects if the server refuses. */
  protected abstract subscribeSome(): Promise<void>;
  protected abstract unsubscribeFrom(topic: string): void;
  /** Sends one pack of the outbox, or several; returns their characters, 0 if there was nothing to send. */
  protected abstract sendSome(): number;
  /** Why an operation failed, in a few words; null if the connection broke, which is reported otherwise. */
  protected abstract refusalOf(error: unknown): string | null;

  publish(topic: string, payload: string): boolean {
    this.open();
    const isKept = this.outbox.add(topic, payload, this.inFlight);
    if (!isKept && !this.isBroken) this.events.refused('the server takes messages too slowly');
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
    if (this.topics.remove(topic) && this.canSubscribe) this.unsubscribeFrom(topic);
  }

  flush(): Promise<void> {
    if (this.isBroken || (this.outbox.isEmpty && this.inFlight === 0)) return Promise.resolve();
    return new Promise((resolve) => this.flushes.push(resolve));
  }

  stats(): BusStats {
    return {
      connected: this.canPublish && this.canSubscribe,
      waiting: this.outbox.waiting + this.inFlight,
      dropped: this.outbox.dropped,
    };
  }

  close(): void {
    this.isClosed = true;
    if (this.pings !== null) clearInterval(this.pings);
    this.disconnect();
    this.settleFlushes();
  }

  private open(): void {
    if (this.pings !== null || this.isClosed) return;
    this.pings = setInterval(() => this.ping(), PING_MS);
    this.connect();
  }

  /** Called when a new connection is subscribed to nothing yet. */
  protected subscriberReady(): void {
    this.topics.forget();
    this.schedule();
  }

  /** Called when one of the connections broke, or could not be made. */
  protected lost(reason: string): void {
    if (this.isClosed) return;
    this.settleFlushes();
    if (this.isBroken) return;
    this.isBroken = true;
    this.events.gap(reason);
  }

  /** Passes a message on, unless this process has sent it. `payloads` are read only then. */
  protected received(topic: string, origin: string, payloads: Iterable<string>): void {
    if (!this.topics.has(topic)) return;
    for (const payload of payloads) this.events.message(topic, payload, origin);
  }

  /** Whether a text begins like a pack of another process. */
  protected isForeign(text: string): boolean {
    return text.length > ORIGIN_LENGTH && !text.startsWith(this.options.origin);
  }

  /** Sends and subscribes at the end of this turn. */
  protected schedule(): void {
    if (this.isScheduled || this.isClosed) return;
    this.isScheduled = true;
    this.options.defer(() => {
      this.isScheduled = false;
      if (this.isClosed) return;
      void this.subscribeAll();
      this.send();
    });
  }

  private async subscribeAll(): Promise<void> {
    if (this.isSubscribing) return;
    this.isSubscribing = true;
    while (!this.topics.isComplete && this.canSubscribe) {
      try {
        await this.subscribeSome();
      } catch (error) {
        // After a broken connection, the next one subscribes to all topics.
        this.refuse(error);
      }
    }
    this.isSubscribing = false;
    this.recovered();
  }

  private recovered(): void {
    if (!this.isBroken || !this.canPublish || !this.canSubscribe || !this.topics.isComplete) return;
    this.isBroken = false;
    const dropped = this.outbox.dropped - this.reported;
    this.reported = this.outbox.dropped;
    this.events.restored(dropped);
  }

  private send(): void {
    if (!this.canPublish) return;
    this.recovered();
    while (this.inFlight < IN_FLIGHT_CHARACTERS) {
      const characters = this.sendSome();
      if (characters === 0) break;
      this.inFlight += characters;
    }
  }

  /** Called once for what `sendSome` has sent. @param failed number of messages that certainly or possibly failed */
  protected sent(characters: number, failed: number, error: unknown = null): void {
    this.inFlight -= characters;
    this.outbox.dropped += failed;
    if (failed > 0) this.refuse(error);
    if (!this.outbox.isEmpty) this.schedule();
    else if (this.inFlight === 0) this.settleFlushes();
  }

  private refuse(error: unknown): void {
    const refusal = this.refusalOf(error);
    if (refusal !== null) this.events.refused(refusal);
  }

  private settleFlushes(): void {
    for (const resolve of this.flushes.splice(0)) resolve();
  }
}
