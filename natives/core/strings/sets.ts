/**
 * Character sets in the notation of `tr`, `count`, `delete` and `squeeze`: `a-z`, a leading `^` for all other
 * characters, and a backslash before `- ^ \`.
 */
import { codesOf } from '../../../vm/values/text/codepoints.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { UnitText } from '../../../vm/values/text/textbuilder.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Row } from '../declare.js';
import { excerpt } from './parsenumbers.js';
import { latin1Bytes } from './latin1.js';
import { made, overText, partsInSteps } from './stepwise.js';

/** Maximum characters in the ranges of one set: the number of code points. */
const MAX_SET = 0x110000;

/** Maximum characters that a set is written with. */
const MAX_WRITTEN = 65_536;

/** Numbers that are no characters. */
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Code points below this are stored in a table. */
const LOW = 256;
/** Values for a character that stays unchanged, and one that is removed. */
const SAME = -1;
const GONE = -2;
const [CARET, BACKSLASH, MINUS] = codesOf('^\\-');

interface CharacterSet {
  negated: boolean;
  codes: number[];
}

function parseSet(spec: string): CharacterSet {
  if (spec.length > MAX_WRITTEN)
    fail(
      Errors.ValueError,
      `a set of characters is written with at most ${MAX_WRITTEN} characters, got ${spec.length}; use ranges such as a-z`,
    );
  const chars = codesOf(spec);
  const negated = chars.length > 1 && chars[0] === CARET;
  const codes: number[] = [];
  for (let i = negated ? 1 : 0; i < chars.length; i++) {
    if (chars[i] === BACKSLASH && i + 1 < chars.length) i++;
    codes.push(chars[i]);
    // A minus after a range, or at the end, is a character.
    if (chars[i + 1] === MINUS && i + 2 < chars.length) addRange(codes, chars[(i += 2)], spec);
  }
  return { negated, codes };
}

/** Adds the characters after the last of `codes` up to `last`. */
function addRange(codes: number[], last: number, spec: string): void {
  const from = codes[codes.length - 1];
  if (last < from) fail(Errors.ValueError, `range in ${excerpt(spec)} runs backwards`);
  if (codes.length + last - from > MAX_SET)
    fail(Errors.ValueError, `ranges in ${excerpt(spec)} name too many characters`);
  for (let code = from + 1; code <= last; code++) if (code < FIRST_SURROGATE || code > LAST_SURROGATE) codes.push(code);
}

/** What becomes of each byte: the new one, and whether it stays (1) or goes (0). */
class ByteTable {
  private readonly next = new Uint8Array(LOW);
  private readonly stays = new Uint8Array(LOW);

  /** @param values what becomes of characters below `LOW`: such a character, SAME or GONE */
  constructor(values: Int32Array) {
    values.forEach((value, byte) => {
      this.next[byte] = value < 0 ? byte : value;
      this.stays[byte] = value === GONE ? 0 : 1;
    });
  }

  /** The text that bytes make after they were replaced in place. */
  rewritten(bytes: Buffer, length: number): string {
    const { next, stays } = this;
    let end = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[i];
      bytes[end] = next[byte];
      end += stays[byte];
    }
    return bytes.toString('latin1', 0, end);
  }
}

/** Maps characters to values: a table for the most frequent ones, a Map for the others. */
class CodeTable {
  readonly low: Int32Array;
  readonly high = new Map<number, number>();
  private forBytes: ByteTable | null | undefined;

  /** @param other value of characters that are not set */
  constructor(private readonly other: number) {
    this.low = new Int32Array(LOW).fill(other);
  }

  set(code: number, value: number): void {
    if (code < LOW) this.low[code] = value;
    else this.high.set(code, value);
  }

  get(code: number): number {
    return code < LOW ? this.low[code] : (this.high.get(code) ?? this.other);
  }

  /** The same table for bytes; null if a byte becomes a character above 255. Call it when all characters are set. */
  get bytes(): ByteTable | null {
    if (this.forBytes === undefined)
      this.forBytes = this.low.every((value) => value < LOW) ? new ByteTable(this.low) : null;
    return this.forBytes;
  }
}

/** Tables by their sets: programs use the same few again and again. */
const known = new Map<string, CodeTable>();
const MAX_KNOWN_TABLES = 200;
/** Maximum characters of a cached table's key, and maximum entries of its Map. */
const MAX_KEY = 64;
const MAX_HIGH = 500;

function remember(key: string, table: CodeTable): CodeTable {
  if (key.length > MAX_KEY || table.high.size > MAX_HIGH) return table;
  if (known.size >= MAX_KNOWN_TABLES) known.clear();
  known.set(key, table);
  return table;
}

/** A table with 1 for the characters in a set, otherwise 0. */
function members(spec: string): CodeTable {
  const key = `=${spec}`;
  return known.get(key) ?? remember(key, newMembers(parseSet(spec)));
}

/** A table with 1 for all characters. */
const ALL = new CodeTable(1);

function newMembers({ negated, codes }: CharacterSet): CodeTable {
  const table = new CodeTable(negated ? 1 : 0);
  for (const code of codes) table.set(code, negated ? 0 : 1);
  return table;
}

/**
 * The table of `tr`: maps characters of one set to those at the same positions of another; a character's last position
 * counts.
 */
function translation(from: string, to: string): CodeTable {
  const key = `${from.length}>${from}${to}`;
  const target = to === '^' || to[0] !== '^' ? to : `\\${to}`;
  return known.get(key) ?? remember(key, newTranslation(parseSet(from), parseSet(target).codes));
}

function newTranslation({ negated, codes }: CharacterSet, target: readonly number[]): CodeTable {
  const last = target.length === 0 ? GONE : target[target.length - 1];
  const table = new CodeTable(negated ? last : SAME);
  codes.forEach((code, i) => table.set(code, negated ? SAME : i < target.length ? target[i] : last));
  return table;
}

/** Builds a text by calling `write` for each character in order. */
function rewritten(text: string, write: (out: UnitText, code: number) => void): string {
  const out = new UnitText();
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code > 0xffff) i++;
    write(out, code);
  }
  return out.end();
}

/**
 * Returns a function that replaces the characters of one set by those at the same positions of another; call it for the
 * parts of a text in order.
 */
function translator(from: string, to: string, squeezed = false): (part: string) => string {
  const table = translation(from, to);
  let previous = SAME;
  const ofBytes = squeezed ? null : table.bytes;
  return (text) => {
    const bytes = ofBytes === null ? null : latin1Bytes(text);
    if (ofBytes !== null && bytes !== null) return ofBytes.rewritten(bytes, text.length);
    return rewritten(text, (out, code) => {
      const found = table.get(code);
      if (found === SAME) out.point(code);
      else if (found !== GONE && !(squeezed && found === previous)) out.point(found);
      previous = found;
    });
  };
}

/** Returns a function that shortens runs of one character to one, for all characters or those in a set. */
function squeezer(spec: string | null): (part: string) => string {
  const table = spec === null ? ALL : members(spec);
  let previous = SAME;
  return (text) => {
    const bytes = latin1Bytes(text);
    if (bytes === null)
      return rewritten(text, (out, code) => {
        if (code !== previous || table.get(code) === 0) out.point(code);
        previous = code;
      });
    let end = 0;
    for (let i = 0; i < text.length; i++) {
      const byte = bytes[i];
      bytes[end] = byte;
      end += byte === previous ? 1 - table.low[byte] : 1;
      previous = byte;
    }
    return bytes.toString('latin1', 0, end);
  };
}

/** Number of characters in a set. */
function* countSteps(text: string, spec: string): Generator<void, number, void> {
  const table = members(spec);
  let count = 0;
  yield* partsInSteps(text, (part) => {
    const bytes = latin1Bytes(part);
    if (bytes !== null) {
      for (let i = 0; i < part.length; i++) count += table.low[bytes[i]];
      return;
    }
    for (let i = 0; i < part.length; i++) {
      const code = part.codePointAt(i) as number;
      if (code > 0xffff) i++;
      count += table.get(code);
    }
  });
  return count;
}

// prettier-ignore
export const setRows: readonly Row[] = [
  ['tr', 'from: String, to: String', 'String', 'The text with the characters of one set (`a-y`, `^0-9`) replaced by those of another.', (vm: NativeContext, text: string, from: string, to: string) => made(vm, 'tr', text, translator(from, to))],
  ['tr_s', 'from: String, to: String', 'String', 'Like `tr`, with runs of the same new character shortened to one.', (vm: NativeContext, text: string, from: string, to: string) => made(vm, 'tr_s', text, translator(from, to, true))],
  ['delete', 'characters: String', 'String', 'The text without the characters of a set.', (vm: NativeContext, text: string, spec: string) => made(vm, 'delete', text, translator(spec, ''))],
  ['squeeze', 'characters: String? = nil', 'String', 'The text with runs of one character shortened to one, for all characters or those of a set.', (vm: NativeContext, text: string, spec: string | null) => made(vm, 'squeeze', text, squeezer(spec))],
  ['count', 'characters: String', 'Integer', 'Number of characters in a set.', (vm: NativeContext, text: string, spec: string) => overText(vm, 'count', text, countSteps(text, spec))],
];
