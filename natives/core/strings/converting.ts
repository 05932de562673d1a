import { inlined, neverSuspends, quickly } from '../../../vm/calls/native.js';
import { codesOf, length, points, reversed } from '../../../vm/values/text/codepoints.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { successor } from '../../../vm/values/text/successor.js';
import { Range } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { formatted } from '../../../vm/interpreter/ownoperators.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Row } from '../declare.js';
import { Gathered } from '../gathered.js';
import { checkElements } from '../limits.js';
import { STEP } from '../../../vm/values/steps.js';
import { withElements } from '../steps.js';
import { latin1Bytes } from './latin1.js';
import { checkCharacters } from './layout.js';
import { excerpt, leadingFloat, leadingInteger, shortInteger } from './parsenumbers.js';
import { made, overText, partsInSteps, stepEnd } from './stepwise.js';
import { wellFormed } from './wellformed.js';

function ord(text: string): number {
  return text.codePointAt(0) ?? fail(Errors.ValueError, 'ord(): the text is empty');
}

/** Largest code point of each encoding supported by `encode`. */
const ENCODINGS = new Map([
  ['utf8', 0x10ffff],
  ['utf16', 0x10ffff],
  ['ascii', 0x7f],
  ['usascii', 0x7f],
  ['latin1', 0xff],
  ['iso88591', 0xff],
]);

/** Checks that an encoding can represent a text; `replacement` replaces characters that it cannot represent. */
function encoder(encoding: string, replacement: string | null): (part: string) => string {
  const limit =
    ENCODINGS.get(encoding.toLowerCase().replace(/[-_ ]/g, '')) ??
    fail(Errors.ValueError, `unknown encoding ${excerpt(encoding)}`);
  const fits = (c: string): boolean => {
    const code = c.codePointAt(0) as number;
    return code <= limit && (code < 0xd800 || code > 0xdfff);
  };
  return (part) =>
    points(part)
      .map((c) =>
        fits(c) ? c : (replacement ?? fail(Errors.ValueError, `${encoding} has no character ${excerpt(c)}`)),
      )
      .join('');
}

const utf8 = new TextEncoder();

/** The bytes of a short text. The encoder takes a microsecond for any. */
function fewBytes(text: string): Value[] {
  const out: Value[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return Array.from(utf8.encode(wellFormed(text)));
    out.push(code);
  }
  return out;
}

function* bytesSteps(text: string): Generator<void, Value[], void> {
  const out = new Gathered<Value>();
  checkElements(text.length);
  yield* partsInSteps(text, (part) => {
    for (const byte of utf8.encode(wellFormed(part))) out.add(byte);
  });
  return yield* out.all();
}

/** Maximum characters for whose numbers one array is made at the start. Arrays for parts would be large objects for V8, too. */
const CODES_AT_ONCE = 1 << 20;

function* codesSteps(text: string): Generator<void, Value[], void> {
  if (text.length > CODES_AT_ONCE) return yield* manyCodesSteps(text);
  const out = new Array<Value>(text.length);
  let count = 0;
  yield* partsInSteps(text, (part) => {
    for (let i = 0; i < part.length; i++) {
      const code = part.codePointAt(i) as number;
      if (code > 0xffff) i++;
      out[count++] = code;
    }
  });
  out.length = count;
  return out;
}

function* manyCodesSteps(text: string): Generator<void, Value[], void> {
  const out = new Gathered<Value>();
  checkCharacters(text);
  yield* partsInSteps(text, (part) => out.addAll(codesOf(part)));
  return yield* out.all();
}

function reversedPart(text: string): string {
  const bytes = latin1Bytes(text)?.subarray(0, text.length);
  if (bytes === undefined) return reversed(text);
  bytes.reverse();
  return bytes.toString('latin1');
}

/** Starts at the end: a reversed part precedes the parts before it. */
function* reverseSteps(text: string): Generator<void, string, void> {
  const ends: number[] = [];
  for (let at = 0; at < text.length; at = stepEnd(text, at)) ends.push(at);
  let out = '';
  for (let end = text.length; end > 0;) {
    const start = ends.pop() as number;
    out += reversedPart(text.slice(start, end));
    end = start;
    if (end > 0) yield;
  }
  return out;
}

/** The number in an octal text, or in a text with a prefix for its base. */
function oct(vm: NativeContext, text: string): Value | undefined {
  const prefix = /^\s*[+-]?0([xXbB])/.exec(text)?.[1].toLowerCase();
  return leadingInteger(vm, text, prefix === 'x' ? 16 : prefix === 'b' ? 2 : 8);
}

/** The length of a text that is short enough to be counted within a microsecond; else undefined. */
function shortLength(text: Value): number | undefined {
  return (text as string).length < 256 ? length(text as string) : undefined;
}

// prettier-ignore
export const convertingRows: readonly Row[] = [
  ['length size', '', 'Integer', 'Number of characters.', quickly(shortLength, (_: unknown, text: string) => length(text))],
  ['empty?', '', 'Boolean', 'Whether the text has no characters.', inlined("$===''", (_: unknown, text: string) => text === '')],
  ['reverse', '', 'String', 'The characters in reverse order.', (vm: NativeContext, text: string) => overText(vm, 'reverse', text, reverseSteps(text))],
  ['bytes', '', 'Vector', 'The bytes of the text in UTF-8.', (vm: NativeContext, text: string) => (text.length <= STEP ? fewBytes(text) : vm.inPieces('bytes', bytesSteps(text)))],
  ['codepoints', '', 'Vector', 'The code points of the characters.', (vm: NativeContext, text: string) => overText(vm, 'codepoints', text, codesSteps(text))],
  ['ord', '', 'Integer', 'Code point of the first character.', neverSuspends((_: unknown, text: string) => ord(text))],
  ['to_i', 'base: Integer = 10', 'Integer', 'The Integer at the start of the text, 0 if there is none.', quickly((text: Value, base: Value) => (base === 10 ? shortInteger(text as string) : undefined), leadingInteger)],
  ['to_f', '', 'Float', 'The number at the start of the text, 0.0 if there is none.', (_: unknown, text: string) => leadingFloat(text)],
  ['hex', '', 'Integer', 'The Integer at the start of the text in base 16.', (vm: NativeContext, text: string) => leadingInteger(vm, text, 16)],
  ['oct', '', 'Integer', 'The Integer at the start of the text in base 8, or in the base of its prefix.', oct],
  ['to_s to_str to_sym', '', 'String', 'The text itself.', (_: unknown, text: string) => text],
  ['succ next', '', 'String', 'The next text in counting order: `ba` follows `az`.', (_: unknown, text: string) => successor(text)],
  ['upto', 'last: String', 'Vector', 'The texts from this one to `last` in counting order.', (vm: NativeContext, text: string, last: string) => withElements(vm, new Range(text, last, false), 'upto', (list) => list)],
  ['format', '*values: Any', 'String', 'The text with its `%` directives filled in.', (vm: NativeContext, text: string, values: Value[]) => formatted(vm, text, values)],
  ['encode', 'encoding: String = "UTF-8", replace: String? = nil', 'String', 'The text, checked to fit an encoding; `replace` replaces characters that do not.', (vm: NativeContext, text: string, encoding: string, replacement: string | null) => made(vm, 'encode', text, encoder(encoding, replacement))],
  ['unicode_normalize', 'form: String = "nfc"', 'String', 'The text in a normal form of Unicode: nfc, nfd, nfkc or nfkd.', (vm: NativeContext, text: string, form: string) => made(vm, 'unicode_normalize', text, normalizer(form), ALONE)],
];

/** Characters before which a text may be cut for normalization: they do not combine with preceding ones. */
const ALONE = /[\x00-\x7f\u4e00-\u9fff]/g;

function normalizer(form: string): (part: string) => string {
  const name = form.toUpperCase();
  return /^NFK?[CD]$/.test(name)
    ? (part) => part.normalize(name)
    : fail(Errors.ValueError, `unknown normal form ${excerpt(form)}`);
}
