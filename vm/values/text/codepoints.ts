/** Code-point view of JavaScript strings, with a fast path for strings without surrogates. */

import { charge } from '../cost.js';
import { UnitText } from './textbuilder.js';

const SURROGATE = /[\ud800-\udfff]/;

let lastText = '';
let lastPlain = true;
let lastShortText = '';
let lastShortPlain = true;

/**
 * Whether `text` has no surrogates, so that UTF-16 units are code points. Remembers the last long and the last short
 * text, because loops index one text repeatedly.
 */
export function isPlain(text: string): boolean {
  if (text.length < 32) {
    if (text === lastShortText) return lastShortPlain;
    lastShortText = text;
    return (lastShortPlain = !SURROGATE.test(text));
  }
  if (text === lastText) return lastPlain;
  charge(text.length >>> 4);
  lastText = text;
  lastPlain = !SURROGATE.test(text);
  return lastPlain;
}

/** Number of code points. */
export function length(text: string): number {
  if (isPlain(text)) return text.length;
  charge(text.length);
  let n = 0;
  for (let i = 0; i < text.length; n++) i += unitsAt(text, i);
  return n;
}

function unitsAt(text: string, unit: number): number {
  return (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
}

/** UTF-16 offset of code point `index`; at most the text's length. */
export function unitOffset(text: string, index: number): number {
  if (isPlain(text)) return Math.min(index, text.length);
  charge(Math.min(index, text.length));
  let unit = 0;
  for (let i = 0; i < index && unit < text.length; i++) unit += unitsAt(text, unit);
  return unit;
}

/** Code-point index of UTF-16 offset `unit`. */
export function pointIndex(text: string, unit: number): number {
  return isPlain(text) ? unit : length(text.slice(0, unit));
}

/** The character at an index, which counts from the end if it is negative; nil outside the text. */
export function characterAt(text: string, index: number): string | null {
  if (isPlain(text)) return text[index < 0 ? index + text.length : index] ?? null;
  const i = index < 0 ? index + length(text) : index;
  return (i < 0 ? '' : slice(text, i, 1)) || null;
}

/** `count` code points, starting at index `start`. */
export function slice(text: string, start: number, count: number): string {
  if (isPlain(text)) return text.slice(start, start + count);
  const from = unitOffset(text, start);
  return text.slice(from, from + unitOffset(text.slice(from), count));
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
