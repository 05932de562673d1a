/**
 * A list that grows at its end without being changed. nearley runs postprocessors for every prefix that could be complete, so a plain
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

export const first = <T>(d: [T]): T => d[0];
export const second = <T>(d: [unknown, T]): T => d[1];
export const none = (): null => null;
export const one = <T>(d: [T]): List<T> => new List<T>(null, d[0]);
export const two = <T>(d: [T, unknown, T]): List<T> => new List(new List<T>(null, d[0]), d[2]);
export const append = <T>(d: [MaybeList<T>, T]): List<T> => new List(d[0], d[1]);
export const appendItem = <T>(d: [List<T>, unknown, T]): List<T> => new List(d[0], d[2]);
