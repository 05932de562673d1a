/** Connections inside of the process, which no network carries. */
import type { Duplex } from 'node:stream';
import type { EndedBy } from '../../../vm/fibers/fiber.js';
import type { ErrorValue } from '../../../vm/values/error.js';

const INSIDE = Symbol('inside');

/** A connection's mark: the error that the handler of its last request has raised. */
interface Mark {
  failure: ErrorValue | null;
}

type Connection = Duplex & { [INSIDE]?: Mark };

/** Marks the server's end of a connection inside of the process. */
export function markInside(socket: Duplex): void {
  (socket as Connection)[INSIDE] = { failure: null };
}

/** The mark of a connection; undefined for those of the network. */
export function insideOf(socket: Duplex): Mark | undefined {
  return (socket as Connection)[INSIDE];
}

/** Who ends waits for the other end of a connection. */
export function peerOf(socket: Duplex): EndedBy {
  return insideOf(socket) === undefined ? 'outside' : 'loop';
}
