/** Properties that the cache requires of its entries. */
export interface Cached {
  /** Bytes of memory held. */
  readonly weight: number;
  /** Time at which the entry was last confirmed to match the disk. */
  checkedAt: number;
}

export interface CacheLimits {
  /** Maximum bytes of all entries. */
  bytes: number;
  /** Milliseconds for which an entry, or its absence, is trusted without checking the disk. */
  fresh: number;
  /** Maximum names remembered as missing. */
  missing: number;
}

const DEFAULT_LIMITS: CacheLimits = { bytes: 32 * 1024 * 1024, fresh: 1000, missing: 1000 };

/** Maximum length of a key remembered as missing: a client can invent any number of them. */
const MAX_MISSING_KEY_LENGTH = 256;

/**
 * A bounded cache of files and of names without a file. A hit costs one lookup and sets one flag. Entries are evicted
 * in order of arrival, except that those used since the last round are queued again ("second chance"). This keeps
 * entries in use about as well as true LRU.
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

  /** Returns the entry, null if it is known to be missing, or undefined if the disk must be checked. */
  fresh(key: string, now: number): T | null | undefined {
    const entry = this.entries.get(key);
    if (entry !== undefined && now - entry.value.checkedAt < this.limits.fresh) {
      entry.used = true;
      return entry.value;
    }
    const since = this.missing.get(key);
    return since !== undefined && now - since < this.limits.fresh ? null : undefined;
  }

  /**
   * Checks the disk: `load` receives the outdated entry and returns the current one. Concurrent callers share the
   * result.
   */
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

  /** Stores a result. `now` is when the disk check started, not when it ended: the answer may be that old. */
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

  /** Call after an entry's `weight` has grown by `bytes`. Does nothing if the entry is no longer in the cache. */
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
    if (key.length > MAX_MISSING_KEY_LENGTH) return;
    if (this.missing.size >= this.limits.missing) this.missing.clear();
    this.missing.set(key, now);
  }
}
