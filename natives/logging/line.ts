import { visible } from '../../vm/values/text/visible.js';
import { quoted } from './fieldtext.js';

/** The levels, from the lowest. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** One line of a log. Fields have their JSON; those of `own` come from the program. */
export interface Entry {
  /** Milliseconds since 1970 in UTC. */
  readonly time: number;
  readonly level: Level;
  readonly message: string;
  readonly own: readonly (readonly [name: string, json: string])[];
  readonly context: readonly (readonly [name: string, json: string])[];
}

/** Formats one entry, with its line end. */
export type Format = (entry: Entry) => string;

/** Names that the library writes; fields of a program with these names get an underscore in front. */
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'message', 'request_id', 'trace_id', 'span_id']);

function fieldName(name: string): string {
  return RESERVED.has(name) ? `_${name}` : name;
}

/** Fields as the inside of a JSON object. */
export function jsonFields(fields: readonly (readonly [name: string, json: string])[]): string {
  return fields.map(([name, json]) => `${quoted(name)}:${json}`).join(',');
}

/** One line of JSON. */
export function jsonLine({ time, level, message, own, context }: Entry): string {
  let line = `{"time":"${new Date(time).toISOString()}","level":"${level}","message":${quoted(message)}`;
  for (const [name, json] of context) line += `,"${name}":${json}`;
  for (const [name, json] of own) line += `,${quoted(fieldName(name))}:${json}`;
  return `${line}}\n`;
}

const COLOURS: Readonly<Record<Level, number>> = { debug: 36, info: 32, warn: 33, error: 31 };

/** Texts that need no quotes behind `name=`. */
const BARE = /^"[\w./:@+-]+"$/;

function bare(json: string): string {
  return BARE.test(json) ? json.slice(1, -1) : json;
}

const two = (n: number): string => String(n).padStart(2, '0');

function clock(time: number): string {
  const at = new Date(time);
  const ms = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
}

interface ErrorJson {
  type: string;
  message: string;
  backtrace?: string[];
  cause?: ErrorJson;
}

/** The lines of an error below its message: indented, so that none looks like an entry. */
function errorLines({ type, message, backtrace = [], cause }: ErrorJson, prefix: string): string {
  const lines = [`  ${prefix}${type}: ${visible(message)}`, ...backtrace.map((place) => `    ${visible(place)}`)];
  return `${lines.join('\n')}\n${cause === undefined ? '' : errorLines(cause, 'caused by ')}`;
}

function isError(json: string): boolean {
  return json.startsWith('{"type":"') && json.includes('"message":');
}

/** A line for people: `12:00:03.120 INFO  saved id=7`, in colours on a terminal. */
export function textLine(coloured: boolean): Format {
  const paint = (code: number, text: string): string => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text);
  return ({ time, level, message, own, context }) => {
    const head = `${paint(2, clock(time))} ${paint(COLOURS[level], level.toUpperCase().padEnd(5))} ${visible(message)}`;
    let below = '';
    const fields: string[] = [];
    for (const [name, json] of [...own, ...context]) {
      if (name === 'error' && isError(json)) below += errorLines(JSON.parse(json) as ErrorJson, '');
      else fields.push(` ${paint(2, `${visible(name)}=`)}${bare(json)}`);
    }
    return `${head}${fields.join('')}\n${below}`;
  };
}
