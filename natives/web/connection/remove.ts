/** Takes an item out of a list, if it is there. The first one is taken fastest: lists of what is owed are served in order. */
export function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at === 0) list.shift();
  else if (at > 0) list.splice(at, 1);
}
