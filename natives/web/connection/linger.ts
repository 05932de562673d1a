import type { Duplex } from 'node:stream';

/** Milliseconds that a client has to read the end of a connection and close its side (RFC 9112 §9.6). */
const LINGER_MS = 1000;
/** The same for a client that goes on sending, such as one in the middle of a long body. */
const SENDING_MS = 10_000;

/** Calls `destroy` once the client has had time to read what was sent; the timer does not keep the process alive. */
export function destroyLater(destroy: () => void): void {
  setTimeout(destroy, LINGER_MS).unref();
}

/** A listener for errors of connections, one for all. */
export function destroyThis(this: Duplex): void {
  this.destroy();
}

/**
 * Ends a connection and discards further input. Closing at once would reset it while the client still sends, and the
 * client would lose the answer.
 */
export function endSoon(socket: Duplex): void {
  const end = performance.now() + SENDING_MS;
  let isSending = false;
  const look = (): void => {
    if (!isSending || socket.destroyed || performance.now() > end) {
      socket.destroy();
      return;
    }
    isSending = false;
    destroyLater(look);
  };
  socket.end();
  socket.on('data', () => (isSending = true));
  socket.resume();
  destroyLater(look);
}
