import type { Duplex } from 'node:stream';
import { remove } from '../../../vm/fibers/remove.js';

/** Callbacks for the closing of each connection. */
const watchers = new WeakMap<Duplex, (() => void)[]>();

/**
 * Calls `then` when the connection closes; returns a function that cancels this. One listener serves all requests of a
 * connection: node emits no `close` on responses queued after others, and warns about many listeners on a socket.
 */
export function onGone(socket: Duplex, then: () => void): () => void {
  let list = watchers.get(socket);
  if (list === undefined) {
    list = [];
    watchers.set(socket, list);
    const all = list;
    socket.once('close', () => {
      for (const watcher of all.slice()) watcher();
    });
  }
  const own = list;
  own.push(then);
  return () => remove(own, then);
}
