import { back, Op } from './frames.js';
import { bytewise, everyCut, Writer, type Case, type Group, type Side } from './rfc6455-case.js';

const GIB = 2n ** 30n;

/** Lengths around the limits of the three encodings. */
const SIZES = [0, 1, 2, 124, 125, 126, 127, 128, 65535, 65536, 65537];

function lengths(w: Writer): Case[] {
  const content = (size: number): Buffer => Buffer.alloc(size, 'abcdefg');
  return [
    ...SIZES.map((size): Case => ({
      name: `text of ${size} bytes`,
      steps: [w.text(content(size))],
      back: [back.text(content(size))],
    })),
    ...SIZES.map((size): Case => ({
      name: `binary frame of ${size} bytes of text`,
      steps: [w.frame(Op.binary, content(size))],
      back: [back.text(content(size))],
    })),
    ...([16, 64] as const).flatMap((bits) =>
      [0, 1, 125, ...(bits === 64 ? [126, 65535] : [])].map((size): Case => ({
        name: `${size} bytes with the length in ${bits} bits`,
        steps: [w.text(content(size), { bits })],
        back: [back.text(content(size))],
      })),
    ),
    ...[126, 65536].map((size): Case => ({
      name: `head of a frame of ${size} bytes byte by byte`,
      steps: headBytewise(w.text(content(size))),
      back: [back.text(content(size))],
    })),
    ...everyCut(w.text('cut anywhere')).map(([at, first, second]): Case => ({
      name: `frame in two writes, cut at byte ${at}`,
      steps: [first, second],
      back: [back.text('cut anywhere')],
    })),
    { name: 'all bytes on their own', steps: bytewise(w.text('byte by byte')), back: [back.text('byte by byte')] },
    {
      name: 'three messages in one write',
      steps: [Buffer.concat([w.text('a'), w.text(''), w.text('c')])],
      back: [back.text('a'), back.text(''), back.text('c')],
    },
    {
      name: 'two messages whose border lies within a write',
      steps: straddling(w.text('first'), w.text('second')),
      back: [back.text('first'), back.text('second')],
    },
    {
      name: '200 messages in one write',
      steps: [Buffer.concat(numbered(200).map((text) => w.text(text)))],
      back: numbered(200).map((text) => back.text(text)),
    },
  ];
}

function headBytewise(bytes: Buffer): Buffer[] {
  return [...bytewise(bytes.subarray(0, 20)), bytes.subarray(20)];
}

function straddling(first: Buffer, second: Buffer): Buffer[] {
  const all = Buffer.concat([first, second]);
  return [
    all.subarray(0, first.length - 2),
    all.subarray(first.length - 2, first.length + 3),
    all.subarray(first.length + 3),
  ];
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `message ${i}`);
}

function badLengths(w: Writer): Case[] {
  const announce = (opcode: number, announced: bigint): Buffer => w.frame(opcode, '', { announced, bits: 64 });
  // prettier-ignore
  return [
    ...[2n ** 63n, 2n ** 63n + 5n, 2n ** 64n - 1n].map((announced): Case => ({
      name: `length 0x${announced.toString(16)} has its top bit set`, steps: [announce(Op.text, announced)], back: [back.close(1002)],
    })),
    { name: 'a length with its top bit set in a binary frame', steps: [announce(Op.binary, 2n ** 63n)], back: [back.close(1002)] },
    { name: 'a length with its top bit set, byte by byte', steps: bytewise(announce(Op.text, 2n ** 63n)), back: [back.close(1002)] },
    { name: 'a length with its top bit set in a second fragment', steps: [w.text('a', { fin: false }), announce(Op.more, 2n ** 63n)], back: [back.close(1002)] },
    { name: 'a length with its top bit set after a message', steps: [w.text('a'), 1, announce(Op.text, 2n ** 63n)], back: [back.text('a'), back.close(1002)] },
    { name: 'length 2^63 - 1', steps: [announce(Op.text, 2n ** 63n - 1n)], back: [back.close(1009)] },
    { name: 'length 2^53', steps: [announce(Op.text, 2n ** 53n)], back: [back.close(1009)] },
    { name: 'length 2^53 - 1', steps: [announce(Op.text, 2n ** 53n - 1n)], back: [back.close(1009)] },
    { name: 'length 2^32', steps: [announce(Op.text, 2n ** 32n)], back: [back.close(1009)] },
    { name: '1 GiB of text announced, no payload sent', steps: [announce(Op.text, GIB)], back: [back.close(1009)] },
    { name: '1 GiB of bytes announced', steps: [announce(Op.binary, GIB)], back: [back.close(1009)] },
    { name: '1 GiB announced for a second fragment', steps: [w.text('a', { fin: false }), announce(Op.more, GIB)], back: [back.close(1009)] },
    { name: '1 GiB announced and a part of it sent', steps: [announce(Op.text, GIB), Buffer.alloc(1000)], back: [back.close(1009)] },
    { name: '1 GiB announced without its mask', steps: [announce(Op.text, GIB).subarray(0, 10)], back: [back.close(1009)] },
  ];
}

function masking(w: Writer, side: Side): Case[] {
  const wrong = side === 'server' ? null : Buffer.from([1, 2, 3, 4]);
  const zero = side === 'server' ? { mask: Buffer.alloc(4) } : {};
  const what = side === 'server' ? 'unmasked' : 'masked';
  const refused = (name: string, ...steps: Case['steps']): Case => ({
    name: `${what} ${name}`,
    steps,
    back: [back.close(1002)],
  });
  // prettier-ignore
  const cases = [
    refused('text', w.text('hello', { mask: wrong })),
    refused('text without payload', w.text('', { mask: wrong })),
    refused('binary frame', w.frame(Op.binary, 'hello', { mask: wrong })),
    refused('ping', w.ping('hello', { mask: wrong })),
    refused('pong', w.frame(Op.pong, '', { mask: wrong })),
    refused('close', w.close(1000, '', { mask: wrong })),
    refused('text of 126 bytes', w.text(Buffer.alloc(126, 'a'), { mask: wrong })),
    refused('text of 65536 bytes', w.text(Buffer.alloc(65536, 'a'), { mask: wrong })),
    refused('second fragment', w.text('a', { fin: false }), w.frame(Op.more, 'b', { mask: wrong })),
    refused('frame with a zero mask', w.text('hello', { mask: wrong === null ? null : Buffer.alloc(4) })),
    refused('first byte pair alone', w.text('hello', { mask: wrong }).subarray(0, 2)),
    { name: `${what} frame after a good message`, steps: [w.text('good'), 1, w.text('bad', { mask: wrong })], back: [back.text('good'), back.close(1002)] },
    { name: `nothing is answered after the ${what} frame`, steps: [Buffer.concat([w.text('bad', { mask: wrong }), w.text('good'), w.ping('x')])], back: [back.close(1002)] },
  ];
  if (side === 'client') return cases;
  // prettier-ignore
  return [
    ...cases,
    { name: 'mask of zeros', steps: [w.text('zero mask', zero)], back: [back.text('zero mask')] },
    { name: 'mask of zeros in a ping', steps: [w.ping('zero', zero)], back: [back.pong('zero')] },
    { name: 'mask of ones', steps: [w.text('inverted', { mask: Buffer.alloc(4, 255) })], back: [back.text('inverted')] },
    { name: 'mask that equals the payload', steps: [w.text('abcd', { mask: Buffer.from('abcd') })], back: [back.text('abcd')] },
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((size): Case => ({ name: `mask over ${size} bytes`, steps: [w.text('abcdefghi'.slice(0, size), { mask: Buffer.from([0, 255, 1, 128]) })], back: [back.text('abcdefghi'.slice(0, size))] })),
    { name: 'another mask for each fragment', steps: [Buffer.concat(w.fragments(['one ', 'two ', 'three']))], back: [back.text('one two three')] },
  ];
}

function reserved(w: Writer): Case[] {
  const bits = [1, 2, 3, 4, 5, 6, 7];
  const refused = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.close(1002)],
  });
  return [
    ...bits.map((rsv) => refused(`reserved bits ${rsv} in a text`, w.text('hello', { rsv }))),
    ...bits.map((rsv) => refused(`reserved bits ${rsv} in a ping`, w.ping('hello', { rsv }))),
    ...bits.map((rsv) => refused(`reserved bits ${rsv} in a close`, w.close(1000, '', { rsv }))),
    ...bits.map((rsv) =>
      refused(`reserved bits ${rsv} in a second fragment`, w.text('a', { fin: false }), w.frame(Op.more, 'b', { rsv })),
    ),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap((opcode) => [
      refused(`opcode ${opcode}`, w.frame(opcode)),
      refused(`opcode ${opcode} with a payload`, w.frame(opcode, 'hello')),
      refused(`opcode ${opcode} within a message`, w.text('a', { fin: false }), w.frame(opcode, 'b')),
    ]),
    {
      name: 'an opcode that is reserved after a message',
      steps: [w.text('a'), 1, w.frame(3)],
      back: [back.text('a'), back.close(1002)],
    },
    {
      name: 'an opcode that is reserved, unfinished',
      steps: [w.frame(3, 'a', { fin: false })],
      back: [back.close(1002)],
    },
  ];
}

/** Frames: the same cases for both sides. */
export function framingGroups(side: Side): Group[] {
  const w = new Writer(side);
  return [
    { name: 'lengths', cases: lengths(w) },
    { name: 'lengths that cannot be', cases: badLengths(w) },
    { name: 'masks', cases: masking(w, side) },
    { name: 'reserved bits and opcodes', cases: reserved(w) },
  ];
}
