import { back, Op } from './frames.js';
import { everyCut, Writer, type Case, type Group, type Side } from './rfc6455-case.js';

/** Texts with letters of one to four bytes, and letters at the limits of each length. */
// prettier-ignore
const VALID: readonly [name: string, text: string][] = [
  ['NUL', '\0'], ['U+007F', '\x7f'], ['U+0080', '\x80'], ['U+07FF', '\u07ff'], ['U+0800', '\u0800'], ['U+D7FF', '\ud7ff'], ['U+E000', '\ue000'],
  ['U+FFFD', '\ufffd'], ['U+FFFE', '\ufffe'], ['U+FFFF', '\uffff'], ['U+10000', '\u{10000}'], ['U+10FFFF', '\u{10ffff}'],
  ['a byte order mark', '\ufeffabc'], ['a byte order mark alone', '\ufeff'], ['Greek', 'κόσμε'], ['letters of all lengths', 'aß€😀'.repeat(20)],
];

// prettier-ignore
const INVALID: readonly [name: string, bytes: readonly number[]][] = [
  ['lone continuation 80', [0x80]], ['lone continuation BF', [0xbf]], ['two lone continuations', [0x80, 0xbf]],
  ['overlong C0 80', [0xc0, 0x80]], ['overlong C1 BF', [0xc1, 0xbf]], ['overlong E0 80 80', [0xe0, 0x80, 0x80]], ['overlong E0 9F BF', [0xe0, 0x9f, 0xbf]],
  ['overlong F0 80 80 80', [0xf0, 0x80, 0x80, 0x80]], ['overlong F0 8F BF BF', [0xf0, 0x8f, 0xbf, 0xbf]],
  ['surrogate U+D800', [0xed, 0xa0, 0x80]], ['surrogate U+DFFF', [0xed, 0xbf, 0xbf]], ['pair of surrogates', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['U+110000', [0xf4, 0x90, 0x80, 0x80]], ['F5', [0xf5, 0x80, 0x80, 0x80]], ['F7 BF BF BF', [0xf7, 0xbf, 0xbf, 0xbf]],
  ['five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]], ['six bytes', [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80]], ['FE', [0xfe]], ['FF', [0xff]],
  ['one of two bytes', [0xc2]], ['two of three bytes', [0xe2, 0x82]], ['one of three bytes', [0xe2]], ['three of four bytes', [0xf0, 0x9f, 0x98]], ['one of four bytes', [0xf0]],
  ['a start within a letter', [0xe2, 0xc2, 0xa9]],
];

/** Positions of the bad sequence; checkers use other code for long texts. */
// prettier-ignore
const PLACES: readonly [name: string, before: string, after: string][] = [
  ['alone', '', ''], ['at the start', '', 'after'], ['in the middle', 'before', 'after'], ['at the end', 'before', ''], ['in a long text', 'ß'.repeat(40), '€'.repeat(40)],
];

const CUT = Buffer.from('aß€😀κ');

function valid(w: Writer): Case[] {
  return [
    ...VALID.map(([name, text]): Case => ({
      name: `text with ${name}`,
      steps: [w.text(text)],
      back: [back.text(text)],
    })),
    ...everyCut(CUT).map(([at, first, second]): Case => ({
      name: `fragments cut at byte ${at}`,
      steps: w.fragments([first, second]),
      back: [back.text(CUT)],
    })),
    ...everyCut(w.text(CUT)).map(([at, first, second]): Case => ({
      name: `writes cut at byte ${at}`,
      steps: [first, second],
      back: [back.text(CUT)],
    })),
    {
      name: 'each byte a fragment',
      steps: w.fragments(Array.from(CUT, (byte) => Buffer.from([byte]))),
      back: [back.text(CUT)],
    },
    {
      name: 'a ping within a letter',
      steps: [w.text(CUT.subarray(0, 2), { fin: false }), w.ping('p'), w.frame(Op.more, CUT.subarray(2))],
      back: [back.pong('p'), back.text(CUT)],
    },
  ];
}

function invalid(w: Writer): Case[] {
  return INVALID.flatMap(([name, bytes]) => [
    ...PLACES.map(([place, before, after]): Case => ({
      name: `${name} ${place}`,
      steps: [w.text(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]))],
      back: [back.close(1007)],
    })),
    ...everyCut(Buffer.from(bytes)).map(([at, first, second]): Case => ({
      name: `${name}, cut by fragments at byte ${at}`,
      steps: w.fragments([first, second]),
      back: [back.close(1007)],
    })),
    {
      name: `${name} in a second fragment`,
      steps: w.fragments(['good', Buffer.from(bytes), 'good']),
      back: [back.close(1007)],
    },
    {
      name: `${name} in the reason of a close`,
      steps: [w.close(1000, Buffer.from(bytes))],
      back: [back.close(1007)],
    },
  ]);
}

function around(w: Writer): Case[] {
  const bad = Buffer.from([0xff]);
  // prettier-ignore
  return [
    { name: 'a letter that two messages share', steps: [w.text(Buffer.from([0xe2, 0x82])), w.text(Buffer.from([0xac]))], back: [back.close(1007)] },
    { name: 'after a good message', steps: [w.text('good'), 1, w.text(bad)], back: [back.text('good'), back.close(1007)] },
    { name: 'a good message after is not answered', steps: [Buffer.concat([w.text(bad), w.text('good'), w.ping()])], back: [back.close(1007)] },
    { name: 'the reason of a close, long', steps: [w.close(1000, Buffer.concat([Buffer.alloc(122, 'r'), bad]))], back: [back.close(1007)] },
    { name: 'pings may carry any bytes', steps: [w.ping(bad)], back: [back.pong(bad)] },
    { name: 'a last fragment ends within a letter', steps: w.fragments(['€', Buffer.from([0xe2, 0x82])]), back: [back.close(1007)] },
    { name: 'a letter ends too early between fragments', steps: w.fragments([Buffer.from([0xe2, 0x82]), 'a']), back: [back.close(1007)] },
    { name: 'an empty fragment within a bad letter', steps: w.fragments([Buffer.from([0xe2]), '', Buffer.from([0x28])]), back: [back.close(1007)] },
    { name: 'an empty fragment within a good letter', steps: w.fragments([Buffer.from([0xe2]), '', Buffer.from([0x82, 0xac])]), back: [back.text('€')] },
  ];
}

function binary(w: Writer): Case[] {
  // The peer answers 1003 with 1003.
  const refused = { back: [back.close(1003, 'text messages only')], closed: '1003' };
  // prettier-ignore
  return [
    ...VALID.map(([name, text]): Case => ({ name: `binary frame with ${name}`, steps: [w.frame(Op.binary, text)], back: [back.text(text)] })),
    ...INVALID.map(([name, bytes]): Case => ({ name: `binary frame with ${name}`, steps: [w.frame(Op.binary, Buffer.from(bytes))], ...refused })),
    { name: 'binary fragments cut within a letter', steps: w.fragments([Buffer.from([0xe2]), Buffer.from([0x82, 0xac])], Op.binary), back: [back.text('€')] },
    { name: 'binary fragments that are no text', steps: w.fragments(['a', Buffer.from([0xff])], Op.binary), ...refused },
    { name: 'a message after a binary frame that is no text', steps: [Buffer.concat([w.frame(Op.binary, Buffer.from([0xff])), w.text('a')])], ...refused },
  ];
}

/** Valid and invalid text: the same cases for both sides. */
export function textGroups(side: Side): Group[] {
  const w = new Writer(side);
  return [
    { name: 'UTF-8', cases: valid(w) },
    { name: 'what is not UTF-8', cases: [...invalid(w), ...around(w)] },
    { name: 'binary frames', cases: binary(w) },
  ];
}
