/**
 * The interface between key stores of programs and the engines that keep them. A driver knows no values of the
 * language: keys and values are texts, times are milliseconds.
 */

/** The result of an operation, or a promise of it. Operations throw, or reject with, StoreFailure. */
export type Answer<T> = T | Promise<T>;

/** When `put` stores a text: always, only if the key is missing, only if it exists. */
export type Condition = 'always' | 'absent' | 'present';

/** The result of `increment`. */
export interface Counted {
  /** The new value, in decimal digits. */
  readonly text: string;
  /** Milliseconds until it expires; null: it does not. */
  readonly left: number | null;
}

/** The result of `acquire`: the token of a lock that was obtained, or the milliseconds until its holder loses it. */
export type Acquired = { readonly token: number } | { readonly busyFor: number };

/** Keeps texts under keys, with times to live by the clock of the engine, and locks. */
export interface StoreDriver {
  /** Names the store in messages, without a password. */
  readonly label: string;
  /** Whether the store is in the memory of this process: then operations return no promises. */
  readonly isLocal: boolean;
  get(key: string): Answer<string | null>;
  /** Stores a text; returns whether the condition was met. @param ttl null: it does not expire */
  put(key: string, text: string, ttl: number | null, condition: Condition): Answer<boolean>;
  /** Stores `text` if the key has the text `expected`; returns whether it had. @param ttl null: it stays as it was */
  replace(key: string, expected: string, text: string, ttl: number | null): Answer<boolean>;
  /** Returns whether the key existed. */
  delete(key: string): Answer<boolean>;
  /**
   * Adds to an integer in decimal digits. A missing one is 0, and gets `ttl`. Returns null, and changes nothing, if the
   * text is no integer or a number is too large for the engine.
   */
  increment(key: string, by: bigint, ttl: number | null): Answer<Counted | null>;
  /** Takes a lock for `ttl`; an owner that holds it already extends it. Tokens of a name increase. */
  acquire(name: string, owner: string, ttl: number): Answer<Acquired>;
  /** Extends a lock to `ttl` from now. Returns false if the owner has lost it. */
  renew(name: string, owner: string, ttl: number): Answer<boolean>;
  release(name: string, owner: string): Answer<void>;
  /**
   * Calls `changed` whenever a lock may have been released, and once when the engine has begun to report releases.
   * Returns a function that ends the watch.
   */
  watch(name: string, changed: () => void): () => void;
  close(): Promise<void>;
}

/** The failure of an operation. The message is shown to programs: it names the store, without a password. */
export class StoreFailure extends Error {
  /**
   * @param kind `connection`: the engine could not be reached; `engine`: it refused; `closed`: the program has closed
   * the store; `full`: the store has no room
   */
  constructor(
    readonly kind: 'connection' | 'engine' | 'closed' | 'full',
    message: string,
  ) {
    super(message);
  }
}

/** Makes the failure of an operation after `close`. */
export function closedFailure(label: string): StoreFailure {
  return new StoreFailure('closed', `the key store ${label} is closed`);
}

/**
 * Makes the failure of an operation without an answer within `timeout` milliseconds.
 * @param reason why the engine cannot be reached; null: it does not answer
 */
export function lateFailure(label: string, timeout: number, reason: string | null): StoreFailure {
  const text = reason === null ? 'does not answer' : 'cannot be reached';
  return new StoreFailure(
    'connection',
    `the key store ${label} ${text} (waited ${timeout / 1000} s)${reason === null ? '' : `: ${reason}`}`,
  );
}

/** Makes the failure of an operation whose connection broke before the answer, and that must not be repeated. */
export function unknownFailure(label: string): StoreFailure {
  return new StoreFailure(
    'connection',
    `the connection to the key store ${label} broke: whether the value was changed is unknown`,
  );
}

/** Milliseconds before an operation is repeated while the engine cannot be reached: the first time, and at most. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/** Returns the milliseconds to wait after attempt number `attempt`, counted from 0, with jitter. */
export function pauseBefore(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random());
}

/** Functions that wait for locks to be released, by the names of the locks. */
export class Watchers {
  private readonly byName = new Map<string, Set<() => void>>();

  /** Returns a function that removes the watcher. */
  add(name: string, changed: () => void): () => void {
    const watchers = this.byName.get(name) ?? new Set();
    this.byName.set(name, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0 && this.byName.get(name) === watchers) this.byName.delete(name);
    };
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  notify(name: string): void {
    for (const changed of [...(this.byName.get(name) ?? [])]) changed();
  }

  notifyAll(): void {
    for (const name of this.names) this.notify(name);
  }
}
