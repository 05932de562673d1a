import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { quote } from '../../../vm/values/text/text.js';
import { fieldsOf, FIRST_PLAIN_YEAR, MINUTE_MS, offsetOf, offsetText, wallOf, type Fields } from './calendar.js';

/** A time zone: how far its clocks are ahead of UTC. */
export interface Zone {
  readonly name: string;
  /** Milliseconds by which the clocks are ahead of UTC at a moment. */
  offsetAt(ms: number): number;
  /**
   * The moment at which the clocks show a wall time: the first of two; if the clocks skip it, the moment later by as
   * much as they skip.
   */
  momentOf(wall: number): number;
}

/** The rules of named zones, by a library that is loaded only for programs that use zones. */
export interface ZoneRules {
  /** The zone's name in its usual spelling; null if there is no such zone. */
  find(name: string): string | null;
  offsetAt(name: string, ms: number): number;
  momentOf(name: string, fields: Fields): number;
}

let rules: ZoneRules | null = null;

export function setZoneRules(given: ZoneRules): void {
  rules = given;
}

/** Maximum characters of a zone's name. */
const MAX_NAME = 64;
/** Maximum number of names whose zones are kept. */
const MAX_KEPT = 1000;

/** Since 1972 all offsets are whole minutes. `getTimezoneOffset` drops the seconds of earlier ones. */
const WHOLE_MINUTES = Date.UTC(1973, 0, 1);

/** The zone of the process, which may change while it runs. */
export const LOCAL: Zone = {
  get name() {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  },
  offsetAt(ms) {
    const date = new Date(ms);
    return ms > WHOLE_MINUTES ? date.getTimezoneOffset() * -MINUTE_MS : localWall(date) - ms;
  },
  momentOf(wall) {
    const [year, month, day, hour, minute, second, ms] = fieldsOf(wall);
    if (year >= FIRST_PLAIN_YEAR) return new Date(year, month - 1, day, hour, minute, second, ms).getTime();
    const date = new Date(2000, 0, 1);
    date.setFullYear(year, month - 1, day);
    return date.setHours(hour, minute, second, ms);
  },
};

function localWall(d: Date): number {
  return wallOf([
    d.getFullYear(),
    d.getMonth() + 1,
    d.getDate(),
    d.getHours(),
    d.getMinutes(),
    d.getSeconds(),
    d.getMilliseconds(),
  ]);
}

function fixed(seconds: number): Zone {
  const name = seconds === 0 ? 'UTC' : offsetText(seconds, ':', seconds % 60 !== 0);
  const offset = seconds * 1000;
  return { name, offsetAt: () => offset, momentOf: (wall) => wall - offset };
}

export const UTC = fixed(0);

const kept = new Map<string, Zone>();

/** The zone of a name such as "Europe/Berlin", "UTC", "+02:00" or "local"; null is the local one. @throws ValueError */
export function zoneOf(text: string | null): Zone {
  if (text === null) return LOCAL;
  const known = kept.get(text);
  if (known !== undefined) return known;
  const zone = find(text);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(text, zone);
  return zone;
}

function find(text: string): Zone {
  if (text.length > MAX_NAME)
    fail(Errors.ValueError, `unknown time zone: a name has at most ${MAX_NAME} characters, got ${text.length}`);
  const lower = text.toLowerCase();
  if (lower === 'local') return LOCAL;
  if (lower === 'utc' || lower === 'z' || lower === 'gmt') return UTC;
  if (/^[+-]\d\d(:?\d\d){0,2}$/.test(lower)) return fixed(offsetOf(lower));
  if (rules === null) return fail(Errors.RuntimeError, 'the rules of time zones are not loaded');
  const name = rules.find(text);
  return name === null ? unknown(text) : named(name, rules);
}

function named(name: string, { offsetAt, momentOf }: ZoneRules): Zone {
  return { name, offsetAt: (ms) => offsetAt(name, ms), momentOf: (wall) => momentOf(name, fieldsOf(wall)) };
}

function unknown(text: string): never {
  const near = suggestion(text);
  const hint =
    near === null
      ? 'expected a name such as "Europe/Berlin", or an offset such as "+02:00"'
      : `did you mean ${quote(near)}?`;
  return fail(Errors.ValueError, `unknown time zone ${quote(text)}, ${hint}`);
}

let names: ReadonlyMap<string, string> | null = null;

/** Names of zones by themselves and by their cities, in lower case. */
function namesOfZones(): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const name of Intl.supportedValuesOf('timeZone')) {
    all.set(name.toLowerCase(), name);
    all.set(name.slice(name.lastIndexOf('/') + 1).toLowerCase(), name);
  }
  return all;
}

/** The zone that a wrong name probably means: that of a city, or one that is spelled similarly. */
function suggestion(text: string): string | null {
  const wanted = text.trim().replaceAll(' ', '_').toLowerCase();
  names ??= namesOfZones();
  return names.get(wanted) ?? names.get(nearest(wanted, names.keys()) ?? '') ?? null;
}
