import { compact, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';
import type { Num } from '../declare.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './calendar.js';

export const DURATION = new HandleType('Duration');

/** Average length of a month: a twelfth of the 365.2425 days of an average year. */
export const MONTH_MS = (365.2425 / 12) * DAY_MS;
const MAX_YEARS = 10_000;
const MAX_MONTHS = 12 * MAX_YEARS;
const MAX_DAYS = 365.2425 * MAX_YEARS;
/** Up to this number, milliseconds have three decimals; larger ones are whole. */
const MAX_EXACT_MS = 9e12;

/** Units, and what each is in months, days and milliseconds. */
export const UNITS = {
  year: [12, 0, 0],
  month: [1, 0, 0],
  week: [0, 7, 0],
  day: [0, 1, 0],
  hour: [0, 0, HOUR_MS],
  minute: [0, 0, MINUTE_MS],
  second: [0, 0, SECOND_MS],
  millisecond: [0, 0, 1],
} as const;
export type Unit = keyof typeof UNITS;

/** Amounts of units, as `2 hours 30 minutes`. */
export type Parts = readonly (readonly [unit: Unit, amount: number])[];

/** A moment to which durations can be added. */
export abstract class Moment extends Handle {
  abstract shifted(by: DurationValue): Value;
}

/**
 * A length of time: months and days by the calendar, and time that passes. Months and days are whole; their lengths
 * depend on the date to which they are added. For comparisons months have their average length, and days 24 hours.
 * Immutable.
 */
export class DurationValue extends Handle {
  private constructor(
    readonly months: number,
    readonly days: number,
    readonly ms: number,
  ) {
    super();
  }

  /** A duration of these months, days and milliseconds. A fraction of a day becomes hours. @throws ValueError */
  static of(months: number, days: number, ms: number): DurationValue {
    if (Number.isNaN(months + days + ms)) fail(Errors.ValueError, 'a Duration needs a number, got nan');
    const wholeDays = Math.trunc(days);
    const rest = ms + (days - wholeDays) * DAY_MS;
    if (Math.abs(months) > MAX_MONTHS || Math.abs(days) > MAX_DAYS || Math.abs(rest) > MAX_DAYS * DAY_MS)
      fail(Errors.ValueError, `a Duration has at most ${MAX_YEARS} years`);
    if (!Number.isInteger(months))
      fail(Errors.ValueError, `a Duration has a whole number of months, got ${months}: count days instead`);
    const exact = Math.abs(rest) < MAX_EXACT_MS ? Math.round(rest * 1000) / 1000 : Math.round(rest);
    // Adding 0 turns -0 into 0.
    return new DurationValue(months + 0, wholeDays + 0, exact + 0);
  }

  /** The sum of amounts. @throws ValueError */
  static ofParts(parts: Parts): DurationValue {
    const sum = [0, 0, 0];
    for (const [unit, amount] of parts) UNITS[unit].forEach((size, i) => (sum[i] += size === 0 ? 0 : size * amount));
    return DurationValue.of(sum[0], sum[1], sum[2]);
  }

  get type(): HandleType {
    return DURATION;
  }

  /** Milliseconds, with months of average length and days of 24 hours. */
  get length(): number {
    return this.months * MONTH_MS + this.days * DAY_MS + this.ms;
  }

  get seconds(): number {
    return this.length / SECOND_MS;
  }

  /** Amounts in descending order of their units: years, months, days, hours, minutes, seconds with a fraction. */
  get parts(): Parts {
    const { months, days, ms } = this;
    const seconds = Math.round((ms % MINUTE_MS) * 1000) / 1e6;
    return [
      ['year', Math.trunc(months / 12) + 0],
      ['month', (months % 12) + 0],
      ['day', days],
      ['hour', Math.trunc(ms / HOUR_MS) + 0],
      ['minute', (Math.trunc(ms / MINUTE_MS) % 60) + 0],
      ['second', seconds + 0],
    ];
  }

  override describe(): string {
    const texts = this.parts
      .filter(([, amount]) => amount !== 0)
      .map(([unit, amount]) => `${amount} ${unit}${Math.abs(amount) === 1 ? '' : 's'}`);
    return texts.join(' ') || '0 seconds';
  }

  /** ISO 8601: `P1Y2M10DT2H30M`. A sign before P applies to all amounts, one before an amount to it alone. */
  iso(): string {
    const { parts } = this;
    const isNegative = !parts.some(([, amount]) => amount > 0) && parts.some(([, amount]) => amount < 0);
    const texts = parts.map(([unit, amount]) =>
      amount === 0 ? '' : `${isNegative ? -amount : amount}${unit[0].toUpperCase()}`,
    );
    const [date, time] = [texts.slice(0, 3).join(''), texts.slice(3).join('')];
    return `${isNegative ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}${date + time === '' ? 'T0S' : ''}`;
  }

  /** The JSON form: ISO 8601. */
  toJsonValue(): Value {
    return this.iso();
  }

  override equals(other: object): boolean {
    return other instanceof DurationValue && other.length === this.length;
  }

  override equalityKey(): string {
    return String(this.length);
  }

  override compare(other: Handle): number | null {
    return other instanceof DurationValue ? Math.sign(this.length - other.length) : null;
  }

  override plus(other: Value): Value | null {
    if (other instanceof Moment) return other.shifted(this);
    if (!(other instanceof DurationValue)) return null;
    return DurationValue.of(this.months + other.months, this.days + other.days, this.ms + other.ms);
  }

  override minus(other: Value): Value | null {
    return other instanceof DurationValue ? this.plus(other.negated()) : null;
  }

  /** 0, with which sums begin, may be on the left. */
  override addedTo(other: Value): Value | null {
    return other === 0 ? this : null;
  }

  override times(other: Value): Value | null {
    if (!isNumber(other)) return null;
    const n = toDouble(other);
    // An infinite factor makes nan of 0.
    const scaled = (amount: number): number => (amount === 0 ? 0 : amount * n);
    return DurationValue.of(scaled(this.months), scaled(this.days), scaled(this.ms));
  }

  override dividedBy(other: Value): Value | null {
    const divisor = isNumber(other) ? toDouble(other) : other instanceof DurationValue ? other.length : null;
    if (divisor === null) return null;
    if (divisor === 0) fail(Errors.ZeroDivisionError, 'division by zero');
    return isNumber(other)
      ? DurationValue.of(this.months / divisor, this.days / divisor, this.ms / divisor)
      : new Float(this.length / divisor);
  }

  override negated(): DurationValue {
    return new DurationValue(0 - this.months, 0 - this.days, 0 - this.ms);
  }
}

/** Converts a whole number to an Integer, any other to a Float. */
export function wholeOrFloat(n: number): Num {
  return Number.isSafeInteger(n) ? compact(n) : new Float(n);
}

/** An argument in seconds: a Duration becomes its number of seconds, anything else stays as it is. */
export function inSeconds<T>(value: T | DurationValue): T | Num {
  return value instanceof DurationValue ? wholeOrFloat(value.seconds) : value;
}
