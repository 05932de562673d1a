import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Budget, Holder } from './budget.js';
import { markRefused } from './clienterror.js';
import { onGone } from './gone.js';
import type { Settings } from './settings.js';

/** Reads a request's body up to `limit` bytes and hands it on; a longer one is answered with 413, one that finds no room in `budget` with 503. */
export function readBody(req: IncomingMessage, res: ServerResponse, settings: Settings, budget: Budget, done: (body: Buffer) => void): void {
  const limit = settings.body_bytes;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    refuseBody(req, res, 413, 'Content Too Large');
    return;
  }
  const chunks: Buffer[] = [];
  const held = new HeldBody(req, res, budget);
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    const isTooLong = size > limit;
    if (isTooLong || !held.grow(size)) {
      req.removeAllListeners('data');
      req.removeAllListeners('end');
      chunks.length = 0;
      held.release();
      if (isTooLong) refuseBody(req, res, 413, 'Content Too Large');
      else refuseBody(req, res, 503, 'Service Unavailable', ['Retry-After', '1']);
    } else chunks.push(chunk);
  });
  req.on('end', () => {
    held.isWhole = true;
    done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
  // A client that goes away in the middle of its body gets no answer: nobody is there.
  req.on('error', () => {});
}

/** Shorter bodies are not counted: a connection costs about as much by itself. */
const SHORT_BODY = 16 * 1024;

/** What a body holds of the memory for all bodies, from its first bytes until its request is answered or its client has gone. */
class HeldBody implements Holder {
  isWhole = false;
  private size = 0;
  private counted = 0;

  constructor(private readonly req: IncomingMessage, private readonly res: ServerResponse, private readonly budget: Budget) {}

  /** Notes that the body has `size` bytes now; false when there is no room for them. */
  grow(size: number): boolean {
    this.size = size;
    if (size <= SHORT_BODY) return true;
    if (!this.budget.makeRoom(size - this.counted)) return false;
    if (this.counted === 0) {
      const takeBack = onGone(this.req.socket, () => this.release());
      this.res.on('close', () => {
        takeBack();
        this.release();
      });
    }
    this.count(size);
    return true;
  }

  release(): void {
    this.count(0);
  }

  /** A whole body waits for its handler, which is no fault of the client. */
  moved(): number {
    return this.isWhole ? Infinity : this.size;
  }

  evict(): void {
    this.req.socket.destroy();
    this.release();
  }

  private count(bytes: number): void {
    if (bytes === this.counted) return;
    this.budget.change(this, this.counted, bytes);
    this.counted = bytes;
  }
}

/** Milliseconds that a client has to read an answer that came before the end of its body. */
const LINGER_MS = 1000;

/**
 * Answers before the whole body has come. The rest is dropped for a while: closing at once would reset the connection of a client that still
 * sends, and with it the answer.
 */
export function refuseBody(req: IncomingMessage, res: ServerResponse, status: number, text: string, extra: readonly string[] = []): void {
  if (res.headersSent || res.destroyed) return;
  markRefused(req.socket);
  res.writeHead(status, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length), 'Connection', 'close', ...extra]);
  res.write(text);
  const end = (): void => void res.end();
  const timer = setTimeout(end, LINGER_MS);
  req.on('close', () => {
    clearTimeout(timer);
    end();
  });
  req.resume();
}
