import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { laneOf } from './lane.js';

/** What node:http tells of bytes that it cannot parse. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Connections that close with the refusal of a request: nothing may be answered after it. */
const refusals = new WeakSet<Duplex>();

/** Notes that a request of the connection gets an answer that closes it, whatever else comes. */
export function markRefused(socket: Duplex): void {
  refusals.add(socket);
}

export function isRefused(socket: Duplex): boolean {
  return refusals.has(socket);
}

/** Milliseconds that a connection is read, and nothing of it looked at, after its last answer. */
const LINGER_MS = 1000;

/** Ends a connection and drops what still comes: closing at once would reset it for a client that still sends, and take the answer away. */
export function endSoon(socket: Duplex): void {
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Makes the response the last one of its connection; the rest of the request, and all that follows it, is dropped. */
export function closeAfter({ socket }: IncomingMessage, res: ServerResponse): void {
  markRefused(socket);
  res.shouldKeepAlive = false;
  // What node calls once the response has been written.
  socket.destroySoon = () => endSoon(socket);
}

/** A well-formed request line whose method node's parser does not know; other bytes are no HTTP at all. */
function isUnknownMethod({ rawPacket, bytesParsed = 0 }: ClientError): boolean {
  if (rawPacket === undefined) return false;
  // Good requests may stand before it in the same packet.
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return /^[A-Za-z][A-Za-z-]{0,30} [/*]\S* HTTP\/1\.[01]\r?\n/.test(rawPacket.toString('latin1', start, start + 200));
}

function statusLine(error: ClientError): string {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return '431 Request Header Fields Too Large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return '413 Content Too Large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return '408 Request Timeout';
    case 'HPE_INVALID_METHOD':
      return isUnknownMethod(error) ? '501 Not Implemented' : '400 Bad Request';
    default:
      return '400 Bad Request';
  }
}

function refuse(socket: Duplex, line: string): void {
  if (!socket.writable) {
    // What comes behind a refusal is refused again, by node's parser; closing now would take the answer away from a client that still sends.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const text = line.slice(4);
  socket.write(
    `HTTP/1.1 ${line}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  endSoon(socket);
}

/** Answers what node:http cannot parse, after the responses to the good requests before it on the same connection. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy();
      return;
    }
    if (isRefused(socket)) return;
    const line = statusLine(error);
    // A response whose own request never arrived whole is not owed: nothing will ever send it.
    const pending = new Set(laneOf(socket).owed.filter((res) => res.req.complete));
    if (pending.size === 0) {
      refuse(socket, line);
      return;
    }
    for (const res of pending) {
      res.on('close', () => {
        pending.delete(res);
        if (pending.size === 0) refuse(socket, line);
      });
    }
  });
}
