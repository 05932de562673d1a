import { ORIGIN_LENGTH, PING_MS } from './driver.js';
import { QueuedBus } from './queued.js';

/** Maximum characters that are sent and not acknowledged; further messages wait. */
const IN_FLIGHT_CHARACTERS = 4 * 1024 * 1024;
/** Milliseconds before subscriptions that failed are tried again on the same connection. */
const RETRY_MS = 1000;

/**
 * The common part of drivers with a server: one connection publishes, one is subscribed. A broken connection is
 * reported once, until both connections are in use again.
 */
export abstract class NetworkedBus extends QueuedBus {
  readonly knowsEnds = false;
  private pings: NodeJS.Timeout | null = null;
  private isSubscribing = false;
  private isBroken = false;
  /** Runs while subscriptions wait because some have failed. */
  private pause: NodeJS.Timeout | null = null;
  /** Number of messages that were dropped before the end of the last outage. */
  private reported = 0;
  private flushes: (() => void)[] = [];

  /** Opens both connections. */
  protected abstract connect(): void;
  protected abstract disconnect(): void;
  /** Pings the server on both connections. */
  protected abstract ping(): void;
  /** Maximum number of topics for one call of `subscribeTo`. */
  protected abstract readonly topicsAtOnce: number;
  /** Subscribes to all of these topics; rejects, and subscribes to none, if the server refuses. */
  protected abstract subscribeTo(topics: readonly string[]): Promise<void>;
  /** Sends one or several packs of the outbox. Returns their characters; 0 if there was nothing to send. */
  protected abstract sendSome(): number;
  /** Returns why the server refused an operation; null if the connection broke, which `lost` reports. */
  protected abstract refusalOf(error: unknown): string | null;

  flush(): Promise<void> {
    if (this.isBroken || (this.outbox.isEmpty && this.inFlight === 0)) return Promise.resolve();
    return new Promise((resolve) => this.flushes.push(resolve));
  }

  close(): void {
    this.isClosed = true;
    if (this.pings !== null) clearInterval(this.pings);
    this.endPause();
    this.disconnect();
    this.settleFlushes();
  }

  protected open(): void {
    if (this.pings !== null || this.isClosed) return;
    this.pings = setInterval(() => this.ping(), PING_MS);
    this.connect();
  }

  protected overflowed(): void {
    if (!this.isBroken) this.events.refused('the server takes messages too slowly');
  }

  /** Called when the connection for subscriptions is new. */
  protected subscriberReady(): void {
    this.endPause();
    this.topics.forget();
    this.schedule();
  }

  /** Called when one of the connections broke or could not be opened. */
  protected lost(reason: string): void {
    if (this.isClosed) return;
    this.settleFlushes();
    if (this.isBroken) return;
    this.isBroken = true;
    this.events.gap(reason);
  }

  /** Whether a text is long enough for a pack, and not sent by this process. */
  protected isForeign(text: string): boolean {
    return text.length > ORIGIN_LENGTH && !text.startsWith(this.options.origin);
  }

  protected async subscribeAll(): Promise<void> {
    if (this.isSubscribing) return;
    this.isSubscribing = true;
    while (!this.topics.isComplete && this.canSubscribe && this.pause === null) {
      const topics = this.topics.take(this.topicsAtOnce);
      try {
        await this.subscribeTo(topics);
        for (const topic of topics) this.topics.confirm(topic);
      } catch (error) {
        this.topics.putBack(topics);
        this.refuse(error);
        // If the connection broke, the next one ends the pause.
        this.beginPause();
      }
    }
    this.isSubscribing = false;
    this.recovered();
  }

  private beginPause(): void {
    this.pause = setTimeout(() => {
      this.pause = null;
      this.schedule();
    }, RETRY_MS);
    this.pause.unref();
  }

  private endPause(): void {
    if (this.pause !== null) clearTimeout(this.pause);
    this.pause = null;
  }

  /** Reports that the connection is restored, if it is and the server has answered to all subscriptions. */
  private recovered(): void {
    if (!this.isBroken || !this.canPublish || !this.canSubscribe) return;
    if (this.isSubscribing || !this.topics.isComplete) return;
    this.isBroken = false;
    const dropped = this.outbox.dropped - this.reported;
    this.reported = this.outbox.dropped;
    this.events.restored(dropped);
  }

  protected send(): void {
    if (!this.canPublish) return;
    this.recovered();
    while (this.inFlight < IN_FLIGHT_CHARACTERS) {
      const characters = this.sendSome();
      if (characters === 0) break;
      this.inFlight += characters;
    }
  }

  /** Called once for each result of `sendSome`. @param failed number of messages that may not have arrived */
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
