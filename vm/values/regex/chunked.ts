import { Errors, fail } from '../error.js';
import { checkRoom } from '../heaproom.js';

/** Most bytes that one search may keep, and all searches together. */
const MOST_BYTES = 128 << 20;
const MOST_BYTES_TOGETHER = 512 << 20;
/** Bytes after which the heap is asked again. */
const ASKED = 1 << 20;

/** Searches that keep something: an abandoned one is not told, so only the collector takes it off. */
let kept: WeakRef<Store>[] = [];

/** Counts the memory that a search keeps between its steps. */
export class Store {
  private bytes = 0;
  /** Short searches are not worth a look at the heap. */
  private asked = ASKED;

  /** @param what ends the sentence "… needs too much memory" */
  constructor(private readonly what: string) {}

  /** Asks for bytes. @throws MemoryError */
  take(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.asked) return;
    this.asked = this.bytes + ASKED;
    if (this.bytes > MOST_BYTES || this.together() > MOST_BYTES_TOGETHER)
      fail(Errors.MemoryError, `${this.what} needs too much memory: the text is too long for it`);
    checkRoom(ASKED, `${this.what} would not fit`);
  }

  /** Gives bytes back. */
  free(bytes: number): void {
    this.bytes -= bytes;
  }

  private together(): number {
    kept = kept.filter((reference) => reference.deref() !== undefined);
    if (!kept.some((reference) => reference.deref() === this)) kept.push(new WeakRef(this));
    return kept.reduce((sum, reference) => sum + (reference.deref()?.bytes ?? 0), 0);
  }
}

/** Numbers in a row: grows by parts, so that nothing large is copied. */
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
