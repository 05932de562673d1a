import { type Acquired, type Condition, type Counted, type StoreDriver, StoreFailure, Watchers } from './driver.js';

/** Maximum characters of all keys and values of a store. Each entry counts ENTRY_CHARACTERS in addition to its own. */
const MAX_CHARACTERS = 128 << 20;
const ENTRY_CHARACTERS = 100;

/** Entries that each change checks, and removes if they have expired; more if the store is full. */
const SWEPT = 4;
const SWEPT_WHEN_FULL = 10_000;

interface Entry {
  readonly text: string;
  /** When it expires, by `Clocks.now`. */
  readonly until: number;
}

interface Held {
  readonly owner: string;
  readonly token: number;
  readonly until: number;
}

/** The clocks of a store, in milliseconds: one that never goes back, and the time of day. */
export interface Clocks {
  now(): number;
  wallClock(): number;
}

/** Integers that are short enough to be added in one step. */
const INTEGER = /^-?\d{1,1000}$/;

/** A store in the memory of this process. */
export class MemoryStore implements StoreDriver {
  readonly isLocal = true;
  private readonly entries = new Map<string, Entry>();
  private readonly locks = new Map<string, Held>();
  private readonly watchers = new Watchers();
  private characters = 0;
  private lastToken = 0;
  private sweeper = this.entries.entries();

  constructor(
    readonly label: string,
    private readonly clocks: Clocks,
  ) {}

  get(key: string): string | null {
    return this.live(key)?.text ?? null;
  }

  put(key: string, text: string, ttl: number | null, condition: Condition): boolean {
    if (condition !== 'always' && (this.live(key) === null) !== (condition === 'absent')) return false;
    this.store(key, text, ttl === null ? Infinity : this.clocks.now() + ttl);
    return true;
  }

  replace(key: string, expected: string, text: string, ttl: number | null): boolean {
    const entry = this.live(key);
    if (entry?.text !== expected) return false;
    this.store(key, text, ttl === null ? entry.until : this.clocks.now() + ttl);
    return true;
  }

  delete(key: string): boolean {
    const isLive = this.live(key) !== null;
    this.remove(key);
    return isLive;
  }

  increment(key: string, by: bigint, ttl: number | null): Counted | null {
    const now = this.clocks.now();
    const entry = this.live(key);
    if (entry !== null && !INTEGER.test(entry.text)) return null;
    const text = String(BigInt(entry?.text ?? 0) + by);
    const until = entry?.until ?? (ttl === null ? Infinity : now + ttl);
    this.store(key, text, until);
    return { text, left: until === Infinity ? null : until - now };
  }

  acquire(name: string, owner: string, ttl: number): Acquired {
    const now = this.clocks.now();
    const held = this.locks.get(name);
    if (held !== undefined && held.until > now && held.owner !== owner) return { busyFor: held.until - now };
    const token = held?.owner === owner ? held.token : this.newToken();
    this.locks.set(name, { owner, token, until: now + ttl });
    return { token };
  }

  renew(name: string, owner: string, ttl: number): boolean {
    const now = this.clocks.now();
    const held = this.locks.get(name);
    if (held?.owner !== owner || held.until <= now) return false;
    this.locks.set(name, { ...held, until: now + ttl });
    return true;
  }

  release(name: string, owner: string): void {
    if (this.locks.get(name)?.owner !== owner) return;
    this.locks.delete(name);
    this.watchers.notify(name);
  }

  /** Releases all locks of owners with this prefix: those of a process that has ended. */
  releaseAll(prefix: string): void {
    for (const [name, { owner }] of [...this.locks]) if (owner.startsWith(prefix)) this.release(name, owner);
  }

  watch(name: string, changed: () => void): () => void {
    return this.watchers.add(name, changed);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Returns a token. It also exceeds those of earlier processes, unless the time of day was set back. */
  private newToken(): number {
    return (this.lastToken = Math.max(this.lastToken + 1, Math.floor(this.clocks.wallClock() * 1000)));
  }

  private live(key: string): Entry | null {
    const entry = this.entries.get(key);
    return entry !== undefined && entry.until > this.clocks.now() ? entry : null;
  }

  private store(key: string, text: string, until: number): void {
    this.remove(key);
    const size = sizeOf(key, text);
    this.sweep(SWEPT);
    if (this.characters + size > MAX_CHARACTERS) this.sweep(SWEPT_WHEN_FULL);
    if (this.characters + size > MAX_CHARACTERS)
      throw new StoreFailure(
        'full',
        `the key store ${this.label} is full: it keeps at most ${MAX_CHARACTERS >> 20} MiB; give values a ttl:, or keep them in Redis or PostgreSQL`,
      );
    this.characters += size;
    this.entries.set(key, { text, until });
  }

  private remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.characters -= sizeOf(key, entry.text);
    this.entries.delete(key);
  }

  /** Removes expired entries among the next `count`. */
  private sweep(count: number): void {
    const now = this.clocks.now();
    for (let n = 0; n < count; n++) {
      const { value, done } = this.sweeper.next();
      if (done === true) {
        this.sweeper = this.entries.entries();
        return;
      }
      if (value[1].until <= now) this.remove(value[0]);
    }
  }
}

function sizeOf(key: string, text: string): number {
  return key.length + text.length + ENTRY_CHARACTERS;
}
