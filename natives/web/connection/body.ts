import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, TOO_LARGE, UNAVAILABLE } from './refusal.js';
import type { Budget, Holder } from './budget.js';
import { type Gone, offGone, onGone } from './disconnect.js';
import type { Settings } from '../config/settings.js';

/** The application's limits for bodies, and the memory budget shared by all bodies being read. */
interface Bounds {
  readonly settings: Settings;
  readonly input: Budget;
}

/**
 * Reads a request's body and passes it to `done`. Refuses a body over the limit, or one that exceeds the memory for all
 * bodies; neither is kept.
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  { settings, input }: Bounds,
  done: (body: Buffer) => void,
  refuse: (refusal: Refusal) => void,
): void {
  const limit = settings.body_bytes;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    refuse(TOO_LARGE);
    return;
  }
  invite(req, res);
  const chunks: Buffer[] = [];
  const held = new HeldBody(req, res, input);
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    const isTooLong = size > limit;
    if (isTooLong || !held.grow(size)) {
      req.removeAllListeners('data');
      req.removeAllListeners('end');
      req.resume();
      chunks.length = 0;
      held.release();
      refuse(isTooLong ? TOO_LARGE : UNAVAILABLE);
    } else chunks.push(chunk);
  });
  req.on('end', () => {
    held.isWhole = true;
    done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
  // A client that disconnects in the middle of its body cannot be answered.
  req.on('error', () => {});
}

/** Bodies up to this many bytes are not counted: a connection costs about as much by itself. */
const SHORT_BODY = 16 * 1024;

/**
 * A body's share of the memory for all bodies, from its first bytes until its request is answered or its client
 * disconnects.
 */
class HeldBody implements Holder, Gone {
  isWhole = false;
  private size = 0;
  private counted = 0;

  constructor(
    private readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    private readonly budget: Budget,
  ) {}

  /** Records that the body now has `size` bytes; returns false when they exceed the budget. */
  grow(size: number): boolean {
    this.size = size;
    if (size <= SHORT_BODY) return true;
    if (!this.budget.makeRoom(size - this.counted)) return false;
    if (this.counted === 0) {
      onGone(this.req.socket, this);
      this.res.on('close', () => {
        offGone(this.req.socket, this);
        this.release();
      });
    }
    this.count(size);
    return true;
  }

  release(): void {
    this.count(0);
  }

  gone(): void {
    this.release();
  }

  /** A complete body waits for its handler, so the client is not to blame for the delay. */
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

/** Sends 100 Continue to a client that waits for it before sending its body (RFC 9110 10.1.1). */
export function invite({ headers, httpVersionMinor }: IncomingMessage, res: ServerResponse): void {
  if (headers.expect !== undefined && httpVersionMinor > 0) res.writeContinue();
}
