/** An element of a LinkedList: of one at a time. */
export interface Linked<T> {
  /** Neighbours in the list. */
  older: T | null;
  younger: T | null;
}

/**
 * Elements in the order in which they were added, linked through their own fields. A Set that grows and shrinks with
 * each request leaves old tables that refer to one another: once one of them is old, everything they held survives until
 * the next full collection.
 */
export class LinkedList<T extends Linked<T>> implements Iterable<T> {
  size = 0;
  /** The oldest element. */
  first: T | null = null;
  private last: T | null = null;

  add(element: T): void {
    element.older = this.last;
    if (this.last === null) this.first = element;
    else this.last.younger = element;
    this.last = element;
    this.size++;
  }

  /** Removes an element that is in the list. */
  delete(element: T): void {
    const { older, younger } = element;
    if (older === null) this.first = younger;
    else older.younger = younger;
    if (younger === null) this.last = older;
    else younger.older = older;
    element.older = element.younger = null;
    this.size--;
  }

  /** Iterates, oldest first. Loops that remove elements must iterate over a copy. */
  *[Symbol.iterator](): Generator<T> {
    for (let element = this.first; element !== null; element = element.younger) yield element;
  }
}
