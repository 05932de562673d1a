/** Between Bytes and texts: UTF-8, Latin-1, hexadecimal, base64. */
import { Bytes, checkBytes, joinSteps } from '../../../vm/values/bytes.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { finish, type Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { checkText } from '../limits.js';
import { partsInSteps } from '../strings/stepwise.js';
import { wellFormed } from '../strings/wellformed.js';
import { decodeSteps } from './base64.js';

/** Bytes converted in one step: a multiple of three, so that parts can be encoded in base64 one by one. */
const PART = 3 << 14;
/** A character that cannot stand in hexadecimal digits. */
const NOT_HEX = /[^0-9a-fA-F]/;

/** The result of `steps`: at once if `size` bytes or characters are few, otherwise in pieces. */
export function overBytes(vm: NativeContext, what: string, size: number, steps: Steps): Value | undefined {
  return size <= PART ? finish(steps) : vm.inPieces(what, steps);
}

/** The same bytes as node's functions expect them, without copying. */
export function bufferOf({ data }: Bytes): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** Parts of Bytes, to be processed in one step each. */
export function* partsOf(bytes: Bytes): Generator<Buffer, void, void> {
  const buffer = bufferOf(bytes);
  for (let lo = 0; lo < buffer.length; lo += PART) yield buffer.subarray(lo, lo + PART);
}

/** The UTF-8 bytes of a text, in parts. @throws ValueError for a lone surrogate, which UTF-8 cannot represent */
export function* utf8Parts(text: string): Generator<void, Uint8Array[], void> {
  checkBytes(text.length);
  const parts: Uint8Array[] = [];
  yield* partsInSteps(text, (part) => {
    parts.push(Buffer.from(wellFormed(part)));
  });
  return parts;
}

/** Bytes of a text in UTF-8. */
export function* fromText(text: string): Generator<void, Bytes, void> {
  return yield* joinSteps(yield* utf8Parts(text));
}

/** Bytes of hexadecimal digits. */
export function* fromHex(text: string): Generator<void, Bytes, void> {
  if (text.length % 2 === 1) fail(Errors.ValueError, `Bytes.from_hex(): the number of digits is odd: ${text.length}`);
  checkBytes(text.length / 2);
  const out = new Uint8Array(text.length / 2);
  let at = 0;
  // An even number of digits in each part: a part is only longer at a character that is no digit.
  yield* partsInSteps(text, (part) => {
    const bad = NOT_HEX.exec(part);
    if (bad !== null)
      fail(
        Errors.ValueError,
        `Bytes.from_hex(): no hexadecimal digit at index ${at * 2 + bad.index}: ${JSON.stringify(bad[0])}`,
      );
    const bytes = Buffer.from(part, 'hex');
    out.set(bytes, at);
    at += bytes.length;
  });
  return new Bytes(out);
}

/** Bytes of a text in base64. `name` is the function for messages. */
export function* fromBase64(text: string, name: string): Generator<void, Bytes, void> {
  checkBytes(Math.ceil(text.length / 4) * 3);
  const decoded = yield* decodeSteps(text);
  return decoded === null ? fail(Errors.ValueError, `${name}(): the text is not base64`) : Bytes.of(decoded);
}

/** Encodings of `to_s` that represent each byte by a character, by their names without punctuation. */
const BYTEWISE = new Map<string, { encoding: BufferEncoding; largest: number }>([
  ['latin1', { encoding: 'latin1', largest: 0xff }],
  ['iso88591', { encoding: 'latin1', largest: 0xff }],
  ['ascii', { encoding: 'latin1', largest: 0x7f }],
]);

/** Characters of an encoding's name that are read. */
const LONGEST_NAME = 40;

/** The text that Bytes encode. @throws ValueError */
export function* decodedText(bytes: Bytes, encoding: string): Generator<void, string, void> {
  const name = encoding.slice(0, LONGEST_NAME).toLowerCase().replaceAll(/[-_ ]/g, '');
  if (name === 'utf8') return yield* bytes.textSteps();
  const bytewise =
    BYTEWISE.get(name) ??
    fail(
      Errors.ValueError,
      `to_s(): the encoding must be "utf-8", "latin1" or "ascii", got ${JSON.stringify(encoding.slice(0, LONGEST_NAME))}`,
    );
  return yield* encodedText(bytes, bytewise.encoding, 1, (part, at) => {
    const bad = bytewise.largest === 0xff ? -1 : part.findIndex((byte) => byte > bytewise.largest);
    if (bad >= 0)
      fail(Errors.ValueError, `the bytes are not ASCII: byte ${part[bad].toString(16)} at offset ${at + bad}`);
  });
}

/** Writes Bytes as a text of at most `perByte` characters for each byte. */
export function* encodedText(
  bytes: Bytes,
  encoding: BufferEncoding,
  perByte: number,
  check: (part: Buffer, at: number) => void = () => {},
): Generator<void, string, void> {
  checkText(Math.ceil(bytes.length * perByte));
  let text = '';
  let at = 0;
  for (const part of partsOf(bytes)) {
    if (at > 0) yield;
    check(part, at);
    text += part.toString(encoding);
    at += part.length;
  }
  return text;
}
