import { Errors, fail } from '../error.js';
import { checkRoom } from '../heaproom.js';

/** Maximum bytes kept by one search, and by all searches together. */
const MAX_BYTES = 128 << 20;
const MAX_BYTES_TOGETHER = 512 << 20;
/** Bytes between two heap checks. */
const ASKED = 1 << 20;

/** Searches that keep memory. An abandoned search is never closed; the garbage collector removes it from here. */
let kept: WeakRef<Store>[] = [];

/** Counts the memory that a search keeps between its steps. */
export class Store {
  private bytes = 0;
  /** Size at which the heap is checked next; short searches stay below it. */
  private asked = ASKED;

  /** @param what subject of the message "… needs too much memory" */
  constructor(private readonly what: string) {}

  /** Reserves bytes. @throws MemoryError */
  take(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.asked) return;
    this.asked = this.bytes + ASKED;
    if (this.bytes > MAX_BYTES || this.together() > MAX_BYTES_TOGETHER)
      fail(Errors.MemoryError, `${this.what} needs too much memory: the text is too long for it`);
    checkRoom(ASKED, `${this.what} would not fit`);
  }

  /** Releases bytes. */
  free(bytes: number): void {
    this.bytes -= bytes;
  }

  private together(): number {
    kept = kept.filter((reference) => reference.deref() !== undefined);
    if (!kept.some((reference) => reference.deref() === this)) kept.push(new WeakRef(this));
    return kept.reduce((sum, reference) => sum + (reference.deref()?.bytes ?? 0), 0);
  }
}

/** A list of integers that grows by parts, so that nothing large is copied. */
export class Numbers {
  length = 0;
  private readonly parts: Int32Array[] = [];

  constructor(private readonly store: Store) {}

  push(value: number): void {
    const part = this.length >> PART;
    if (part === this.parts.length) {
      this.store.take(4 << PART);
      this.parts.push(new Int32Array(1 << PART));
    }
    this.parts[part][this.length++ & IN_PART] = value;
  }

  at(i: number): number {
    return this.parts[i >> PART][i & IN_PART];
  }
}

const PART = 14;
const IN_PART = (1 << PART) - 1;
