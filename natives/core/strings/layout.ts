import { STEP } from '../../../vm/values/steps.js';
import { length, points, slice } from '../../../vm/values/text/codepoints.js';
import { quickly } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { Gathered } from '../gathered.js';
import { checkElements, checkText } from '../limits.js';
import { overText, partsInSteps } from './stepwise.js';

/** From this many UTF-16 units a text may have more characters than a vector can have elements. */
const COUNT_THRESHOLD = 1 << 26;

/** `count` characters of repeated padding. */
function padding(pad: string, count: number): string {
  checkText(count);
  const size = length(pad);
  return pad.repeat(Math.floor(count / size)) + slice(pad, 0, count % size);
}

/** `text` in a field of `width` characters; the fraction `share` of the padding goes to the left. */
function padded(text: string, width: Int, pad: string, share: number): string {
  if (pad === '') fail(Errors.ValueError, 'padding must not be empty');
  const missing = Math.max(0, Number(width) - length(text));
  const left = Math.floor(missing * share);
  const result = padding(pad, left) + text + padding(pad, missing - left);
  checkText(result.length);
  return result;
}

function zeroFilled(text: string, width: Int): string {
  const sign = /^[-+]/.exec(text)?.[0] ?? '';
  return sign + padded(text.slice(sign.length), Number(width) - sign.length, '0', 1);
}

/** A line with its end, or the last one without. */
const LINE = /[^\n]*\n|[^\n]+/g;

/** Lines of a text, with their ends or without. */
export function* lineSteps(text: string, without: boolean): Generator<void, string[], void> {
  const out = new Gathered<string>();
  for (let lo = 0; lo < text.length;) {
    const part = text.slice(lo, linesEnd(text, lo));
    // A single line may be as long as the text.
    const lines = part.length > STEP ? [part] : (part.match(LINE) as string[]);
    out.addAll(without ? lines.map((line) => chomp(line, null)) : lines);
    lo += part.length;
    if (lo < text.length) yield;
  }
  return yield* out.all();
}

/** End of the lines that begin at `lo` and fit into a step, or of the first line if that is longer. */
function linesEnd(text: string, lo: number): number {
  const hi = lo + STEP;
  if (hi >= text.length) return text.length;
  const end = text.lastIndexOf('\n', hi - 1) + 1;
  if (end > lo) return end;
  const found = text.indexOf('\n', hi);
  return found < 0 ? text.length : found + 1;
}

/** Maximum length of a text whose blanks are found within a microsecond. */
const SHORT = 256;

function shortStrip(text: Value): string | undefined {
  return (text as string).length < SHORT ? (text as string).trim() : undefined;
}

function shortChomp(text: Value, suffix: Value): string | undefined {
  return (text as string).length < SHORT ? chomp(text as string, suffix as string | null) : undefined;
}

function chomp(text: string, suffix: string | null): string {
  if (suffix !== null) return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  const end = text.endsWith('\r\n') ? 2 : text.endsWith('\n') || text.endsWith('\r') ? 1 : 0;
  return end === 0 ? text : text.slice(0, -end);
}

/** @throws MemoryError when a text has too many characters for a vector */
export function checkCharacters(text: string): void {
  checkElements(text.length < COUNT_THRESHOLD ? 0 : length(text));
}

/** All characters. @throws MemoryError when there are too many for a vector */
export function* characterSteps(text: string): Generator<void, string[], void> {
  if (text.length <= STEP) return points(text);
  const out = new Gathered<string>();
  checkCharacters(text);
  yield* partsInSteps(text, (part) => out.addAll(points(part)));
  return yield* out.all();
}

function chop(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.slice(0, text.length - (points(text.slice(-2)).at(-1)?.length ?? 0));
}

type Padding = (_: unknown, text: string, width: Int, pad: string) => Value;

const padder =
  (share: number): Padding =>
  (_, text, width, pad) =>
    padded(text, width, pad, share);

// prettier-ignore
export const layoutRows: readonly Row[] = [
  ['center', 'width: Integer, pad: String = " "', 'String', 'The text in the middle of a field of `width` characters.', padder(0.5)],
  ['ljust', 'width: Integer, pad: String = " "', 'String', 'The text at the left of a field of `width` characters.', padder(0)],
  ['rjust', 'width: Integer, pad: String = " "', 'String', 'The text at the right of a field of `width` characters.', padder(1)],
  ['zfill', 'width: Integer', 'String', 'The text with zeros in front, after its sign, up to `width` characters.', (_: unknown, text: string, width: Int) => zeroFilled(text, width)],
  ['strip', '', 'String', 'The text without blanks at both ends.', quickly(shortStrip, (_: unknown, text: string) => text.trim())],
  ['lstrip', '', 'String', 'The text without blanks at its start.', (_: unknown, text: string) => text.trimStart()],
  ['rstrip', '', 'String', 'The text without blanks at its end.', (_: unknown, text: string) => text.trimEnd()],
  ['chomp', 'suffix: String? = nil', 'String', 'The text without the line end, or the suffix, at its end.', quickly(shortChomp, (_: unknown, text: string, suffix: string | null) => chomp(text, suffix))],
  ['chop', '', 'String', 'The text without its last character.', (_: unknown, text: string) => chop(text)],
  ['lines each_line', 'chomp: Boolean = false', 'Vector', 'The lines of the text, with their ends or without.', (vm: NativeContext, text: string, without: boolean) => overText(vm, 'lines', text, lineSteps(text, without))],
  ['chars each_char', '', 'Vector', 'The characters of the text.', (vm: NativeContext, text: string) => overText(vm, 'chars', text, characterSteps(text))],
];
