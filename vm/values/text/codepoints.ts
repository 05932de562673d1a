/** Code-point view of JavaScript strings, with a fast path for strings without surrogates. */

import { charge } from '../cost.js';
import { UnitText } from './textbuilder.js';

const SURROGATE = /[\ud800-\udfff]/;

/** Texts shorter than this are looked at again each time, but for the last one. */
const SHORT = 32;
/** Texts shorter than this are not indexed. */
const INDEXED = 64;
/** Code points between two offsets of an index. */
const APART = 32;
/** Of texts longer than this only one is remembered, since they need memory. */
const LONG = 1 << 16;

let lastShortText = '';
let lastShortPlain = true;

/** Where the code points of a text with surrogates are, as far as it has been asked for. */
class Index {
  /** UTF-16 offset of each code point whose number is a multiple of APART. */
  private readonly offsets: number[] = [];
  /** Number of code points looked at, and the offset after them. */
  private count = 0;
  private end = 0;

  constructor(private readonly text: string) {}

  /** Looks at code points until there are `count`, or the offset after them is at least `end`. */
  private extend(count: number, end: number): void {
    const { text, offsets } = this;
    charge(Math.max(0, Math.min(count - this.count, end - this.end)));
    while (this.count < count && this.end < end) {
      if (this.count % APART === 0) offsets.push(this.end);
      this.end += unitsAt(text, this.end);
      this.count++;
    }
  }

  /** Number of code points. */
  get length(): number {
    this.extend(Infinity, this.text.length);
    return this.count;
  }

  unitOffset(index: number): number {
    this.extend(index, this.text.length);
    if (index >= this.count) return this.end;
    if (index <= 0) return 0;
    let unit = this.offsets[Math.floor(index / APART)];
    for (let n = index % APART; n > 0; n--) unit += unitsAt(this.text, unit);
    return unit;
  }

  pointIndex(unit: number): number {
    this.extend(Infinity, unit);
    let [low, high] = [0, this.offsets.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    let n = low * APART;
    for (let at = this.offsets[low]; at < unit; n++) at += unitsAt(this.text, at);
    return n;
  }
}

/** What is known of a text. */
class Known {
  private made: Index | null = null;

  constructor(
    readonly text: string,
    readonly isPlain: boolean,
  ) {}

  get index(): Index {
    return (this.made ??= new Index(this.text));
  }
}

/** The last few texts, because loops index the same ones repeatedly; a comparison of two texts indexes both in turn. */
const recent: Known[] = new Array<Known>(4).fill(new Known('', true));
/** The place of the last text, and the one that the next new text takes. */
let current = 0;
let free = 0;
let lastLong = recent[0];

function known(text: string): Known {
  if (text.length > LONG) return text === lastLong.text ? lastLong : (lastLong = examined(text));
  if (text === recent[current].text) return recent[current];
  for (let i = 0; i < recent.length; i++) if (text === recent[i].text) return recent[(current = i)];
  current = free;
  free = (free + 1) % recent.length;
  return (recent[current] = examined(text));
}

function examined(text: string): Known {
  charge(text.length >>> 4);
  return new Known(text, !SURROGATE.test(text));
}

/** Whether `text` has no surrogates, so that UTF-16 units are code points. */
export function isPlain(text: string): boolean {
  if (text.length >= SHORT) return known(text).isPlain;
  if (text === lastShortText) return lastShortPlain;
  lastShortText = text;
  return (lastShortPlain = !SURROGATE.test(text));
}

/** Number of code points. */
export function length(text: string): number {
  if (isPlain(text)) return text.length;
  return text.length < INDEXED ? pointsUpTo(text, text.length) : known(text).index.length;
}

/** Number of code points that begin before a UTF-16 offset. */
function pointsUpTo(text: string, end: number): number {
  let n = 0;
  for (let unit = 0; unit < end; n++) unit += unitsAt(text, unit);
  return n;
}

function unitsAt(text: string, unit: number): number {
  return (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
}

/** UTF-16 offset of code point `index`; at most the text's length. */
export function unitOffset(text: string, index: number): number {
  return isPlain(text) ? Math.min(index, text.length) : offsetAmongPairs(text, index);
}

/** As `unitOffset`, for a text with surrogates. */
function offsetAmongPairs(text: string, index: number): number {
  if (text.length >= INDEXED) return known(text).index.unitOffset(index);
  let unit = 0;
  for (let i = 0; i < index && unit < text.length; i++) unit += unitsAt(text, unit);
  return unit;
}

/** Code-point index of UTF-16 offset `unit`. */
export function pointIndex(text: string, unit: number): number {
  if (isPlain(text)) return unit;
  return text.length < INDEXED ? pointsUpTo(text, unit) : known(text).index.pointIndex(unit);
}

/** The character at an index, which counts from the end if it is negative; nil outside the text. */
export function characterAt(text: string, index: number): string | null {
  if (isPlain(text)) return text[index < 0 ? index + text.length : index] ?? null;
  const i = index < 0 ? index + length(text) : index;
  if (i < 0) return null;
  const unit = offsetAmongPairs(text, i);
  return unit === text.length ? null : text.slice(unit, unit + unitsAt(text, unit));
}

/** `count` code points, starting at index `start`. */
export function slice(text: string, start: number, count: number): string {
  if (isPlain(text)) return text.slice(start, start + count);
  return text.slice(offsetAmongPairs(text, start), offsetAmongPairs(text, start + count));
}

/** All code points as strings. */
export function points(text: string): string[] {
  return isPlain(text) ? text.split('') : Array.from(text);
}

/** The numbers of all code points; the text must not be too long for a vector. */
export function codesOf(text: string): number[] {
  const out: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code > 0xffff) i++;
    out.push(code);
  }
  return out;
}

/** The code points in reverse order. */
export function reversed(text: string): string {
  const out = new UnitText();
  for (let i = text.length - 1; i >= 0; i--) {
    const unit = text.charCodeAt(i);
    const pair = unit >= 0xdc00 && unit <= 0xdfff && i > 0 ? (text.codePointAt(i - 1) as number) : 0;
    if (pair > 0xffff) {
      out.unit(text.charCodeAt(--i));
      out.unit(text.charCodeAt(i + 1));
    } else out.unit(unit);
  }
  return out.end();
}

/** Whether an offset lies between the two units of a surrogate pair. */
export function isInPair(text: string, at: number): boolean {
  return (
    at > 0 &&
    at < text.length &&
    (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  );
}
