import type { IncomingMessage, ServerResponse } from 'node:http';
import { markRefused } from './clienterror.js';
import type { Settings } from './settings.js';

/** Reads a request's body up to `limit` bytes and hands it on; a longer one is answered with 413 and not buffered. */
export function readBody(req: IncomingMessage, res: ServerResponse, settings: Settings, done: (body: Buffer) => void): void {
  const limit = settings.body_bytes;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    refuseBody(req, res, 413, 'Content Too Large');
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      req.removeAllListeners('data');
      req.removeAllListeners('end');
      refuseBody(req, res, 413, 'Content Too Large');
    } else chunks.push(chunk);
  });
  req.on('end', () => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  // A client that goes away in the middle of its body gets no answer: nobody is there.
  req.on('error', () => {});
}

/** Milliseconds that a client has to read an answer that came before the end of its body. */
const LINGER_MS = 1000;

/**
 * Answers before the whole body has come. The rest is dropped for a while: closing at once would reset the connection of a client that still
 * sends, and with it the answer.
 */
export function refuseBody(req: IncomingMessage, res: ServerResponse, status: number, text: string): void {
  if (res.headersSent || res.destroyed) return;
  markRefused(req.socket);
  res.writeHead(status, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length), 'Connection', 'close']);
  res.write(text);
  const end = (): void => void res.end();
  const timer = setTimeout(end, LINGER_MS);
  req.on('close', () => {
    clearTimeout(timer);
    end();
  });
  req.resume();
}
