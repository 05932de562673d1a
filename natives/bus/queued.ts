import type { BusDriver, BusEvents, BusOptions, BusStats } from './driver.js';
import { Intake } from './intake.js';
import { Outbox } from './outbox.js';
import { Subscriptions } from './subscriptions.js';

/** The common part of drivers that reach other processes: the messages and subscriptions of a turn leave at its end. */
export abstract class QueuedBus implements BusDriver {
  readonly isAlone = false;
  abstract readonly knowsEnds: boolean;
  protected readonly outbox: Outbox;
  protected readonly topics = new Subscriptions();
  protected isClosed = false;
  /** What other processes have sent. */
  protected readonly intake: Intake;
  /** Characters that were sent and not acknowledged. */
  protected inFlight = 0;
  private isScheduled = false;

  constructor(
    protected readonly options: BusOptions,
    protected readonly events: BusEvents,
  ) {
    this.outbox = new Outbox(options.origin);
    this.intake = new Intake(options.whenTaken, (isFull) => this.hold(isFull));
  }

  /** Whether messages can be sent now. */
  protected abstract get canPublish(): boolean;
  /** Whether subscriptions can be changed now. */
  protected abstract get canSubscribe(): boolean;
  /** Connects. Called before each message and subscription; only the first call has an effect. */
  protected abstract open(): void;
  /** Sends messages of the outbox, as many as the engine takes now. */
  protected abstract send(): void;
  /** Subscribes to the topics that the engine does not know. */
  protected abstract subscribeAll(): Promise<void>;
  /** Ends a subscription that the engine knows. */
  protected abstract unsubscribeFrom(topic: string): void;
  /** Called when more has arrived than can be passed on now, and again when that has changed. */
  protected hold(_isFull: boolean): void {}
  /** Called when a message was dropped because too many wait. */
  protected abstract overflowed(): void;
  abstract flush(): Promise<void>;
  abstract close(): void;

  publish(topic: string, payload: string): boolean {
    this.open();
    const isKept = this.outbox.add(topic, payload, this.inFlight);
    if (!isKept) this.overflowed();
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

  stats(): BusStats {
    return {
      connected: this.canPublish && this.canSubscribe,
      waiting: this.outbox.waiting + this.inFlight,
      dropped: this.outbox.dropped,
    };
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

  /** Passes messages of the process `origin` on. `payloads` are read only if the topic is subscribed. */
  protected received(topic: string, origin: string, payloads: Iterable<string>): void {
    if (!this.topics.has(topic)) return;
    for (const payload of payloads)
      this.intake.add(payload.length, () => {
        if (this.topics.has(topic) && !this.isClosed) this.events.message(topic, payload, origin);
      });
  }
}
