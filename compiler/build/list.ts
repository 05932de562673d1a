/**
 * An immutable list with cheap append. nearley runs postprocessors for every prefix that could be complete, so a plain
 * array would have to be copied for each element.
 */
export class List<T> {
  readonly init: List<T> | null;
  readonly last: T;
  readonly size: number;

  constructor(init: List<T> | null, last: T) {
    this.init = init;
    this.last = last;
    this.size = init === null ? 1 : init.size + 1;
  }
}

/** A list, or null when it is empty. */
export type MaybeList<T> = List<T> | null;

/** The elements in order. */
export function toArray<T>(list: MaybeList<T>): T[] {
  if (list === null) return [];
  const array = new Array<T>(list.size);
  let rest: MaybeList<T> = list;
  for (let i = list.size - 1; rest !== null; i--, rest = rest.init) array[i] = rest.last;
  return array;
}

export function one<T>(item: T): List<T> {
  return new List<T>(null, item);
}

export function two<T>(first: T, second: T): List<T> {
  return new List(one(first), second);
}

export function append<T>(list: MaybeList<T>, item: T): List<T> {
  return new List(list, item);
}
