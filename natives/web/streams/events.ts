import { RecordValue } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { encodeJson } from '../../core/json/encode.js';

/**
 * An event-stream comment. It keeps proxies from closing a silent connection, and reveals a client that has
 * disconnected.
 */
export const PING = ': ping\n\n';

/** The three line ends of the format (WHATWG HTML, "Parsing an event stream"). */
const LINE_END = /\r\n|\r|\n/;

/** Formats a field that must be one line. @throws ValueError */
function oneLine(name: string, value: Value): string {
  const text = toText(value);
  if (/[\r\n\0]/.test(text))
    fail(Errors.ValueError, `${name} of an event must be one line, got ${JSON.stringify(text)}`);
  return `${name}: ${text}\n`;
}

/**
 * Formats a Server-Sent Event: hashes, vectors and records as JSON, and one `data:` line for each line of text. @throws
 * ValueError
 */
export function eventText(data: Value, event: Value, id: Value, retry: Value): string {
  if (Number(retry) < 0)
    fail(Errors.ValueError, `retry of an event must be 0 or more milliseconds, got ${toText(retry)}`);
  const isData = data instanceof Hash || Array.isArray(data) || data instanceof RecordValue;
  const lines = (isData ? encodeJson(data) : toText(data)).split(LINE_END);
  const fields = [
    ['event', event],
    ['id', id],
    ['retry', retry],
  ] as const;
  const head = fields.map(([name, value]) => (value === null ? '' : oneLine(name, value))).join('');
  return `${head}${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}
