import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { PATIENCE_MS } from '../../patience.js';
import { randomNumbers } from '../threats/attack.js';
import { back, closing, frame, FrameReader, Op, show, type Frame, type FrameOptions } from './frames.js';

/** Side under test: the server (by a raw client) or the client (by a raw server). */
export type Side = 'server' | 'client';

/** Bytes of one TCP write, or the number of frames to receive before the next one. */
export type Step = Buffer | number;

/** Bytes sent to an echoing peer, and all bytes that it must send back. */
export interface Case {
  name: string;
  steps: readonly Step[];
  /** Expected frames in words. Without a close among them, the connection must stay open; the test closes it with 1000. */
  back: readonly string[];
  /** Close code and reason that the program under test sees; by default 1000, or 1006 if the peer failed the connection. */
  closed?: string;
  path?: string;
  /** Additional header fields of the handshake. */
  fields?: string;
}

export interface Group {
  name: string;
  cases: readonly Case[];
}

/** Builds frames for the side under test: frames to a server are masked (RFC 6455, 5.3). */
export class Writer {
  private readonly random = randomNumbers(6455);

  constructor(readonly side: Side) {}

  get isMasked(): boolean {
    return this.side === 'server';
  }

  private mask(): Buffer | null {
    return this.isMasked ? Buffer.from([1, 2, 3, 4].map(() => this.random(256))) : null;
  }

  frame(opcode: number, payload: Buffer | string = '', options: FrameOptions = {}): Buffer {
    return frame(opcode, payload, { mask: this.mask(), ...options });
  }

  text(payload: Buffer | string, options?: FrameOptions): Buffer {
    return this.frame(Op.text, payload, options);
  }

  ping(payload: Buffer | string = '', options?: FrameOptions): Buffer {
    return this.frame(Op.ping, payload, options);
  }

  /** A close frame; without a code it has no payload. */
  close(code?: number, reason: Buffer | string = '', options?: FrameOptions): Buffer {
    return this.frame(Op.close, code === undefined ? '' : closing(code, reason), options);
  }

  /** A message with a frame for each part. */
  fragments(parts: readonly (Buffer | string)[], opcode: number = Op.text): Buffer[] {
    return parts.map((part, i) => this.frame(i === 0 ? opcode : Op.more, part, { fin: i === parts.length - 1 }));
  }
}

/** Splits bytes into single ones. */
export function bytewise(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (byte) => Buffer.from([byte]));
}

/** Splits bytes in two, at every possible position. */
export function everyCut(bytes: Buffer): [at: number, Buffer, Buffer][] {
  return Array.from({ length: bytes.length - 1 }, (_, i) => [i + 1, bytes.subarray(0, i + 1), bytes.subarray(i + 1)]);
}

/** The test's end of a raw connection; reads everything that arrives. */
export class Wire {
  private head = Buffer.alloc(0);
  private readonly reader = new FrameReader();
  private inFrames = false;
  private ending = 'still open';
  private readonly timer: NodeJS.Timeout;

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    this.timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      if (this.inFrames) this.reader.feed(chunk);
      else this.head = Buffer.concat([this.head, chunk]);
      socket.emit('progress');
    });
    socket.on('end', () => this.ended('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => this.ended(error.code ?? error.message));
    socket.on('close', () => {
      clearTimeout(this.timer);
      socket.emit('progress');
    });
  }

  private ended(how: string): void {
    if (this.ending === 'still open') this.ending = how;
    this.socket.emit('progress');
  }

  get isOver(): boolean {
    return this.ending !== 'still open' || this.socket.destroyed;
  }

  get frames(): readonly Frame[] {
    return this.reader.frames;
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.isOver) await once(this.socket, 'progress');
  }

  /** Writes bytes so that they arrive separately. */
  async send(bytes: Buffer | string): Promise<void> {
    if (this.socket.writable) this.socket.write(bytes);
    await turn();
    await turn();
  }

  /** Reads the head of an HTTP message, with the empty line after it. */
  private async httpHead(): Promise<string> {
    await this.until(() => this.head.includes('\r\n\r\n'));
    const at = this.head.indexOf('\r\n\r\n');
    const end = at < 0 ? this.head.length : at + 4;
    return this.head.toString('latin1', 0, end);
  }

  /** Like `httpHead`; the bytes after it are frames, unless it refuses the handshake. */
  async handshakeHead(): Promise<string> {
    const head = await this.httpHead();
    this.inFrames = !/^HTTP\/1\.1 (?!101 )/.test(head);
    if (this.inFrames) this.reader.feed(this.head.subarray(head.length));
    return head;
  }

  /** Waits for the end of the connection; returns everything received, and how it ended. */
  async everything(): Promise<[text: string, ending: string]> {
    await this.until(() => false);
    this.socket.end();
    return [this.head.toString('latin1'), this.ending];
  }

  async frameCount(count: number): Promise<void> {
    await this.until(() => this.reader.frames.length >= count);
  }

  /** Plays a case to the end of the connection; describes what was received. */
  async play({ steps, back: expected }: Case, side: Side): Promise<string[]> {
    const writer = new Writer(side);
    for (const step of steps) {
      if (typeof step === 'number') await this.frameCount(step);
      else await this.send(step);
    }
    await this.frameCount(expected.length);
    // Close the connection, or answer the peer's close. A peer that has failed the connection does not read.
    const came = this.frames.find(({ opcode }) => opcode === Op.close);
    await this.send(writer.close(came !== undefined && came.payload.length >= 2 ? came.payload.readUInt16BE(0) : 1000));
    await this.until(() => false);
    this.socket.end();
    const rest = this.reader.rest.length === 0 ? [] : [`${this.reader.rest.length} bytes of an unfinished frame`];
    return [...this.frames.map((frame) => show(frame, side === 'client')), ...rest, this.ending];
  }
}

/** Expected result of a case, in the words of `Wire.play`. */
export function expectedOf({ back: frames }: Case): string[] {
  return [...frames, ...(isClosed(frames) ? [] : [back.close(1000)]), 'end'];
}

/** Line in which the program under test describes the end. */
export function expectedClose({ back: frames, closed }: Case): string {
  return closed ?? (isClosed(frames) ? '1006' : '1000');
}

function isClosed(frames: readonly string[]): boolean {
  return frames.some((line) => line.startsWith('close'));
}
