/** Handlers of jobs and their options, as a program registers them. */
import { Errors, fail } from '../../vm/values/error.js';
import { inspect, quote } from '../../vm/values/text/text.js';
import { Float, isInteger, type Value } from '../../vm/values/value.js';
import { type DurationValue, inSeconds } from '../core/dates/duration.js';
import type { Num } from '../core/declare.js';
import type { Ticks } from './schedules.js';

/** Maximum characters of a name or a key. */
const MAX_NAME = 200;
const MAX_RETRIES = 1000;
const MAX_CONCURRENCY = 1000;
/** Maximum seconds of an attempt: a week. */
const MAX_TIMEOUT = 7 * 86_400;

/** How jobs of one name run. */
export interface Handler {
  readonly name: string;
  readonly fn: Value;
  /** Attempts after the first one. */
  readonly retries: number;
  /** Seconds that an attempt may take. */
  readonly timeout: number;
  /** Maximum number of its jobs that run at once in this process. */
  readonly concurrency: number;
  /** The times at which its jobs are pushed; null without a schedule. */
  readonly ticks: Ticks | null;
}

/** Whether a text can be the name or the key of a job. */
export function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/[\0-\x1f\x7f\p{Cs}]/u.test(name);
}

/** Returns a valid name or key of a job. @param what names the argument in the error @throws ArgumentError */
export function checkedName(place: string, what: string, name: string): string {
  if (isName(name)) return name;
  const problem =
    name === '' ? 'must not be empty' : `must have at most ${MAX_NAME} characters, none of them a control character`;
  return fail(Errors.ArgumentError, `${place}: ${what} ${problem}`);
}

function whole(place: string, what: string, value: Value, least: number, most: number): number {
  const n = isInteger(value) ? Number(value) : NaN;
  return n >= least && n <= most
    ? n
    : fail(
        Errors.ArgumentError,
        `${place}: ${what} must be an Integer from ${least} to ${most}, got ${inspect(value)}`,
      );
}

function seconds(place: string, given: Num | DurationValue): number {
  const value = inSeconds(given);
  const n = value instanceof Float ? value.n : Number(value);
  return n > 0 && n <= MAX_TIMEOUT
    ? n
    : fail(
        Errors.ArgumentError,
        `${place}: timeout must be more than 0 seconds and at most a week, got ${inspect(given)}`,
      );
}

/** The options of a handler as given. */
export interface GivenOptions {
  readonly retries: Value;
  readonly timeout: Num | DurationValue;
  readonly concurrency: Value;
}

/** Makes a handler of checked options. @param place the method, for errors @throws ArgumentError */
export function handlerOf(place: string, name: string, fn: Value, given: GivenOptions, ticks: Ticks | null): Handler {
  return {
    name: checkedName(place, 'the name', name),
    fn,
    retries: whole(place, 'retries', given.retries, 0, MAX_RETRIES),
    timeout: seconds(place, given.timeout),
    concurrency: whole(place, 'concurrency', given.concurrency, 1, MAX_CONCURRENCY),
    ticks,
  };
}

/** Registers a handler. @throws ArgumentError if its name has one already */
export function addHandler(handlers: Map<string, Handler>, place: string, handler: Handler): void {
  if (handlers.has(handler.name))
    fail(Errors.ArgumentError, `${place}: jobs named ${quote(handler.name)} have a handler already`);
  handlers.set(handler.name, handler);
}
