import { finish } from '../../vm/values/steps.js';
import { AT_ONCE, checkElements } from './limits.js';

/** Elements in one chunk. */
const CHUNK = 4096;
/** Maximum elements, and chunks, that are joined in one step. */
const MAX_JOINED_ELEMENTS = 1 << 17;
const MAX_JOINED_CHUNKS = 100;

/**
 * Gathers the elements of a vector that may become long. A growing array is copied completely again and again; here
 * only the chunks grow, and they are joined in steps.
 */
export class Gathered<T> {
  private readonly chunks: T[][] = [];
  private chunk: T[] = [];
  /** Elements in `chunks`. */
  private before = 0;

  /** Adds an element. @throws MemoryError when a vector cannot hold that many */
  add(item: T): void {
    if (this.chunk.length >= CHUNK) this.close([]);
    this.chunk.push(item);
  }

  /** Adds the elements of an array, which the caller must not use any more. @throws MemoryError */
  addAll(items: T[]): void {
    this.close(items);
  }

  private close(next: T[]): void {
    this.before += this.chunk.length;
    this.chunks.push(this.chunk);
    this.chunk = next;
    checkElements(this.count + 1);
  }

  /** Number of elements. */
  get count(): number {
    return this.before + this.chunk.length;
  }

  /** As `all`, at once: for few elements. */
  allAtOnce(): T[] {
    return this.chunks.length === 0 ? this.chunk : finish(this.all());
  }

  /** Returns all elements and empties this object. @throws MemoryError when there are too many */
  *all(): Generator<void, T[], void> {
    const { chunks, count } = this;
    checkElements(count);
    if (chunks.length === 0) return this.chunk;
    if (count <= MAX_JOINED_ELEMENTS && chunks.length <= MAX_JOINED_CHUNKS)
      return ([] as T[]).concat(...chunks, this.chunk);
    const out = new Array<T>(Math.min(count, AT_ONCE));
    chunks.push(this.chunk);
    let at = 0;
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i];
      // Free the chunk's memory.
      chunks[i] = [];
      for (let j = 0; j < chunk.length; j++, at++) {
        if (at < AT_ONCE) out[at] = chunk[j];
        else out.push(chunk[j]);
      }
      yield;
    }
    return out;
  }
}
