/** English names, as written by `format` and read by `date_parse`. */
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

/** Number of a month given by its name or first three letters; 0 if unknown. */
export function monthNumber(name: string): number {
  return indexIn(MONTHS, name) + 1;
}

/** Number of a weekday, 0 for Sunday, given by its name or first three letters; −1 if unknown. */
export function weekdayNumber(name: string): number {
  return indexIn(WEEKDAYS, name);
}

function indexIn(names: readonly string[], name: string): number {
  return names.findIndex((known) => known.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase());
}

/** Directives that abbreviate several others, in `format` and `date_parse` alike. */
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
