import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import { RowGate } from '../../natives/data/postgres/rowgate.js';

const LARGE = 2 ** 20;

/** A message of the server. @param fill the byte that its content consists of */
function message(kind: string, size: number, fill: number): Buffer {
  const bytes = Buffer.alloc(5 + size, fill);
  bytes.write(kind, 0, 'latin1');
  bytes.writeUInt32BE(size + 4, 1);
  return bytes;
}

/** Sends messages in chunks of `size` bytes. Returns what the gate passes, and the lengths that it was asked about. */
function passed(messages: readonly Buffer[], size: number, refuses: (bytes: number) => boolean): [Buffer, number[]] {
  const gate = new RowGate();
  const stream = new EventEmitter();
  const out: Buffer[] = [];
  const asked: number[] = [];
  gate.on('data', (chunk: Buffer) => void out.push(chunk));
  gate.refuses = (bytes) => {
    asked.push(bytes);
    return refuses(bytes);
  };
  gate.listenTo(stream as Socket);
  const all = Buffer.concat(messages);
  for (let at = 0; at < all.length; at += size) stream.emit('data', all.subarray(at, at + size));
  return [Buffer.concat(out), asked];
}

const small = [message('T', 30, 1), message('D', 0, 2), message('D', 11, 3), message('C', 9, 4), message('Z', 1, 5)];
const kept = message('D', LARGE, 6);
const refused = message('D', LARGE + 1, 7);
const notice = message('N', LARGE + 1, 8);

t.test('large rows are dropped, wherever chunks end', async (t) => {
  const messages = [...small, refused, ...small, kept, notice, refused, refused, ...small];
  const expected = Buffer.concat([...small, ...small, kept, notice, ...small]);
  for (const size of [1, 3, 4, 5, 6, 7, 64, 1021, 65_536, 2 ** 20, 2 ** 30]) {
    const [out, asked] = passed(messages, size, (bytes) => bytes === LARGE + 5);
    t.ok(out.equals(expected), `chunks of ${size} bytes`);
    t.same(asked, [LARGE + 5, LARGE + 4, LARGE + 5, LARGE + 5]);
  }
});

t.test('the messages before a large row have passed when the gate asks about it', async (t) => {
  const gate = new RowGate();
  const stream = new EventEmitter();
  let bytes = 0;
  let before = -1;
  gate.on('data', (chunk: Buffer) => void (bytes += chunk.length));
  gate.refuses = () => {
    before = bytes;
    return false;
  };
  gate.listenTo(stream as Socket);
  stream.emit('data', Buffer.concat([...small, kept]));
  t.equal(before, Buffer.concat(small).length);
  t.equal(bytes, before + kept.length);
});

t.test('the end of the stream reaches the parser', async (t) => {
  const gate = new RowGate();
  const stream = new EventEmitter();
  let hasEnded = false;
  gate.on('end', () => (hasEnded = true));
  gate.listenTo(stream as Socket);
  stream.emit('end');
  t.ok(hasEnded);
});
