/** Counts what a connection was given but has not sent when it closes. */
import type { Duplex } from 'node:stream';

const UNSENT = Symbol('unsent bytes');

/** What node's sockets have beside the streams of the program's own connections. */
interface Connection extends Duplex {
  /** Undefined before the connection has closed, and if it is not watched. */
  [UNSENT]?: number;
  readonly bytesWritten?: number;
  /** The handle of libuv: bytes that it was given, and those of them that the system has not accepted. */
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

function unsentBytes(socket: Connection): number {
  const { bytesWritten, _handle: handle, writableLength } = socket;
  if (bytesWritten === undefined || handle?.bytesWritten === undefined) return writableLength;
  return bytesWritten - handle.bytesWritten + (handle.writeQueueSize ?? 0);
}

/** Counts the unsent bytes of a connection when it is closed: after that, node has dropped them. */
export function watchUnsent(socket: Duplex): void {
  const connection = socket as Connection;
  if (Object.hasOwn(connection, '_destroy')) return;
  const destroy = connection._destroy.bind(connection);
  connection._destroy = (error, done): void => {
    connection[UNSENT] = unsentBytes(connection);
    destroy(error, done);
  };
}

/** Bytes that a watched connection had not sent when it was closed; 0 if it is open. */
export function unsentOn(socket: Duplex): number {
  return (socket as Connection)[UNSENT] ?? 0;
}
