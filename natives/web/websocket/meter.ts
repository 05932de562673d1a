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
  private readonly header = Buffer.allocUnsafe(MAX_HEADER_BYTES);
  private have = 0;
  private need = 2;
  private payloadLeft = 0;
  private isControl = false;
  private isLast = false;
  /** Nothing after a close frame counts (RFC 6455, 5.5.1). */
  private isClosed = false;

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
    let at = from;
    while (at < chunk.length && this.have < this.need) {
      this.header[this.have++] = chunk[at++];
      if (this.have === 2) this.need = headerSize(this.header);
    }
    if (this.have >= WHOLE_LENGTH && isBroken(this.header)) this.hasBrokenLength = true;
    if (this.have < this.need || this.have < 2) return at;
    const opcode = this.header[0] & 0x0f;
    this.isClosed = opcode === Opcode.Close;
    this.isControl = opcode >= Opcode.Close;
    this.isLast = (this.header[0] & 0x80) !== 0;
    this.payloadLeft = payloadSize(this.header);
    this.have = 0;
    this.need = 2;
    if (!this.isControl) this.held += FRAME_COST;
    if (this.payloadLeft === 0) this.ended();
    return at;
  }

  private ended(): void {
    if (this.isLast && !this.isControl) this.held = 0;
  }
}

function headerSize(header: Buffer): number {
  const length = header[1] & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((header[1] & 0x80) === 0 ? 0 : 4);
}

/** Whether the length of a data frame has its top bit set. Control frames cannot be that long. */
function isBroken(header: Buffer): boolean {
  return (header[0] & 0x0f) < Opcode.Close && (header[1] & 0x7f) === 127 && (header[2] & 0x80) !== 0;
}

function payloadSize(header: Buffer): number {
  const length = header[1] & 0x7f;
  if (length === 126) return header.readUInt16BE(2);
  // `ws` closes the connection for lengths above 2^53.
  return length === 127 ? header.readUInt32BE(2) * 2 ** 32 + header.readUInt32BE(6) : length;
}
