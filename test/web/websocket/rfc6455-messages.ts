import { back, Op } from './frames.js';
import { bytewise, Writer, type Case, type Group, type Side } from './rfc6455-case.js';

/** Maximum bytes of an incoming message of each side. */
const LARGEST: Readonly<Record<Side, number>> = { server: 1024 * 1024, client: 16 * 1024 * 1024 };

function fragments(w: Writer): Case[] {
  const parts = (count: number): string[] => Array.from({ length: count }, (_, i) => `part ${i},`);
  const [ping, first, last] = [w.ping('now'), w.text('a', { fin: false }), w.frame(Op.more, 'b')];
  const refused = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.close(1002)],
  });
  // prettier-ignore
  return [
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((count): Case[] => [
      { name: `${count} fragments in as many writes`, steps: w.fragments(parts(count)), back: [back.text(parts(count).join(''))] },
      { name: `${count} fragments in one write`, steps: [Buffer.concat(w.fragments(parts(count)))], back: [back.text(parts(count).join(''))] },
    ]),
    { name: 'fragments of a binary message', steps: w.fragments(['a', 'b', 'c'], Op.binary), back: [back.text('abc')] },
    { name: 'fragments byte by byte', steps: bytewise(Buffer.concat(w.fragments(['ab', 'cd']))), back: [back.text('abcd')] },
    { name: 'the first fragment is empty', steps: w.fragments(['', 'b']), back: [back.text('b')] },
    { name: 'a middle fragment is empty', steps: w.fragments(['a', '', 'c']), back: [back.text('ac')] },
    { name: 'the last fragment is empty', steps: w.fragments(['a', '']), back: [back.text('a')] },
    { name: 'all fragments are empty', steps: w.fragments(['', '', '']), back: [back.text('')] },
    { name: '1000 empty fragments', steps: [Buffer.concat(w.fragments([...Array<string>(1000).fill(''), 'end']))], back: [back.text('end')] },
    { name: '1000 fragments of a byte', steps: [Buffer.concat(w.fragments(Array<string>(1000).fill('a')))], back: [back.text('a'.repeat(1000))] },
    { name: 'two messages in fragments', steps: [...w.fragments(['a', 'b']), ...w.fragments(['c', 'd'])], back: [back.text('ab'), back.text('cd')] },
    { name: 'a whole message after fragments', steps: [...w.fragments(['a', 'b']), w.text('c')], back: [back.text('ab'), back.text('c')] },
    { name: 'a ping between fragments', steps: [first, ping, last], back: [back.pong('now'), back.text('ab')] },
    { name: 'a ping between fragments, in one write', steps: [Buffer.concat([first, ping, last])], back: [back.pong('now'), back.text('ab')] },
    { name: 'a ping between fragments is answered before the message is whole', steps: [first, ping, 1, last], back: [back.pong('now'), back.text('ab')] },
    { name: 'two pings between fragments', steps: [first, w.ping('1'), w.ping('2'), last], back: [back.pong('1'), back.pong('2'), back.text('ab')] },
    { name: 'a pong between fragments', steps: [first, w.frame(Op.pong, 'x'), last], back: [back.text('ab')] },
    { name: 'a close between fragments', steps: [first, w.close(1001, 'enough'), last], back: [back.close(1001, 'enough')], closed: '1001 enough' },
    refused('a continuation without a start', last),
    refused('an unfinished continuation without a start', w.frame(Op.more, 'a', { fin: false })),
    refused('an empty continuation without a start', w.frame(Op.more)),
    refused('a text after two unfinished fragments', first, w.frame(Op.more, 'b', { fin: false }), w.text('c')),
    { name: 'a continuation after the last one', steps: [...w.fragments(['a', 'b']), 1, last], back: [back.text('ab'), back.close(1002)] },
    { name: 'a continuation after a whole message', steps: [w.text('a'), 1, last], back: [back.text('a'), back.close(1002)] },
    refused('a text within a message', first, w.text('b')),
    refused('a binary frame within a message', first, w.frame(Op.binary, 'b')),
    refused('an unfinished text within a message', first, w.text('b', { fin: false })),
    refused('a text within a binary message', w.frame(Op.binary, 'a', { fin: false }), w.text('b')),
    refused('a new text after an empty first fragment', w.text('', { fin: false }), w.text('b')),
    refused('an unfinished ping', w.ping('a', { fin: false })),
    refused('an unfinished pong', w.frame(Op.pong, 'a', { fin: false })),
    refused('an unfinished close', w.close(1000, '', { fin: false })),
    refused('an unfinished ping within a message', first, w.ping('a', { fin: false })),
    refused('a ping in two fragments', w.ping('a', { fin: false }), w.frame(Op.more, 'b')),
  ];
}

function controls(w: Writer): Case[] {
  const sizes = [0, 1, 2, 3, 4, 5, 64, 123, 124, 125];
  const payload = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, i) => (i * 37 + 128) & 255));
  const many = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => `ping ${String(i).padStart(4, '0')}`);
  const refused = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.close(1002)],
  });
  // prettier-ignore
  return [
    ...sizes.map((size): Case => ({ name: `ping of ${size} bytes`, steps: [w.ping(payload(size))], back: [back.pong(payload(size))] })),
    { name: 'ping of 125 bytes byte by byte', steps: bytewise(w.ping(payload(125))), back: [back.pong(payload(125))] },
    ...[16, 64].flatMap((bits) => [126, ...(bits === 64 ? [65536] : [])].flatMap((size) => [
      refused(`ping of ${size} bytes, length in ${bits} bits`, w.ping(payload(size), { bits: bits as 16 | 64 })),
      refused(`pong of ${size} bytes, length in ${bits} bits`, w.frame(Op.pong, payload(size), { bits: bits as 16 | 64 })),
      refused(`close of ${size} bytes, length in ${bits} bits`, w.close(1000, payload(size - 2), { bits: bits as 16 | 64 })),
    ])),
    refused('short ping with its length in 16 bits', w.ping('a', { bits: 16 })),
    refused('short ping with its length in 64 bits', w.ping('a', { bits: 64 })),
    refused('1 GiB announced for a ping', w.ping('', { bits: 64, announced: 2n ** 30n })),
    { name: 'an unsolicited pong', steps: [w.frame(Op.pong, 'unasked')], back: [] },
    { name: 'an empty unsolicited pong, then a message', steps: [w.frame(Op.pong), w.text('a')], back: [back.text('a')] },
    { name: '100 unsolicited pongs', steps: [Buffer.concat(many(100).map((text) => w.frame(Op.pong, text)))], back: [] },
    { name: 'pings and messages in turn', steps: [w.ping('1'), 1, w.text('a'), 2, w.ping('2'), 3, w.text('b')], back: [back.pong('1'), back.text('a'), back.pong('2'), back.text('b')] },
    { name: '20 pings in one write', steps: [Buffer.concat(many(20).map((text) => w.ping(text)))], back: many(20).map((text) => back.pong(text)) },
    { name: '100 pings in as many writes', steps: many(100).flatMap((text, i) => [w.ping(text), i + 1]), back: many(100).map((text) => back.pong(text)) },
  ];
}

function closes(w: Writer): Case[] {
  const valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999];
  const invalid = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535];
  const long = 'r'.repeat(123);
  const refused = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.close(1002)],
  });
  const echoed = (name: string, code: number, reason: string, ...steps: Case['steps']): Case => ({
    name,
    steps,
    back: [back.close(code, reason)],
    closed: `${code} ${reason}`.trimEnd(),
  });
  // prettier-ignore
  return [
    ...valid.map((code) => echoed(`close with ${code}`, code, '', w.close(code))),
    ...valid.map((code) => echoed(`close with ${code} and a reason`, code, 'enough', w.close(code, 'enough'))),
    ...invalid.map((code) => refused(`close with ${code}`, w.close(code))),
    ...invalid.map((code) => refused(`close with ${code} and a reason`, w.close(code, 'enough'))),
    refused('close with one byte of payload', w.frame(Op.close, Buffer.from([3]))),
    refused('close with half a code of 0', w.frame(Op.close, Buffer.from([0]))),
    { name: 'close without a code', steps: [w.close()], back: [back.close()], closed: '1005' },
    { name: 'close without a code, byte by byte', steps: bytewise(w.close()), back: [back.close()], closed: '1005' },
    echoed('close byte by byte', 1001, 'bye', ...bytewise(w.close(1001, 'bye'))),
    echoed('a reason of 123 bytes', 1000, long, w.close(1000, long)),
    echoed('a reason in other letters', 1000, 'grüße €😀', w.close(1000, 'grüße €😀')),
    refused('a reason of 124 bytes', w.close(1000, `${long}r`)),
    echoed('a message after a close is ignored', 1000, '', w.close(1000), w.text('late')),
    echoed('a message after a close in one write is ignored', 1000, '', Buffer.concat([w.close(1000), w.text('late')])),
    echoed('a ping after a close is ignored', 1000, '', Buffer.concat([w.close(1000), w.ping('late')])),
    echoed('a second close is ignored', 1001, '', Buffer.concat([w.close(1001), w.close(1002)])),
    echoed('a broken frame after a close is ignored', 1000, '', Buffer.concat([w.close(1000), w.frame(3, 'x', { rsv: 7 })])),
    echoed('64 KiB after a close are ignored', 1000, '', w.close(1000), Buffer.alloc(65536, 255)),
    { ...echoed('a close after a message', 1000, '', w.text('a'), 1, w.close(1000)), back: [back.text('a'), back.close(1000)] },
  ];
}

/** Messages of the maximum size and of one byte more, in one frame and in several. */
function limits(w: Writer, side: Side): Case[] {
  const largest = LARGEST[side];
  const content = Buffer.alloc(largest, '0123456789abcde');
  const quarter = largest / 4;
  const quarters = [0, 1, 2, 3].map((i) => content.subarray(i * quarter, (i + 1) * quarter));
  const tooBig = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.close(1009)],
  });
  const ok = (name: string, ...steps: Case['steps']): Case => ({
    name: `${name}`,
    steps,
    back: [back.text(content)],
  });
  const open = w.fragments([...quarters, 'x']).slice(0, 4);
  // prettier-ignore
  const cases = [
    ok('the largest message', w.text(content)),
    ok('the largest message in four fragments', ...w.fragments(quarters)),
    tooBig('one byte more', w.text('', { announced: BigInt(largest) + 1n })),
    tooBig('one byte more in a binary frame', w.frame(Op.binary, '', { announced: BigInt(largest) + 1n })),
    tooBig('one byte more in a last fragment', ...open, w.frame(Op.more, 'x')),
    tooBig('a small fragment, then one that is too large', w.text('a', { fin: false }), w.frame(Op.more, '', { announced: BigInt(largest) })),
    { name: '20,000 fragments of a message that is not whole', steps: [Buffer.concat(Array.from({ length: 20_000 }, (_, i) => w.frame(i === 0 ? Op.text : Op.more, 'a', { fin: false })))], back: [back.close(1008)] },
  ];
  // The maximum of a client is so large that only a few cases run.
  if (side === 'client') return cases;
  // prettier-ignore
  return [
    ...cases,
    ok('the largest message in a binary frame', w.frame(Op.binary, content)),
    ok('the largest message in fragments, the last empty', ...open, w.frame(Op.more)),
    tooBig('one byte more, all of it sent', w.text(Buffer.concat([content, Buffer.from('x')]))),
    tooBig('one byte more in a fragment that is not the last', ...open, w.frame(Op.more, 'x', { fin: false })),
    { name: 'a ping between does not restart the count', steps: [...open, w.ping('p'), 1, w.frame(Op.more, 'x')], back: [back.pong('p'), back.close(1009)] },
    { name: 'pings do not count', steps: [...open, w.ping('p'), 1, w.frame(Op.more)], back: [back.pong('p'), back.text(content)] },
    { name: 'the limit is for each message', steps: [w.text(content), 1, w.text('small')], back: [back.text(content), back.text('small')] },
  ];
}

/** Messages, control frames, closes and limits: the same cases for both sides. */
export function messageGroups(side: Side): Group[] {
  const w = new Writer(side);
  return [
    { name: 'fragments', cases: fragments(w) },
    { name: 'control frames', cases: controls(w) },
    { name: 'closes', cases: closes(w) },
    { name: 'limits', cases: limits(w, side) },
  ];
}
