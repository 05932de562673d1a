import { mutationsOf, type Mutation } from './mutation.js';

const FOLDER = 'test/natives/core/dates';
const ZONES = [`${FOLDER}/zones.unit.ts`, 'spec:core/dates'];
const DURATIONS = [`${FOLDER}/duration.unit.ts`, 'spec:core/durations'];

/** Dates, time zones and durations. */
// prettier-ignore
export const DATES: readonly Mutation[] = [
  ...mutationsOf('natives/core/dates/calendar.ts', ZONES, {
    'a day that a month does not have leads into the next one': ['date.getUTCDate() === day ? date.getTime() : date.setUTCDate(0)', 'date.getTime()'],
    'weeks belong to the year that contains their Monday': ['% 7) + 3;', '% 7);'],
  }),
  ...mutationsOf('natives/core/dates/date.ts', ZONES, {
    'days are time that passes': ['whole === 0 ? this : this.at(this.wall + whole * DAY_MS)', 'this.addMs(whole * DAY_MS)'],
    'a time that clocks repeat becomes the first': ['if (months === 0 && days === 0) return this.addMs(ms);', ''],
    'days are added before months': ['this.at(addMonths(this.wall, months) + days * DAY_MS)', 'this.at(addMonths(this.wall + days * DAY_MS, months))'],
    'the zone is lost when time is added': ['new DateValue(this.ms + ms, this.zone)', 'new DateValue(this.ms + ms)'],
    'years after 9999 are dates': ['year < 1 || year > 9999', 'year < 1'],
  }),
  ...mutationsOf('natives/core/dates/zone.ts', ZONES, {
    'names of zones have any length': ['if (text.length > MAX_NAME)', 'if (false)'],
    'cities are not suggested': ["all.set(name.slice(name.lastIndexOf('/') + 1).toLowerCase(), name);", ''],
  }),
  ...mutationsOf('natives/core/dates/periods.ts', ZONES, {
    'weeks start on Sunday': ['((weekdayOf(wall) + 6) % 7)', 'weekdayOf(wall)'],
    'a period ends when the next one begins': ['date.at(next).addMs(-1)', 'date.at(next)'],
    'differences count incomplete days': ['if (days !== 0 && rest() * days < 0) days -= Math.sign(days);', ''],
    'differences count incomplete months': ['> 0 ? months - sign : months', '> 0 ? months : months'],
  }),
  ...mutationsOf('natives/core/dates/scan.ts', [`${FOLDER}/parse.unit.ts`], {
    'the rest of a text is ignored': ["if (this.at < this.text.length) this.unexpected('the end of the text');", ''],
    'unknown months are the month 0': ['(parts.month = monthNumber(text)) > 0', '(parts.month = monthNumber(text)) >= 0'],
    'places count UTF-16 units': ['[...this.text.slice(0, this.at)].length + 1', 'this.at + 1'],
  }),
  ...mutationsOf('natives/core/dates/duration.ts', DURATIONS, {
    'fractions of a day are dropped': ['ms + (days - wholeDays) * DAY_MS', 'ms'],
    'binary fractions stay': ['Math.round(rest * 1000) / 1000', 'rest'],
    'durations have any length': ['Math.abs(months) > MAX_MONTHS ||', ''],
    'months may have fractions': ['if (!Number.isInteger(months))', 'if (false)'],
    'a month counts as 30 days': ['(365.2425 / 12) * DAY_MS', '30 * DAY_MS'],
    'sums begin with any number': ['other === 0 ? this : null', 'this'],
    'all negative durations have one sign': ['!parts.some(([, amount]) => amount > 0) && ', ''],
  }),
];
