import type { Duplex } from 'node:stream';
import { remove } from '../../../vm/fibers/remove.js';

/** Hears that a connection has closed. */
export interface Gone {
  gone(): void;
}

const WATCHERS = Symbol('watchers');

type Watched = Duplex & { [WATCHERS]?: Gone[] };

/**
 * Tells `watcher` when the connection closes. One listener serves all requests of a connection: node emits no `close` on
 * responses queued after others, and warns about many listeners on a socket.
 */
export function onGone(socket: Duplex, watcher: Gone): void {
  const watched = socket as Watched;
  if (watched[WATCHERS] === undefined) {
    watched[WATCHERS] = [];
    socket.once('close', tellAll);
  }
  watched[WATCHERS].push(watcher);
}

/** Removes a watcher. */
export function offGone(socket: Duplex, watcher: Gone): void {
  const watchers = (socket as Watched)[WATCHERS];
  if (watchers !== undefined) remove(watchers, watcher);
}

function tellAll(this: Watched): void {
  for (const watcher of this[WATCHERS]?.slice() ?? []) watcher.gone();
}
