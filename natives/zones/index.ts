import { fromEpochMilliseconds, toZonedDateTimeISO } from 'temporal-polyfill/fns/Instant';
import { create, toZonedDateTime } from 'temporal-polyfill/fns/PlainDateTime';
import { offsetNanoseconds } from 'temporal-polyfill/fns/ZonedDateTime';
import { setZoneRules, type ZoneRules } from '../core/dates/zone.js';

/** Rules of the tz database as in Intl, by Temporal: that of the platform, or its polyfill. */
const rules: ZoneRules = {
  find(name) {
    try {
      return toZonedDateTimeISO(fromEpochMilliseconds(0), name).timeZoneId;
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  },
  offsetAt: (name, ms) => offsetNanoseconds(toZonedDateTimeISO(fromEpochMilliseconds(ms), name)) / 1e6,
  momentOf: (name, fields) => toZonedDateTime(create(...fields), name).epochMilliseconds,
};

/** Loads the rules of named time zones. */
export function installZones(): void {
  setZoneRules(rules);
}
