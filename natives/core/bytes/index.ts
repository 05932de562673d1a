import { Bytes, BYTES, COPIED_PER_STEP } from '../../../vm/values/bytes.js';
import { sliceBounds } from '../../../vm/calls/members.js';
import { neverSuspends } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import { eachInSteps, type Steps } from '../../../vm/values/steps.js';
import { Range } from '../../../vm/values/structured.js';
import { kindName } from '../../../vm/values/types.js';
import { isInteger, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { sequenceRows } from '../collections/index.js';
import { functions, methodGroup, methodsOf, only, rowsFor, type Int, type Row } from '../declare.js';
import { shownInteger } from '../numbers/digits.js';
import { overElements, stepped, tabulated } from '../steps.js';
import { builder } from './builder.js';
import { compressionRows } from './compression.js';
import { FORMATS, type Format } from './numbers.js';
import { indexSteps, occursAt } from './search.js';
import { decodedText, encodedText, fromBase64, fromHex, fromText, overBytes } from './texts.js';

/** Bytes of a vector of Integers. */
function* fromVector(list: readonly Value[]): Steps {
  const out = new Uint8Array(list.length);
  yield* eachInSteps(list.length, (i) => {
    const item = list[i];
    if (typeof item === 'number' && item >= 0 && item <= 255) out[i] = item;
    else badItem(item, i);
  });
  return new Bytes(out);
}

function badItem(item: Value, at: number): never {
  if (isInteger(item))
    fail(Errors.ValueError, `Bytes(): the element at index ${at} must be from 0 to 255, got ${shownInteger(item)}`);
  return fail(Errors.TypeError, `Bytes(): the element at index ${at} must be Integer, got ${kindName(item)}`);
}

function make(vm: NativeContext, source: string | Value[] | Bytes): Value | undefined {
  if (source instanceof Bytes) return source;
  return typeof source === 'string'
    ? overBytes(vm, 'Bytes', source.length, fromText(source))
    : stepped(vm, 'Bytes', source.length, fromVector(source.slice()));
}

function* copySteps(bytes: Bytes, start: number, end: number): Generator<void, Bytes, void> {
  const out = new Uint8Array(end - start);
  for (let lo = 0; lo < out.length; lo += COPIED_PER_STEP) {
    out.set(bytes.data.subarray(start + lo, Math.min(start + lo + COPIED_PER_STEP, end)), lo);
    yield;
  }
  return new Bytes(out);
}

function part(vm: NativeContext, bytes: Bytes, start: number, end: number): Value | undefined {
  return bytes.slicesSlowly(start, end) ? vm.inPieces('slice', copySteps(bytes, start, end)) : bytes.slice(start, end);
}

/** `bytes[index]`, `bytes[range]` and `bytes[start, count]`; nil outside. */
function element(vm: NativeContext, bytes: Bytes, index: Int | Range, count: Int | null): Value | undefined {
  const { length } = bytes;
  if (index instanceof Range) {
    if (count !== null) fail(Errors.TypeError, 'Bytes.[](): start must be Integer, got Range');
    const bounds = sliceBounds(index, length);
    return bounds === null ? null : part(vm, bytes, bounds.start, bounds.end);
  }
  const at = index < 0 ? Number(index) + length : Number(index);
  if (count === null) return bytes.data[at] ?? null;
  return at < 0 || at > length || count < 0 ? null : part(vm, bytes, at, Math.min(length, at + Number(count)));
}

/** Calls `found` with the offset of `sought` at or after `from`, −1 if there is none. */
function searching(
  vm: NativeContext,
  what: string,
  bytes: Bytes,
  sought: Bytes,
  from: number,
  found: (at: number) => Value,
): Value | undefined {
  return overBytes(
    vm,
    what,
    bytes.length,
    (function* (): Steps {
      return found(yield* indexSteps(bytes, sought, from));
    })(),
  );
}

/** A byte, as Bytes to search for. */
function soughtOf(what: Int | Bytes, name: string): Bytes {
  if (what instanceof Bytes) return what;
  if (what < 0 || what > 255) fail(Errors.ValueError, `${name}(): a byte is from 0 to 255, got ${shownInteger(what)}`);
  return new Bytes(Uint8Array.of(Number(what)));
}

function index(vm: NativeContext, bytes: Bytes, what: Int | Bytes, from: Int): Value | undefined {
  const start = from < 0 ? Number(from) + bytes.length : Number(from);
  const sought = soughtOf(what, 'index');
  if (start < 0 || start > bytes.length) return null;
  return searching(vm, 'index', bytes, sought, start, (at) => (at < 0 ? null : at));
}

function number(format: Format): Row {
  const { name, what, result, size } = format;
  const order = size === 1 ? '' : ', most significant byte first unless `little`';
  return [
    name,
    `offset: Integer = 0${size === 1 ? '' : ', little: Boolean = false'}`,
    result,
    `${what} at an offset${order}; IndexError when it does not lie within the bytes.`,
    neverSuspends((_: unknown, bytes: Bytes, offset: Int, little = false) => {
      const at = offset < 0 ? Number(offset) + bytes.length : Number(offset);
      if (at < 0 || at + size > bytes.length)
        fail(
          Errors.IndexError,
          `${name}() reads ${size} byte${size === 1 ? '' : 's'} at offset ${shownInteger(offset)}, but there are ${bytes.length}`,
        );
      return format.read(bytes.view, at, little);
    }),
  ];
}

/** Methods of collections that Bytes have, as collections of Integers. */
const SEQUENCE_METHODS =
  'each map flat_map filter_map select filter reject find detect sum_by min_by max_by sort_by group_by partition take_while drop_while reduce inject each_with_index map_with_index with_index each_with_object each_slice each_cons any? all? none? one? count sum min max sort uniq tally reverse_each';

// prettier-ignore
const bytesMethods = methodGroup('Bytes', () => [
  ...overElements(only(sequenceRows, SEQUENCE_METHODS)),
  ['[]', 'index: Integer|Range, count: Integer? = nil', 'Any', 'The byte at an index as an Integer; or the Bytes in a range, or `count` Bytes starting at an index; nil outside.', element],
  ['slice', 'index: Integer|Range, count: Integer? = nil', 'Any', 'The same as `bytes[index]` and `bytes[index, count]`.', element],
  ['length size', '', 'Integer', 'Number of bytes.', neverSuspends((_: unknown, bytes: Bytes) => bytes.length)],
  ['empty?', '', 'Boolean', 'Whether there are no bytes.', neverSuspends((_: unknown, bytes: Bytes) => bytes.length === 0)],
  ['to_s', 'encoding: String = "utf-8"', 'String', 'The text that the bytes encode, in "utf-8", "latin1" or "ascii"; ValueError with the offset when they are not valid.', (vm: NativeContext, bytes: Bytes, encoding: string) => overBytes(vm, 'to_s', bytes.length, decodedText(bytes, encoding))],
  ['hex', '', 'String', 'Two hexadecimal digits for each byte.', (vm: NativeContext, bytes: Bytes) => overBytes(vm, 'hex', bytes.length, encodedText(bytes, 'hex', 2))],
  ['base64', '', 'String', 'Base64 of the bytes.', (vm: NativeContext, bytes: Bytes) => overBytes(vm, 'base64', bytes.length, encodedText(bytes, 'base64', 4 / 3))],
  ['to_a to_vec', '', 'Vector', 'The bytes as Integers.', (vm: NativeContext, { data }: Bytes) => tabulated(vm, 'to_a', data.length, (i) => data[i])],
  ['index', 'sought: Integer|Bytes, from: Integer = 0', 'Integer?', 'Offset of the first byte or Bytes at or after `from`, or nil.', index],
  ...rowsFor('include? member?', (name) => [name, 'sought: Integer|Bytes', 'Boolean', 'Whether a byte or Bytes occur in the bytes.', (vm: NativeContext, bytes: Bytes, what: Int | Bytes) => searching(vm, name, bytes, soughtOf(what, name), 0, (at) => at >= 0)]),
  ['starts_with? start_with?', 'part: Bytes', 'Boolean', 'Whether the bytes start with others.', (vm: NativeContext, bytes: Bytes, start: Bytes) => overBytes(vm, 'starts_with?', start.length, occursAt(bytes, start, 0))],
  ['ends_with? end_with?', 'part: Bytes', 'Boolean', 'Whether the bytes end with others.', (vm: NativeContext, bytes: Bytes, end: Bytes) => overBytes(vm, 'ends_with?', end.length, occursAt(bytes, end, bytes.length - end.length))],
  ...FORMATS.map(number),
  ...compressionRows,
]);
BYTES.add(bytesMethods);

// prettier-ignore
const statics = methodsOf('Bytes', [
  ['from_hex', 'text: String', 'Bytes', 'Bytes of hexadecimal digits, two for each byte; ValueError when there are other characters.', (vm: NativeContext, _type: unknown, text: string) => overBytes(vm, 'from_hex', text.length, fromHex(text))],
  ['from_base64', 'text: String', 'Bytes', 'Bytes of a text in base64; ValueError when it is invalid.', (vm: NativeContext, _type: unknown, text: string) => overBytes(vm, 'from_base64', text.length, fromBase64(text, 'Bytes.from_base64'))],
]);
for (const method of statics) BYTES.statics.set(method.name, method);

const [constructor] = functions([
  [
    'Bytes',
    'source: String|Vector|Bytes = ""',
    'Bytes',
    'Bytes of a text in UTF-8, or of a vector of Integers from 0 to 255.',
    make,
  ],
]);
BYTES.make = constructor;

/** Bytes: how they are made, their methods. */
export const bytes: Natives = [constructor, ...statics, bytesMethods, ...builder];
