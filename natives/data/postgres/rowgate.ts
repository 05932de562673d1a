import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** Bytes of a message before its content: its kind, and its length without the kind. */
const HEADER = 5;

const DATA_ROW = 'D'.charCodeAt(0);

/** Bytes from which a row is asked about. */
const LARGE = 2 ** 20;

const NOTHING = Buffer.alloc(0);

/**
 * Passes what the server sends to pg's parser, which gathers a message until its last byte has arrived. A row that is
 * refused at its first bytes is dropped instead, so that it takes no memory.
 */
export class RowGate extends EventEmitter {
  /** Whether a row of `bytes` bytes is dropped. The messages before it have been handled. */
  refuses: (bytes: number) => boolean = () => false;
  /** Bytes of the current message that have not arrived. */
  private left = 0;
  private isDropping = false;
  /** The first bytes of a header whose rest has not arrived. */
  private begun: Buffer = NOTHING;

  /** Reads a stream from its first message. pg listens to `data` and `end`. */
  listenTo(stream: Socket): void {
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('end', () => this.emit('end'));
  }

  private take(arrived: Buffer): void {
    const chunk = this.begun.length === 0 ? arrived : Buffer.concat([this.begun, arrived]);
    let start = 0;
    let at = 0;
    for (;;) {
      const step = Math.min(this.left, chunk.length - at);
      at += step;
      this.left -= step;
      if (this.isDropping) start = at;
      if (this.left > 0 || chunk.length - at < HEADER) break;
      const length = chunk.readUInt32BE(at + 1);
      this.left = length + 1;
      this.isDropping = false;
      if (chunk[at] !== DATA_ROW || length < LARGE) continue;
      this.pass(chunk.subarray(start, at));
      start = at;
      this.isDropping = this.refuses(length);
    }
    this.begun = this.left > 0 ? NOTHING : chunk.subarray(at);
    this.pass(chunk.subarray(start, at));
  }

  private pass(bytes: Buffer): void {
    if (bytes.length > 0) this.emit('data', bytes);
  }
}
