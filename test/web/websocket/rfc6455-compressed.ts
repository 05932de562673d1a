import { constants, deflateRawSync } from 'node:zlib';
import { back, Op } from './frames.js';
import { everyCut, Writer, type Case, type Group } from './rfc6455-case.js';

/** RSV1: the message is compressed (RFC 7692, 6). */
const rsv = 4;

/** Compresses a payload; without the last four bytes, which are always the same (RFC 7692, 7.2.1). */
function packed(content: Buffer | string): Buffer {
  return deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
}

/** A handshake that keeps no context; the server then sends messages below 1 KiB uncompressed. */
const OFFER = { path: '/zip', fields: 'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n' };

/** Compressed messages to the server. The client offers no compression and refuses it like other reserved bits. */
export function compressedGroup(): Group {
  const w = new Writer('server');
  const hello = packed('hello');
  const long = Buffer.alloc(1024 * 1024, 'abc');
  const first = w.text(hello.subarray(0, 3), { rsv, fin: false });
  const closed = (name: string, code: number, ...steps: Case['steps']): Case => ({
    ...OFFER,
    name,
    steps,
    back: [back.close(code)],
  });
  const ok = (name: string, text: string, ...steps: Case['steps']): Case => ({
    ...OFFER,
    name,
    steps,
    back: [back.text(text)],
  });
  // prettier-ignore
  const cases = [
    ok('compressed text', 'hello', w.text(hello, { rsv })),
    ok('text as it is', 'hello', w.text('hello')),
    ok('compressed empty text', '', w.text(packed(''), { rsv })),
    ok('compressed binary frame of text', 'hello', w.frame(Op.binary, hello, { rsv })),
    ...everyCut(hello).map(([at, a, b]) => ok(`compressed fragments cut at byte ${at}`, 'hello', w.text(a, { rsv, fin: false }), w.frame(Op.more, b))),
    ok('a compressed message and an empty fragment', 'hello', w.text(hello, { rsv, fin: false }), w.frame(Op.more)),
    { ...ok('messages in turn, compressed and not', ''), steps: [w.text(hello, { rsv }), 1, w.text('plain'), 2, w.text(packed('again'), { rsv })], back: ['hello', 'plain', 'again'].map(back.text) },
    { ...ok('a ping between compressed fragments', ''), steps: [first, w.ping('p'), 1, w.frame(Op.more, hello.subarray(3))], back: [back.pong('p'), back.text('hello')] },
    closed('RSV1 in a compressed message\'s second fragment', 1002, first, w.frame(Op.more, hello.subarray(3), { rsv })),
    closed('RSV1 in a ping where messages are compressed', 1002, w.ping('p', { rsv })),
    closed('RSV1 in a pong where messages are compressed', 1002, w.frame(Op.pong, 'p', { rsv })),
    closed('RSV1 in a close where messages are compressed', 1002, w.close(1000, '', { rsv })),
    ...[1, 2, 3].map((other) => closed(`reserved bits ${other} where messages are compressed`, 1002, w.text('hello', { rsv: other }))),
    { ...closed('RSV1 where compression was not offered', 1002, w.text(hello, { rsv })), fields: '' },
    { ...closed('RSV1 where compression was offered and not taken', 1002, w.text(hello, { rsv })), path: '/echo' },
    closed('compressed bytes that are not UTF-8', 1007, w.text(packed(Buffer.from([0xc0, 0x80])), { rsv })),
    closed('bytes that are not compressed', 1007, w.text(Buffer.alloc(20, 255), { rsv })),
    closed('more than the largest message, compressed', 1009, w.text(packed(Buffer.concat([long, Buffer.from('x')])), { rsv })),
    closed('64 MiB of zeros, compressed', 1009, w.text(packed(Buffer.alloc(64 * 1024 * 1024)), { rsv })),
  ];
  return { name: 'compressed messages', cases };
}
