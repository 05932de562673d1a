/**
 * Bytes of memory for a fragment besides its payload: the `ws` package keeps an object for each until the message is
 * complete.
 */
const FRAME_COST = 200;
/** Maximum bytes of a frame header: two, eight for the length, four for the mask (RFC 6455, 5.2). */
const MAX_HEADER_BYTES = 14;

/** Bytes of a header up to the end of an eight-byte length: `ws` checks it before the mask has arrived. */
const WHOLE_LENGTH = 10;

const enum Opcode {
  Close = 8,
}

/**
 * Follows the frames in a connection's incoming bytes to measure the memory held by an incomplete message: `ws` reads
 * the same bytes, but reports only complete messages. The one thing validated here is a length for which `ws` answers
 * differently from RFC 6455.
 */
export class FrameMeter {
  /** Bytes, including overhead, of the fragments of the incomplete message. */
  held = 0;
  /**
   * Whether a length has its top bit set, which no frame may have (RFC 6455, 5.2); `ws` would report it as too large.
   */
  hasBrokenLength = false;
  /** The beginning of a header that arrives in pieces. */
  private partial: Buffer | null = null;
  private have = 0;
  private payloadLeft = 0;
  private isControl = false;
  private isLast = false;
  /** Nothing after a close frame counts (RFC 6455, 5.5.1). */
  private isClosed = false;

  /** Whether nothing is known that the next bytes depend on. */
  get isBetweenMessages(): boolean {
    return this.held === 0 && this.have === 0 && this.payloadLeft === 0 && !this.isClosed && !this.hasBrokenLength;
  }

  /** Processes the next bytes as received. */
  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isClosed)
      at = this.payloadLeft > 0 ? this.payload(chunk, at) : this.head(chunk, at);
  }

  private payload(chunk: Buffer, at: number): number {
    const taken = Math.min(this.payloadLeft, chunk.length - at);
    this.payloadLeft -= taken;
    if (!this.isControl) this.held += taken;
    if (this.payloadLeft === 0) this.ended();
    return at + taken;
  }

  private head(chunk: Buffer, from: number): number {
    const left = chunk.length - from;
    const size = left < 2 ? MAX_HEADER_BYTES : headerSize(chunk, from);
    if (this.have === 0 && left >= size) {
      this.begin(chunk, from);
      return from + size;
    }
    const header = (this.partial ??= Buffer.allocUnsafe(MAX_HEADER_BYTES));
    let at = from;
    let need = this.have < 2 ? 2 : headerSize(header, 0);
    while (at < chunk.length && this.have < need) {
      header[this.have++] = chunk[at++];
      if (this.have === 2) need = headerSize(header, 0);
    }
    if (this.have >= WHOLE_LENGTH && isBroken(header, 0)) this.hasBrokenLength = true;
    if (this.have < need || this.have < 2) return at;
    this.have = 0;
    this.partial = null;
    this.begin(header, 0);
    return at;
  }

  /** Begins a frame whose header is complete. */
  private begin(bytes: Buffer, at: number): void {
    if (isBroken(bytes, at)) this.hasBrokenLength = true;
    const opcode = bytes[at] & 0x0f;
    this.isClosed = opcode === Opcode.Close;
    this.isControl = opcode >= Opcode.Close;
    this.isLast = (bytes[at] & 0x80) !== 0;
    this.payloadLeft = payloadSize(bytes, at);
    if (!this.isControl) this.held += FRAME_COST;
    if (this.payloadLeft === 0) this.ended();
  }

  private ended(): void {
    if (this.isLast && !this.isControl) this.held = 0;
  }
}

/** A meter that no connection has. */
let spare: FrameMeter | null = null;

/**
 * Measures the next bytes of a connection.
 * @param meter its meter, null between messages: a meter takes 88 bytes, and most chunks end with a message
 * @returns its meter from now on
 */
export function measured(meter: FrameMeter | null, chunk: Buffer): FrameMeter | null {
  const used = meter ?? spare ?? new FrameMeter();
  if (used === spare) spare = null;
  used.feed(chunk);
  if (!used.isBetweenMessages) return used;
  spare = used;
  return null;
}

/** Bytes of the header at an offset, of which the first two must have arrived. */
function headerSize(bytes: Buffer, at: number): number {
  const length = bytes[at + 1] & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((bytes[at + 1] & 0x80) === 0 ? 0 : 4);
}

/** Whether the length of a data frame has its top bit set. Control frames cannot be that long. */
function isBroken(bytes: Buffer, at: number): boolean {
  return (bytes[at] & 0x0f) < Opcode.Close && (bytes[at + 1] & 0x7f) === 127 && (bytes[at + 2] & 0x80) !== 0;
}

function payloadSize(bytes: Buffer, at: number): number {
  const length = bytes[at + 1] & 0x7f;
  if (length === 126) return bytes.readUInt16BE(at + 2);
  // `ws` closes the connection for lengths above 2^53.
  return length === 127 ? bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6) : length;
}
