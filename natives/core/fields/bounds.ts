/** Ranges in constraints of types: `Int(1..5)`, `Decimal(0...0.5d)`, `String(..200)`. */
import {
  compareExact,
  type ExactNumber,
  exactFloor,
  exactNumber,
  exactText,
} from '../../../vm/bytecode/exactnumbers.js';
import { length } from '../../../vm/values/text/codepoints.js';
import { Hash } from '../../../vm/values/hash.js';
import { normalize } from '../../../vm/values/numbers/arithmetic.js';
import { SetValue } from '../../../vm/values/set.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { Numeric } from '../../../vm/values/numbers/numeric.js';

/** An end of a range. */
interface Bound {
  exact: ExactNumber;
  /** What Floats are compared with: an Integer as it is, and the double nearest to other numbers. */
  plain: number | bigint;
  /** The number as messages and JSON write it. */
  text: string;
}

export interface Bounds {
  /** null if the range has no such end. */
  lo: Bound | null;
  hi: Bound | null;
  /** Whether the upper end is not included. */
  exclusive: boolean;
  /** The least and the greatest Integer in the range; infinite if there is none. */
  least: number | bigint;
  most: number | bigint;
}

/** The range in the text of a type, with its ends as `boundText` of the compiler writes them. */
export function boundsOf(text: string): Bounds {
  const [, start, dots, end] = /^(.*?)(\.\.\.?)(?=[^.]|$)(.*)$/.exec(text) ?? ['', '', '..', ''];
  const lo = boundOf(start);
  const hi = boundOf(end);
  const exclusive = dots.length === 3;
  // The least Integer that is not less than x is -floor(-x).
  const least = lo === null ? -Infinity : normalize(-exactFloor({ ...lo.exact, digits: -lo.exact.digits }));
  const floor = hi === null ? 0n : exactFloor(hi.exact);
  const isEnd = hi !== null && exclusive && compareExact({ digits: floor, decimals: 0 }, hi.exact) === 0;
  return { lo, hi, exclusive, least, most: hi === null ? Infinity : normalize(isEnd ? floor - 1n : floor) };
}

function boundOf(text: string): Bound | null {
  if (text === '') return null;
  const exact = exactNumber(text);
  const isInteger = /^-?\d+$/.test(text);
  const double = Number(text) + 0;
  return {
    exact,
    plain: isInteger ? normalize(exact.digits) : double,
    text: text.includes('e') ? String(double) : exactText(exact),
  };
}

/** Whether a number is in a range, or the length or size of another value. */
export function isWithin(bounds: Bounds, value: Value): boolean {
  if (typeof value === 'string') return isIntegerWithin(bounds, length(value));
  if (Array.isArray(value)) return isIntegerWithin(bounds, value.length);
  if (value instanceof Hash || value instanceof SetValue) return isIntegerWithin(bounds, value.size);
  if (typeof value === 'number' || typeof value === 'bigint') return isIntegerWithin(bounds, value);
  const { lo, hi, exclusive } = bounds;
  if (value instanceof Float)
    return (
      (lo === null || value.n >= lo.plain) && (hi === null || (exclusive ? value.n < hi.plain : value.n <= hi.plain))
    );
  const exact = exactNumber((value as Numeric).describe());
  if (lo !== null && compareExact(exact, lo.exact) < 0) return false;
  return hi === null || compareExact(exact, hi.exact) < (exclusive ? 0 : 1);
}

function isIntegerWithin({ least, most }: Bounds, n: number | bigint): boolean {
  return n >= least && n <= most;
}

/** What a range limits: a number itself, or how many of these a value has. */
type Unit = 'number' | 'character' | 'element' | 'entry';

function unitOf(value: Value): Unit {
  if (typeof value === 'string') return 'character';
  if (Array.isArray(value) || value instanceof SetValue) return 'element';
  return value instanceof Hash ? 'entry' : 'number';
}

/** What is wrong with a value that is not in a range: `must be at most 5`. */
export function boundsText(bounds: Bounds, value: Value): string {
  const unit = unitOf(value);
  return unit === 'number' ? numberText(bounds) : lengthText(bounds, unit);
}

function numberText({ lo, hi, exclusive }: Bounds): string {
  const most = hi === null ? '' : exclusive ? `less than ${hi.text}` : `at most ${hi.text}`;
  if (lo === null) return `must be ${most}`;
  if (hi === null) return `must be at least ${lo.text}`;
  return exclusive ? `must be at least ${lo.text} and ${most}` : `must be ${lo.text} to ${hi.text}`;
}

function lengthText({ least, most }: Bounds, unit: Unit): string {
  const units = (n: number | bigint): string => (n === 1 ? unit : unit === 'entry' ? 'entries' : `${unit}s`);
  if (most === Infinity) return `must have at least ${least} ${units(least)}`;
  if (least === most) return `must have exactly ${least} ${units(least)}`;
  return least <= 0 ? `must have at most ${most} ${units(most)}` : `must have ${least} to ${most} ${units(most)}`;
}
