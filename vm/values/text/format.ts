import { length, slice } from './codepoints.js';
import { finish } from '../steps.js';
import { charge } from '../cost.js';
import { exponentialText, fixedText, generalText } from './decimal.js';
import { Errors, fail } from '../error.js';
import { Numeric } from '../numbers/numeric.js';
import { Hash } from '../hash.js';
import { floatText, inspect, toText } from './text.js';
import { textSteps } from '../textsteps.js';
import { kindName } from '../types.js';
import { Float, isInteger, isNumber, type Value } from '../value.js';
import { failTextTooLong, MAX_STRING } from '../limits.js';

/** Maximum precision; a double has at most 1,074 decimals. */
const MAX_PRECISION = 10_000;

/** One `%` directive. A width or precision of '*' is taken from the values. */
interface Directive {
  text: string;
  position: number;
  flags: string;
  width: string;
  precision: string | null;
  name: string | null;
  /** `{` for `%{name}`. */
  conversion: string;
  /** For a directive that shows the next Integer in decimal without a sign: what fills it up to its width; else null. */
  filler: string | null;
  /** The width, if there is a filler. */
  columns: number;
}

/** Directives that show the next Integer in decimal, with an own width or none. */
const DECIMAL = /^%(0?)(\d{0,3})d$/;

const DIRECTIVE =
  /%(?:(\d+)\$)?([-+ 0#,]*)(\d+|\*)?(\.(?:\d+|\*)?)?(?:<([^>\n]*)>([-+ 0#,]*)(\d+)?(\.\d*)?)?(?:\{([^}\n]*)\}|([a-zA-Z%]))?/g;

const cache = new Map<string, (string | Directive)[]>();
const CACHE_SIZE = 500;
const MAX_CACHED_LENGTH = 10_000;

/** Literal texts and directives of a format, from the cache if already parsed. */
function parse(format: string): (string | Directive)[] {
  return cache.get(format) ?? finish(parseSteps(format));
}

/** Directives parsed in one step. */
const BATCH = 128;

function* parseSteps(format: string): Generator<void, (string | Directive)[], void> {
  const parts: (string | Directive)[] = [];
  let end = 0;
  let count = 0;
  for (const match of format.matchAll(DIRECTIVE)) {
    if (match.index > end) parts.push(format.slice(end, match.index));
    parts.push(toDirective(match));
    end = match.index + match[0].length;
    if (++count % BATCH === 0) yield;
  }
  if (end < format.length) parts.push(format.slice(end));
  if (cache.size >= CACHE_SIZE) cache.clear();
  if (format.length <= MAX_CACHED_LENGTH) cache.set(format, parts);
  return parts;
}

function toDirective([
  text,
  position,
  flags,
  width,
  precision,
  name,
  flags2,
  width2,
  precision2,
  braced,
  letter,
]: RegExpExecArray): Directive {
  const conversion = braced !== undefined ? '{' : letter;
  if (conversion === undefined || !'diufeEgGxXobBscp%{'.includes(conversion))
    fail(Errors.ValueError, `format(): '${text}' is no directive; write %% for a percent sign`);
  const dot = precision ?? precision2 ?? null;
  return {
    text,
    position: position === undefined ? 0 : Number(position),
    flags: flags + (flags2 ?? ''),
    width: width ?? width2 ?? '',
    precision: dot === null ? null : dot.slice(1) || '0',
    name: braced ?? name ?? null,
    conversion,
    filler: DECIMAL.test(text) ? (flags === '0' ? '0' : ' ') : null,
    columns: Number(width ?? ''),
  };
}

/** The text that a record makes of itself for `%s` and `%{name}`; undefined for all other values. */
type OwnText = (value: Value) => string | undefined;

/**
 * Fills the directives of a format with values, as `sprintf` does.
 * @throws ArgumentError, TypeError, KeyError, ValueError
 */
export function formatText(format: string, values: readonly Value[], own: OwnText = noOwnText): string {
  charge(format.length * 20);
  const formatter = new Formatter(values, own);
  const parts = parse(format);
  let out = '';
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const text = typeof part === 'string' ? part : formatter.render(part);
    if (out.length + text.length > MAX_STRING) failTextTooLong();
    out += text;
  }
  return out;
}

/** As `formatText`, in steps, for long formats and values with long texts. */
export function* formatSteps(
  format: string,
  values: readonly Value[],
  own: OwnText = noOwnText,
): Generator<void, string, void> {
  const formatter = new Formatter(values, own);
  let out = '';
  for (const part of yield* parseSteps(format)) {
    const text = typeof part === 'string' ? part : yield* formatter.renderSteps(part);
    if (out.length + text.length > MAX_STRING) failTextTooLong();
    out += text;
    yield;
  }
  return out;
}

function noOwnText(): undefined {}

class Formatter {
  private next = 0;

  constructor(
    private readonly values: readonly Value[],
    private readonly own: OwnText,
  ) {}

  render(directive: Directive): string {
    if (directive.conversion === '%') return '%';
    const next = directive.filler === null ? null : this.values[this.next];
    if (typeof next === 'number' && next >= 0) {
      this.next++;
      return String(next).padStart(directive.columns, directive.filler as string);
    }
    const { value, width, precision, left } = this.read(directive);
    return pad(convert(directive, value, precision, left ? 0 : width, this.own), Math.abs(width), left);
  }

  *renderSteps(directive: Directive): Generator<void, string, void> {
    if (!'sp{'.includes(directive.conversion)) return this.render(directive);
    const { value, width, precision, left } = this.read(directive);
    const isQuoted = directive.conversion === 'p';
    const text = (isQuoted ? undefined : this.own(value)) ?? (yield* textSteps(value, isQuoted));
    return pad(cut(text, precision), Math.abs(width), left);
  }

  private read(directive: Directive): { value: Value; width: number; precision: number | null; left: boolean } {
    const width = directive.width === '' ? 0 : this.size(directive.width, directive);
    const precision = directive.precision === null ? null : this.size(directive.precision, directive);
    if (precision !== null && precision > MAX_PRECISION)
      fail(Errors.ValueError, `format(): the precision of '${directive.text}' is greater than ${MAX_PRECISION}`);
    return { value: this.take(directive), width, precision, left: directive.flags.includes('-') || width < 0 };
  }

  private size(given: string, directive: Directive): number {
    if (given !== '*') return Number(given);
    const value = this.values[this.next++];
    return typeof value === 'number'
      ? value
      : fail(Errors.TypeError, `format(): '*' of '${directive.text}' needs an Integer`);
  }

  private take({ name, position, text }: Directive): Value {
    if (name !== null) return this.named(name);
    const index = position > 0 ? position - 1 : this.next++;
    if (index >= this.values.length)
      fail(Errors.ArgumentError, `format(): '${text}' has no value, ${this.values.length} given`);
    return this.values[index];
  }

  private named(name: string): Value {
    const [hash] = this.values;
    if (!(hash instanceof Hash)) return fail(Errors.ArgumentError, `format(): '${name}' needs a Hash of values`);
    return hash.get(name) ?? fail(Errors.KeyError, `format(): no key '${name}'`);
  }
}

function pad(text: string, width: number, left: boolean): string {
  const missing = width - length(text);
  if (missing <= 0) return text;
  if (width > MAX_STRING) failTextTooLong();
  return left ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

function convert(directive: Directive, value: Value, precision: number | null, width: number, own: OwnText): string {
  switch (directive.conversion) {
    case 's':
    case '{':
      return cut(own(value) ?? toText(value), precision);
    case 'p':
      return cut(inspect(value), precision);
    case 'c':
      return character(value, directive);
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return floating(directive, value, precision ?? 6, width);
    default:
      return integral(directive, value, precision, width);
  }
}

function cut(text: string, precision: number | null): string {
  return precision === null ? text : slice(text, 0, precision);
}

function character(value: Value, directive: Directive): string {
  if (typeof value === 'string' && value !== '') return slice(value, 0, 1);
  if (typeof value === 'number' && value >= 0 && value <= 0x10ffff) return String.fromCodePoint(value);
  return badType(directive, 'a character or the number of one', value);
}

function badType({ text }: Directive, wanted: string, value: Value): never {
  return fail(Errors.TypeError, `format(): '${text}' needs ${wanted}, got ${kindName(value)}`);
}

/** Digits with a comma between thousands, up to a point or an exponent. */
function grouped(digits: string): string {
  const end = /^\d*/.exec(digits)?.[0].length ?? 0;
  const parts: string[] = [];
  for (let at = end; at > 0; at -= 3) parts.push(digits.slice(Math.max(0, at - 3), at));
  return parts.reverse().join(',') + digits.slice(end);
}

/** Sign, prefix and digits, with the flag `,` in groups of thousands; with the flag 0, zeros between prefix and digits up to a width of `zeros`. */
function assemble(flags: string, negative: boolean, prefix: string, digits: string, zeros: number): string {
  const sign = negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  if (zeros > MAX_STRING) failTextTooLong();
  const shown = flags.includes(',') && prefix === '' ? grouped(digits) : digits;
  return sign + prefix + shown.padStart(zeros - sign.length - prefix.length, '0');
}

const BASES: Record<string, [base: number, prefix: string]> = {
  x: [16, '0x'],
  X: [16, '0X'],
  o: [8, '0'],
  b: [2, '0b'],
  B: [2, '0B'],
};

function integral(directive: Directive, value: Value, precision: number | null, width: number): string {
  const { flags, conversion } = directive;
  const n = toInteger(directive, value);
  const [base, prefix] = BASES[conversion] ?? [10, ''];
  const digits = (n < 0 ? -n : n).toString(base).padStart(precision ?? 0, '0');
  const zeros = flags.includes('0') && precision === null ? width : 0;
  return assemble(
    flags,
    n < 0,
    flags.includes('#') && Number(n) !== 0 ? prefix : '',
    conversion === 'X' ? digits.toUpperCase() : digits,
    zeros,
  );
}

function toInteger(directive: Directive, value: Value): number | bigint {
  if (isInteger(value)) return value;
  if (value instanceof Numeric) return value.toInteger();
  if (!(value instanceof Float)) return badType(directive, 'a Number', value);
  if (!Number.isFinite(value.n))
    fail(Errors.ValueError, `format(): '${directive.text}' cannot show ${floatText(value.n)}`);
  return BigInt(Math.trunc(value.n));
}

function floating(directive: Directive, value: Value, precision: number, width: number): string {
  const { flags, conversion } = directive;
  if (value instanceof Numeric) {
    if (conversion !== 'f') return floating(directive, new Float(value.toDouble()), precision, width);
    return assemble(flags, value.isNegative, '', value.fixedText(precision), flags.includes('0') ? width : 0);
  }
  if (!isNumber(value)) return badType(directive, 'a Number', value);
  if (conversion === 'f' && typeof value === 'bigint') return wholeFixed(value, flags, precision, width);
  const n = value instanceof Float ? value.n : Number(value);
  if (!Number.isFinite(n)) return assemble(flags, n < 0, '', floatText(Math.abs(n)), 0);
  const size = Math.abs(n);
  const kind = conversion.toLowerCase();
  const text =
    kind === 'f'
      ? fixedText(size, precision)
      : kind === 'e'
        ? exponentialText(size, precision)
        : generalText(size, precision, flags.includes('#'));
  const negative = n < 0 || Object.is(n, -0);
  return assemble(
    flags,
    negative,
    '',
    conversion === kind ? text : text.toUpperCase(),
    flags.includes('0') ? width : 0,
  );
}

/** Fixed-point text of a large Integer with all its digits. */
function wholeFixed(value: bigint, flags: string, precision: number, width: number): string {
  const digits = (value < 0n ? -value : value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
  return assemble(flags, value < 0n, '', digits, flags.includes('0') ? width : 0);
}
