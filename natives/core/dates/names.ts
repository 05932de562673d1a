/** English names, as `format` writes and `date_parse` reads them. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Number of a month by its name or the first three letters of it; 0 when there is none. */
export function monthNumber(name: string): number {
  return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1;
}

/** What several directives stand for, in `format` and `date_parse` alike. */
export const COMPOSITES: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  v: '%e-%^b-%Y',
  '+': '%a %b %e %H:%M:%S %Z %Y',
};
