/** Removes an item from a list, if present. `shift` is the fast path: these lists are mostly served in order. */
export function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at === 0) list.shift();
  else if (at > 0) list.splice(at, 1);
}
