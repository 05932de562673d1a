import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Responses that a connection still owes, by connection. */
const owed = new WeakMap<Duplex, Set<ServerResponse>>();

/** Notes that `res` has to be sent before anything else may be said on its connection. */
export function track(socket: Duplex, res: ServerResponse): void {
  let pending = owed.get(socket);
  if (pending === undefined) {
    pending = new Set();
    owed.set(socket, pending);
  }
  const list = pending;
  list.add(res);
  res.on('close', () => list.delete(res));
}

function statusLine(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': return '431 Request Header Fields Too Large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW': return '413 Content Too Large';
    case 'ERR_HTTP_REQUEST_TIMEOUT': return '408 Request Timeout';
    case 'HPE_INVALID_METHOD': return '501 Not Implemented';
    default: return '400 Bad Request';
  }
}

function refuse(socket: Duplex, line: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = line.slice(4);
  socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  // The rest of what a broken client sends is of no interest, but it must not keep the connection open.
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** Answers what node:http cannot parse, after the responses to the good requests before it on the same connection. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy();
      return;
    }
    const line = statusLine(error.code);
    // A response whose own request never arrived whole is not owed: nothing will ever send it.
    const pending = new Set([...(owed.get(socket) ?? [])].filter((res) => res.req.complete));
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
