/** Time stamps between PostgreSQL's ISO style and milliseconds since 1970. */

const DATE =
  /^(\d{4,})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?)?$/;

/** Milliseconds since 1970 of a date in the proleptic Gregorian calendar. `Date.UTC` takes years below 100 for 19xx. */
function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  if (year >= 100) return Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Returns the time of a date, timestamp or timestamptz; one without an offset is in UTC. NaN if it has no counterpart. */
export function parseDate(text: string): number {
  const match = DATE.exec(text);
  if (match === null) return NaN;
  const [, year, month, day, hour, minute, second, fraction, sign, hours, minutes, seconds] = match;
  let ms = utc(+year, +month, +day, +(hour ?? 0), +(minute ?? 0), +(second ?? 0));
  if (fraction !== undefined) ms += Math.floor(+fraction.padEnd(6, '0') / 1000);
  if (sign === undefined) return ms;
  const offset = (+hours * 3600 + +(minutes ?? 0) * 60 + +(seconds ?? 0)) * 1000;
  return sign === '+' ? ms - offset : ms + offset;
}

/** ISO 8601 in UTC, as PostgreSQL reads it: also with years above 9999, and before Christ. */
export function formatDate(ms: number): string {
  const text = new Date(ms).toISOString();
  if (/^\d/.test(text)) return text.startsWith('0000') ? `0001${text.slice(4)} BC` : text;
  const [, sign, year, rest] = /^([+-])(\d{6})(.*)$/.exec(text) as RegExpExecArray;
  if (sign === '+') return `${+year}${rest}`;
  return `${String(+year + 1).padStart(4, '0')}${rest} BC`;
}
