import type { BusDriver, BusEvents, BusStats } from './driver.js';

/** Topic on which a process reports to the others that it has lost messages. */
const LOSSES = '!lost';

type Listener = (payload: string, origin: string) => void;

/** The subscription of a listener. */
export interface Listening {
  /** Resolves when messages of other processes reach it. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Minimum milliseconds between two reports of dropped messages. */
const REPORT_MS = 60_000;

/**
 * Passes messages of other processes from the driver to listeners in this process, and reports broken connections.
 * Payloads are texts.
 */
export class Bus {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly driver: BusDriver;
  private readonly onGaps = new Set<(seconds: number) => void>();
  private readonly onEnds = new Set<(origin: string) => void>();
  private readonly onRestored = new Set<() => void>();
  private readonly endings = new Set<() => void>();
  private brokenAt: number | null = null;
  private refusedAt = -Infinity;
  private hasOpened = false;

  /**
   * @param label names the engine in messages, without a password
   * @param origin identifies this process
   * @param connect makes the driver
   * @param report receives one line for each problem
   * @param now returns the time in milliseconds
   */
  constructor(
    readonly label: string,
    readonly origin: string,
    connect: (events: BusEvents) => BusDriver,
    private readonly report: (line: string) => void,
    private readonly now: () => number,
  ) {
    this.driver = connect({
      message: (topic, payload, origin) => this.received(topic, payload, origin),
      gap: (reason) => this.broke(reason),
      restored: (dropped) => this.recovered(dropped),
      refused: (reason) => this.refused(reason),
      ended: (origin) => {
        for (const ended of this.onEnds) ended(origin);
      },
    });
  }

  /** Whether there are no other processes. */
  get isAlone(): boolean {
    return this.driver.isAlone;
  }

  get knowsEnds(): boolean {
    return this.driver.knowsEnds;
  }

  /** Whether a message can reach other processes now. */
  get isConnected(): boolean {
    return this.driver.stats().connected;
  }

  stats(): BusStats {
    return this.driver.stats();
  }

  /** Sends a message to the other processes. Returns whether it was kept or sent: see `BusDriver.publish`. */
  publish(topic: string, payload: string): boolean {
    this.open();
    return this.driver.publish(topic, payload);
  }

  /** Passes a message to the listeners of this process. */
  deliver(topic: string, payload: string): void {
    this.received(topic, payload, '');
  }

  /** Calls `listener` for each message to a topic. */
  listen(topic: string, listener: Listener): Listening {
    this.open();
    let listeners = this.listeners.get(topic);
    if (listeners === undefined) this.listeners.set(topic, (listeners = new Set()));
    const own = listeners.add(listener);
    return {
      ready: this.driver.subscribe(topic),
      stop: () => {
        own.delete(listener);
        if (own.size > 0 || this.listeners.get(topic) !== own) return;
        this.listeners.delete(topic);
        this.driver.unsubscribe(topic);
      },
    };
  }

  /** Calls `callback` after messages may have been lost, with the seconds during which they may have been. */
  onGap(callback: (seconds: number) => void): void {
    this.onGaps.add(callback);
  }

  /** Calls `callback` when the connection is restored, before the callbacks of `onGap`. */
  onRestore(callback: () => void): void {
    this.onRestored.add(callback);
  }

  /** Calls `callback` with the origin of each process that ends, if the driver reports it (`knowsEnds`). */
  onEnd(callback: (origin: string) => void): void {
    this.onEnds.add(callback);
  }

  /** Calls `callback` when the program ends, while messages can still be sent. */
  beforeEnd(callback: () => void): void {
    this.endings.add(callback);
  }

  /** Sends all messages, then closes the bus. */
  async end(): Promise<void> {
    for (const callback of this.endings) callback();
    await this.flush();
    this.close();
  }

  /** Resolves when the engine has taken all messages, or cannot be reached. */
  flush(): Promise<void> {
    return this.driver.flush();
  }

  close(): void {
    this.driver.close();
  }

  private open(): void {
    if (this.hasOpened || this.isAlone) return;
    this.hasOpened = true;
    this.listen(LOSSES, (seconds) => this.gap(Number(seconds)));
  }

  private received(topic: string, payload: string, origin: string): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(payload, origin);
  }

  private broke(reason: string): void {
    this.brokenAt = this.now();
    this.report(`bus ${this.label}: no connection (${reason}); until it is back, messages may be missing`);
  }

  private recovered(dropped: number): void {
    const seconds = (this.now() - (this.brokenAt ?? this.now())) / 1000;
    this.brokenAt = null;
    const lost = dropped === 0 ? '' : `; ${dropped} ${dropped === 1 ? 'message' : 'messages'} of this process lost`;
    this.report(`bus ${this.label}: connected again after ${seconds.toFixed(1)} s${lost}`);
    for (const restored of this.onRestored) restored();
    this.gap(seconds);
    if (dropped > 0) this.driver.publish(LOSSES, String(seconds));
  }

  private refused(reason: string): void {
    const now = this.now();
    if (now - this.refusedAt < REPORT_MS) return;
    this.refusedAt = now;
    this.report(`bus ${this.label}: messages are lost: ${reason}`);
  }

  private gap(seconds: number): void {
    for (const callback of this.onGaps) callback(seconds);
  }
}
