import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { invite } from './body.js';

/** Why a body ends before its end: the client has disconnected, or has sent nothing for too long. */
export type Breakdown = 'gone' | 'idle';

/** Receives what a wait for a body leads to: a part of it, null at its end, or why there is no more. */
type Listener = (part: Buffer | null | Breakdown) => void;

/** The response to the request whose body is read on a connection. */
const reading = new WeakMap<Duplex, ServerResponse>();

/** The response to the request on a connection whose body is being streamed; undefined if there is none. */
export function readingOn(socket: Duplex): ServerResponse | undefined {
  return reading.get(socket);
}

/**
 * A body that is read while it arrives. What nobody reads stays with the client: node stops reading the connection once
 * its buffers are full.
 */
export class BodyStream {
  /** Bytes read so far. */
  size = 0;
  private hasBegun = false;
  private isOver = false;
  private listener: Listener | null = null;
  /** A part that was given back, which comes first. */
  private back: Buffer | null = null;
  private timer: NodeJS.Timeout | null = null;
  private movedAt = 0;

  /** @param idleSeconds time after which a client that sends nothing is given up */
  constructor(
    private readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    private readonly idleSeconds: () => number,
  ) {
    const { socket } = req;
    reading.set(socket, res);
    req.on('end', () => {
      this.isOver = true;
      this.settle(null);
    });
    // A client that disconnects in the middle of its body cannot be answered.
    req.on('error', () => this.settle('gone'));
    req.on('close', () => {
      if (reading.get(socket) === res) reading.delete(socket);
      this.settle(this.isOver ? null : 'gone');
    });
  }

  /** Length of the body as announced by the client; 0 if it did not. */
  get announced(): number {
    return Number(this.req.headers['content-length'] ?? 0);
  }

  /** Whether the whole body has arrived, so that the connection can be used again. */
  get isComplete(): boolean {
    return this.req.complete;
  }

  get isRead(): boolean {
    return this.isOver && this.back === null;
  }

  /** Whether a thread waits for a part. */
  get isAwaited(): boolean {
    return this.listener !== null;
  }

  /** The next part if it has arrived, else null. */
  take(): Buffer | null {
    const part = this.back ?? (this.isOver ? null : (this.req.read() as Buffer | null));
    this.back = null;
    if (part !== null) {
      this.size += part.length;
      this.movedAt = performance.now();
    }
    return part;
  }

  /** Takes back the last part, because the thread that waited for it was ended before it received it. */
  giveBack(part: Buffer): void {
    this.size -= part.length;
    this.back = part;
  }

  /** Calls `listener` once, with the next part or the end. Returns a function that cancels this. */
  next(listener: Listener): () => void {
    this.begin();
    if (this.back === null && (this.isOver || this.req.destroyed)) {
      queueMicrotask(() => listener(this.isOver ? null : 'gone'));
      return () => {};
    }
    this.listener = listener;
    this.movedAt = performance.now();
    this.watch();
    // A part may have arrived before the listener for it was there.
    if (this.back !== null || this.req.readableLength > 0) queueMicrotask(() => this.offer());
    return () => {
      this.listener = null;
    };
  }

  /** Invites the client to send its body, and begins to receive it. */
  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    if (!this.res.headersSent) invite(this.req, this.res);
    this.req.on('readable', () => this.offer());
  }

  private offer(): void {
    const part = this.listener === null ? null : this.take();
    if (part !== null) this.settle(part);
  }

  private settle(part: Buffer | null | Breakdown): void {
    const { listener } = this;
    this.listener = null;
    if (part === null || typeof part === 'string') this.stopWatching();
    listener?.(part);
  }

  /** One timer for all waits: a long body has very many. */
  private watch(): void {
    if (this.timer !== null) return;
    const limit = this.idleSeconds() * 1000;
    const idle = (): number => performance.now() - this.movedAt;
    const check = (): void => {
      this.timer = null;
      if (this.listener === null) return;
      if (idle() >= limit) this.settle('idle');
      else this.timer = setTimeout(check, limit - idle() + 1);
    };
    this.timer = setTimeout(check, limit);
  }

  private stopWatching(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
