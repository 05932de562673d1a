import { Errors, fail } from '../../../vm/values/error.js';
import { HandleType, type Handle } from '../../../vm/values/handle.js';
import { isNumber, type Value } from '../../../vm/values/value.js';
import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import {
  addMonths,
  checkFields,
  DAY_MS,
  fieldsOf,
  offsetText,
  pad,
  wallOf,
  weekdayOf,
  type Fields,
} from './calendar.js';
import { DurationValue, Moment, wholeOrFloat } from './duration.js';
import { LOCAL, type Zone } from './zone.js';

export const DATE = new HandleType('Date');

/** Moments between these are in the years 1 to 9999 in every zone. */
const SURELY_FROM = wallOf([1, 1, 3, 0, 0, 0, 0]);
const SURELY_TO = wallOf([9999, 12, 29, 0, 0, 0, 0]);
/** Moments beyond these are in other years in every zone. */
const EARLIEST = SURELY_FROM - 7 * DAY_MS;
const LATEST = SURELY_TO + 7 * DAY_MS;

/** A moment as seen by programs, to the millisecond; its fields are in its time zone. Immutable. */
export class DateValue extends Moment {
  readonly ms: number;
  private knownWall: number | null = null;
  private knownFields: Fields | null = null;

  /**
   * @param ms milliseconds since the epoch
   * @throws OverflowError outside the years 1 to 9999
   */
  constructor(
    ms: number,
    readonly zone: Zone = LOCAL,
  ) {
    super();
    this.ms = Math.round(ms) + 0;
    if (this.ms > SURELY_FROM && this.ms < SURELY_TO) return;
    // Zones do not know moments that are too far away.
    const year = this.ms > EARLIEST && this.ms < LATEST ? this.fields[0] : 0;
    if (year < 1 || year > 9999) tooFar();
  }

  get type(): HandleType {
    return DATE;
  }

  get fields(): Fields {
    return (this.knownFields ??= fieldsOf(this.wall));
  }

  /** 0 is Sunday. */
  get weekday(): number {
    return weekdayOf(this.wall);
  }

  /** Seconds by which the clocks of its zone are ahead of UTC. */
  get offset(): number {
    return (this.wall - this.ms) / 1000;
  }

  /** What the clocks show, as milliseconds. */
  get wall(): number {
    return (this.knownWall ??= this.ms + this.zone.offsetAt(this.ms));
  }

  override describe(): string {
    return this.iso(this.ms % 1000 === 0 ? 0 : 3);
  }

  /** ISO 8601, with a number of decimals of the second. */
  iso(decimals: number): string {
    const [year, month, day, hour, minute, second, ms] = this.fields;
    const fraction = decimals === 0 ? '' : `.${pad(ms, 3).padEnd(decimals, '0').slice(0, decimals)}`;
    return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}${zoneText(this.offset)}`;
  }

  /** The JSON form: ISO 8601. */
  toJsonValue(): Value {
    return this.describe();
  }

  override equals(other: object): boolean {
    return other instanceof DateValue && other.ms === this.ms;
  }

  override equalityKey(): string {
    return String(this.ms);
  }

  override compare(other: Handle): number | null {
    return other instanceof DateValue ? Math.sign(this.ms - other.ms) : null;
  }

  override plus(other: Value): Value | null {
    if (other instanceof DurationValue) return this.shifted(other);
    return isNumber(other) ? this.addDays(toDouble(other)) : null;
  }

  override minus(other: Value): Value | null {
    if (other instanceof DurationValue) return this.shifted(other.negated());
    if (isNumber(other)) return this.addDays(-toDouble(other));
    return other instanceof DateValue ? wholeOrFloat(other.daysTo(this)) : null;
  }

  /** The same moment in another zone. @throws OverflowError */
  inZone(zone: Zone): DateValue {
    return new DateValue(this.ms, zone);
  }

  /** The moment at which the clocks of the zone show a wall time. @throws OverflowError */
  at(wall: number): DateValue {
    return dateAt(wall, this.zone);
  }

  /** Adds months, then days, at the same time of day, then the time that passes. @throws OverflowError */
  shifted({ months, days, ms }: DurationValue): DateValue {
    if (months === 0 && days === 0) return this.addMs(ms);
    return this.at(addMonths(this.wall, months) + days * DAY_MS).addMs(ms);
  }

  /** The same time of day `days` days later; a fraction of a day is added as hours. @throws OverflowError */
  addDays(days: number): DateValue {
    const whole = Math.trunc(days);
    const moved = whole === 0 ? this : this.at(this.wall + whole * DAY_MS);
    return moved.addMs((days - whole) * DAY_MS);
  }

  addMs(ms: number): DateValue {
    return ms === 0 ? this : new DateValue(this.ms + ms, this.zone);
  }

  /**
   * The number that `addDays` needs for a later or earlier date: whole days by this date's calendar, then the time that
   * passes in days of 24 hours. The 25th hour of a day on which the clocks are set back is as near to a whole day as a
   * number can be.
   */
  daysTo({ ms }: DateValue): number {
    const sign = ms < this.ms ? -1 : 1;
    const after = (days: number): number =>
      days === 0 ? this.ms : this.zone.momentOf(this.wall + sign * days * DAY_MS);
    const left = (days: number): number => (ms - after(days)) * sign;
    // Repeated and skipped times are at most a day from those that the clocks show.
    let whole = Math.max(0, Math.floor(((ms + this.zone.offsetAt(ms) - this.wall) * sign) / DAY_MS));
    while (left(whole + 1) >= 0) whole++;
    while (whole > 0 && left(whole) < 0) whole--;
    const next = (whole + 1) * (1 - Number.EPSILON / 2);
    return sign * Math.min(whole + left(whole) / DAY_MS, next);
  }

  /** Days from `other` to this date by the calendar of this one; a day on which the clocks change counts as one. */
  daysSince(other: DateValue): number {
    return (this.wall - other.inZone(this.zone).wall) / DAY_MS;
  }
}

function tooFar(): never {
  return fail(Errors.OverflowError, 'the date would be outside the years 1 to 9999');
}

/** `Z` or the offset; historical zones include seconds. */
function zoneText(offset: number): string {
  return offset === 0 ? 'Z' : offsetText(offset, ':', offset % 60 !== 0);
}

/** The moment at which the clocks of a zone show a wall time. @throws OverflowError */
function dateAt(wall: number, zone: Zone): DateValue {
  if (!(wall > EARLIEST && wall < LATEST)) tooFar();
  return new DateValue(zone.momentOf(wall), zone);
}

/**
 * The moment with these fields, in a zone; or `offset` seconds ahead of UTC, shown in the zone. @throws ValueError,
 * OverflowError
 */
export function dateOf(fields: Fields, offset: number | null, zone: Zone = LOCAL): DateValue {
  checkFields(fields);
  const wall = wallOf(fields);
  return offset === null ? dateAt(wall, zone) : new DateValue(wall - offset * 1000, zone);
}
