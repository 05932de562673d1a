import { createHash } from 'node:crypto';

export const Op = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const NAMES: Readonly<Record<number, string>> = {
  0: 'more',
  1: 'text',
  2: 'binary',
  8: 'close',
  9: 'ping',
  10: 'pong',
};

/** Bits of the field that holds a frame's length (RFC 6455, 5.2). */
export type LengthBits = 7 | 16 | 64;

/** Fields of a frame that a test may set to wrong values. */
export interface FrameOptions {
  /** Whether the frame is the last one of its message. */
  fin?: boolean;
  /** The three reserved bits; RSV1 is 4. */
  rsv?: number;
  /** Four bytes; null: the frame is not masked. */
  mask?: Buffer | null;
  /** Encoding of the length; by default the shortest. */
  bits?: LengthBits;
  /** Announced length, if it differs from the payload's. */
  announced?: bigint;
}

/** Encodes a frame. */
export function frame(opcode: number, payload: Buffer | string = '', options: FrameOptions = {}): Buffer {
  const bytes = Buffer.from(payload);
  const { fin = true, rsv = 0, mask = null, announced = BigInt(bytes.length), bits = shortest(announced) } = options;
  const head = Buffer.alloc(2 + (bits === 7 ? 0 : bits / 8));
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (mask === null ? 0 : 0x80) | (bits === 7 ? Number(announced) : bits === 16 ? 126 : 127);
  if (bits === 16) head.writeUInt16BE(Number(announced), 2);
  if (bits === 64) head.writeBigUInt64BE(announced, 2);
  return mask === null ? Buffer.concat([head, bytes]) : Buffer.concat([head, mask, masked(bytes, mask)]);
}

function shortest(length: bigint): LengthBits {
  return length < 126n ? 7 : length < 65536n ? 16 : 64;
}

function masked(bytes: Buffer, mask: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes[i] ^ mask[i & 3];
  return result;
}

/** Payload of a close frame. */
export function closing(code: number, reason: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
}

/** A received frame. */
export interface Frame {
  fin: boolean;
  rsv: number;
  opcode: number;
  bits: LengthBits;
  mask: Buffer | null;
  payload: Buffer;
}

/** Reads whole frames from bytes that arrive in pieces. */
export class FrameReader {
  readonly frames: Frame[] = [];
  private chunks: Buffer[] = [];
  private size = 0;
  /** Number of bytes at which to look for a frame again: large messages arrive in many chunks. */
  private need = 2;

  feed(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size >= this.need) {
      const bytes = this.rest;
      const head = headOf(bytes);
      this.need = head.start + head.length;
      if (bytes.length < this.need) return;
      const payload = bytes.subarray(head.start, this.need);
      this.frames.push({
        ...head.frame,
        payload: head.frame.mask === null ? payload : masked(payload, head.frame.mask),
      });
      this.chunks = [bytes.subarray(this.need)];
      this.size = this.chunks[0].length;
      this.need = 2;
    }
  }

  /** Bytes that are not a whole frame yet. */
  get rest(): Buffer {
    const bytes = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    this.chunks = [bytes];
    return bytes;
  }
}

/** Head of a frame, and the offset of its payload. While bytes are missing, the length is that of the known ones. */
function headOf(bytes: Buffer): { frame: Omit<Frame, 'payload'>; start: number; length: number } {
  const short = bytes[1] & 0x7f;
  const bits = short < 126 ? 7 : short === 126 ? 16 : 64;
  const isMasked = (bytes[1] & 0x80) !== 0;
  const at = 2 + (bits === 7 ? 0 : bits / 8);
  const start = at + (isMasked ? 4 : 0);
  const complete = bytes.length >= start;
  const length = !complete
    ? 0
    : bits === 7
      ? short
      : bits === 16
        ? bytes.readUInt16BE(2)
        : Number(bytes.readBigUInt64BE(2));
  const mask = isMasked ? Buffer.from(bytes.subarray(at, start)) : null;
  return {
    frame: { fin: (bytes[0] & 0x80) !== 0, rsv: (bytes[0] >> 4) & 7, opcode: bytes[0] & 15, bits, mask },
    start,
    length,
  };
}

/** Describes a frame, including each unusual bit. */
export function show({ fin, rsv, opcode, bits, mask, payload }: Frame, isMasked: boolean): string {
  const unusual = [
    ...(fin ? [] : ['unfinished']),
    ...(rsv === 0 ? [] : [`rsv=${rsv}`]),
    ...(bits === shortest(BigInt(payload.length)) ? [] : [`length in ${bits} bits`]),
    ...((mask !== null) === isMasked ? [] : [mask === null ? 'not masked' : 'masked']),
  ];
  return [
    ...unusual,
    NAMES[opcode] ?? `opcode ${opcode}`,
    opcode === Op.close ? shownClose(payload) : shownBytes(payload),
  ]
    .join(' ')
    .trimEnd();
}

function shownClose(payload: Buffer): string {
  if (payload.length < 2) return shownBytes(payload);
  return `${payload.readUInt16BE(0)} ${payload.length > 2 ? shownBytes(payload.subarray(2)) : ''}`.trimEnd();
}

function shownBytes(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  if (bytes.length > 200)
    return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
  return JSON.stringify(bytes.toString('latin1'));
}

/** Frames expected from the other side, in the words of `show`. */
// prettier-ignore
export const back = {
  text: (payload: Buffer | string): string => shown(Op.text, payload),
  pong: (payload: Buffer | string = ''): string => shown(Op.pong, payload),
  close: (code?: number, reason: Buffer | string = ''): string => shown(Op.close, code === undefined ? '' : closing(code, reason)),
};

function shown(opcode: number, payload: Buffer | string): string {
  const bytes = Buffer.from(payload);
  return show({ fin: true, rsv: 0, opcode, bits: shortest(BigInt(bytes.length)), mask: null, payload: bytes }, false);
}
