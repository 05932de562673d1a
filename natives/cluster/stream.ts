/** A channel over a byte stream. Each packet is sent as its length in four bytes and its structured clone. */
import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { Channel, type Handler, type Packet } from './channel.js';

const LENGTH_BYTES = 4;

/** Makes packets of the chunks of a stream. */
class Frames {
  private chunks: Buffer[] = [];
  private size = 0;
  /** Bytes of the packet that is being received, or −1 before its length is known. */
  private wanted = -1;

  constructor(private readonly onPacket: (packet: Packet) => void) {}

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    for (;;) {
      if (this.wanted < 0) {
        if (this.size < LENGTH_BYTES) return;
        this.wanted = this.take(LENGTH_BYTES).readUInt32LE();
      }
      if (this.size < this.wanted) return;
      const bytes = this.take(this.wanted);
      this.wanted = -1;
      this.onPacket(deserialize(bytes) as Packet);
    }
  }

  private take(n: number): Buffer {
    const all = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    this.size -= n;
    this.chunks = this.size === 0 ? [] : [all.subarray(n)];
    return all.subarray(0, n);
  }
}

/** Makes a channel over a stream. @param pid number of the other process @param closed called once, at its end */
export function channelOver(
  stream: Duplex,
  pid: number,
  closed: (channel: Channel) => void,
  missing?: (service: string) => Handler | undefined,
): Channel {
  const send = (packet: Packet, sent: () => void): void => {
    const bytes = serialize(packet);
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    stream.cork();
    stream.write(length);
    stream.write(bytes, sent);
    stream.uncork();
  };
  const channel = new Channel(pid, send, missing);
  const frames = new Frames((packet) => channel.receive(packet));
  const end = (): void => {
    if (channel.isClosed) return;
    channel.close();
    closed(channel);
  };
  stream.on('data', (chunk: Buffer) => frames.add(chunk));
  // `close` follows an error.
  stream.on('error', () => {});
  stream.once('close', end);
  stream.once('end', end);
  return channel;
}
