/**
 * The interface between messages of programs and the engines that carry them to other processes. A driver knows neither
 * values nor threads of the language. Messages arrive at most once; those of one process to one topic arrive in the
 * order in which it published them.
 */

/** Called by a driver. No call is made before the first `subscribe` or `publish` has returned. */
export interface BusEvents {
  /**
   * A message that another process has published to a subscribed topic.
   * @param origin identifies the process
   */
  message(topic: string, payload: string, origin: string): void;
  /** The engine cannot be reached, or a connection broke. From now on messages may be missing. */
  gap(reason: string): void;
  /**
   * The connection is restored, and all subscriptions are in force.
   * @param dropped number of own messages that were dropped since `gap`
   */
  restored(dropped: number): void;
  /** Own messages were dropped because the engine takes them too slowly, or refuses them. */
  refused(reason: string): void;
  /** A process has ended. Only called by drivers with `knowsEnds`. */
  ended(origin: string): void;
}

/** Gauges and counters for metrics and tests. */
export interface BusStats {
  /** Whether the engine can be reached. */
  connected: boolean;
  /** Characters of own messages that the engine has not acknowledged. */
  waiting: number;
  /** Number of own messages that were dropped. */
  dropped: number;
}

/** Carries texts between processes. It connects on first use, and again after a broken connection. */
export interface BusDriver {
  /** Whether `ended` reports each process that ends, so that no heartbeats are needed. */
  readonly knowsEnds: boolean;
  /** Whether there can be other processes at all. */
  readonly isAlone: boolean;
  /**
   * Sends a message to the other processes, together with all others of this turn. Does not wait. While the engine
   * cannot be reached, at most WAITING_CHARACTERS are kept.
   * @param payload a well-formed text without NUL characters
   * @returns whether it was kept or sent
   */
  publish(topic: string, payload: string): boolean;
  /** Resolves when the subscription is in force, however long the engine cannot be reached. */
  subscribe(topic: string): Promise<void>;
  unsubscribe(topic: string): void;
  /** Resolves when the engine has acknowledged all messages, or cannot be reached. */
  flush(): Promise<void>;
  stats(): BusStats;
  /** Ends the connections. No event follows. */
  close(): void;
}

/** Options of all drivers. */
export interface BusOptions {
  /** Identifies this process: ORIGIN_LENGTH characters. */
  readonly origin: string;
  /** Separates programs that share an engine. */
  readonly prefix: string;
  /** Runs a callback at the end of this turn. */
  readonly defer: (callback: () => void) => void;
  /** Calls a function once those that receive messages are not far behind, or do not go on. */
  readonly whenTaken: (then: () => void) => void;
}

export const ORIGIN_LENGTH = 12;

/** Maximum characters of own messages that wait for the engine. Further ones are dropped. */
export const WAITING_CHARACTERS = 16 * 1024 * 1024;

/** Milliseconds between two pings of the engine. */
export const PING_MS = 2000;

/** Milliseconds without an answer after which a connection is considered broken. */
export const SILENCE_MS = 6000;
