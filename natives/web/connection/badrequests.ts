import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { readingOn } from './bodystream.js';
import { laneOf } from './lane.js';
import { endSoon } from './linger.js';

/** The error that node:http emits for bytes that it cannot parse. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Connections that close after refusing a request; nothing may be sent on them after the refusal. */
const refusals = new WeakSet<Duplex>();

const REFUSED = Symbol('refused with');

/** What was sent in place of a response. */
interface Refused {
  readonly status: number;
  /** Length of the body in bytes. */
  readonly bytes: number;
}

/** The answer to a streamed body that is not HTTP; undefined for a response that was not replaced by one. */
export function refusedWith(res: ServerResponse): Refused | undefined {
  return (res as { [REFUSED]?: Refused })[REFUSED];
}

/** Marks a connection whose pending answer closes it; everything that arrives later is ignored. */
export function markRefused(socket: Duplex): void {
  refusals.add(socket);
}

export function isRefused(socket: Duplex): boolean {
  return refusals.has(socket);
}

/** Makes this response the last one on its connection. The rest of the request and everything after it is discarded. */
export function closeAfter({ socket }: IncomingMessage, res: ServerResponse): void {
  markRefused(socket);
  res.shouldKeepAlive = false;
  // Node calls this once the response has been written.
  socket.destroySoon = () => endSoon(socket);
}

/**
 * Whether the bytes are a well-formed request line with a method unknown to node's parser. Anything else is not HTTP.
 */
function isUnknownMethod({ rawPacket, bytesParsed = 0 }: ClientError): boolean {
  if (rawPacket === undefined) return false;
  // Valid requests may precede it in the same packet.
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

/** @param res the response to the request whose body is being streamed */
function refuse(socket: Duplex, line: string, res: ServerResponse | undefined): void {
  if (!socket.writable) {
    // Node's parser reports an error again for bytes that follow a refusal. Closing now would reset the connection
    // while the client still sends, and the client would lose the answer.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const text = line.slice(4);
  socket.write(
    `HTTP/1.1 ${line}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  if (res !== undefined)
    (res as { [REFUSED]?: Refused })[REFUSED] = { status: Number(line.slice(0, 3)), bytes: text.length };
  endSoon(socket);
}

/**
 * Answers requests that node:http cannot parse, after the responses to the valid requests before them on the same
 * connection.
 */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy();
      return;
    }
    const streamed = readingOn(socket);
    if (streamed !== undefined) {
      // A body that a route reads while it arrives has limits of its own.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
      if (streamed.headersSent) {
        socket.destroy();
        return;
      }
    }
    if (isRefused(socket)) return;
    const line = statusLine(error);
    // Do not wait for a response whose own request is incomplete: it will never be sent.
    const pending = new Set(laneOf(socket).owed.filter((res) => res.req.complete));
    if (pending.size === 0) {
      refuse(socket, line, streamed);
      return;
    }
    for (const res of pending) {
      res.on('close', () => {
        pending.delete(res);
        if (pending.size === 0) refuse(socket, line, streamed);
      });
    }
  });
}
