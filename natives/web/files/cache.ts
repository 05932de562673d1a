/** What the cache needs to know of what it holds. */
export interface Cached {
  /** Bytes of memory. */
  readonly weight: number;
  /** When it was last seen to be as the disk has it. */
  checkedAt: number;
}

export interface CacheLimits {
  /** Bytes of all entries. */
  bytes: number;
  /** Milliseconds that an entry, or the absence of one, is believed without a look at the disk. */
  fresh: number;
  /** Names remembered as missing. */
  missing: number;
}

const DEFAULT_LIMITS: CacheLimits = { bytes: 32 * 1024 * 1024, fresh: 1000, missing: 1000 };

/** Longer keys are not remembered as missing: a client can make up as many as it likes. */
const LONGEST_MISSING = 256;

/**
 * Bounded memory of files, and of names that lead to none. A hit costs one lookup and changes one flag: entries are dropped in the order of
 * their arrival, those used since the last round come around once more ("second chance"), which keeps what is in use as well as true LRU.
 */
export class FileCache<T extends Cached> {
  private readonly entries = new Map<string, { value: T; used: boolean }>();
  private readonly missing = new Map<string, number>();
  private readonly loads = new Map<string, Promise<T | null>>();
  private total = 0;

  constructor(private readonly limits: CacheLimits = DEFAULT_LIMITS) {}

  /** Bytes held. */
  get bytes(): number {
    return this.total;
  }

  get size(): number {
    return this.entries.size;
  }

  /** The entry, null for one known to be missing; undefined when the disk has to be asked. */
  fresh(key: string, now: number): T | null | undefined {
    const entry = this.entries.get(key);
    if (entry !== undefined && now - entry.value.checkedAt < this.limits.fresh) {
      entry.used = true;
      return entry.value;
    }
    const since = this.missing.get(key);
    return since !== undefined && now - since < this.limits.fresh ? null : undefined;
  }

  /** Asks the disk: `load` gets the outdated entry and gives the current one. Those who ask meanwhile get the same answer. */
  refresh(key: string, now: number, load: (old: T | null) => Promise<T | null>): Promise<T | null> {
    const running = this.loads.get(key);
    if (running !== undefined) return running;
    const old = this.entries.get(key)?.value ?? null;
    const loading = load(old)
      .then((value) => this.put(key, value, now))
      .finally(() => this.loads.delete(key));
    this.loads.set(key, loading);
    return loading;
  }

  /** `now` is when the disk was asked, not when it answered: an answer is as old as its question. */
  private put(key: string, value: T | null, now: number): T | null {
    const old = this.entries.get(key);
    if (value !== null) value.checkedAt = now;
    if (value !== null && old?.value === value) return value;
    if (old !== undefined) this.drop(key, old.value);
    if (value === null) this.remember(key, now);
    else this.add(key, value);
    return value;
  }

  private add(key: string, value: T): void {
    if (value.weight > this.limits.bytes) return;
    this.missing.delete(key);
    this.entries.set(key, { value, used: false });
    this.total += value.weight;
    this.trim();
  }

  private trim(): void {
    for (const [oldest, entry] of this.entries) {
      if (this.total <= this.limits.bytes) break;
      if (!entry.used) this.drop(oldest, entry.value);
      else {
        entry.used = false;
        this.entries.delete(oldest);
        this.entries.set(oldest, entry);
      }
    }
  }

  /** An entry has become `bytes` heavier, which its `weight` says already. Nothing happens when it is not in the cache any more. */
  grown(key: string, value: T, bytes: number): void {
    if (this.entries.get(key)?.value !== value) return;
    this.total += bytes;
    this.trim();
  }

  private drop(key: string, value: T): void {
    this.entries.delete(key);
    this.total -= value.weight;
  }

  private remember(key: string, now: number): void {
    if (key.length > LONGEST_MISSING) return;
    if (this.missing.size >= this.limits.missing) this.missing.clear();
    this.missing.set(key, now);
  }
}
