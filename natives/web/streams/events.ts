import { Errors, fail } from '../../../vm/values/error.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';

/**
 * An event-stream comment. It keeps proxies from closing a silent connection, and reveals a client that has
 * disconnected.
 */
export const PING = ': ping\n\n';

/** The three line ends of the format (WHATWG HTML, "Parsing an event stream"). */
const LINE_END = /\r\n|\r|\n/g;
/** Where a part of a text may begin: never inside of a line end. */
export const NO_LINE_FEED = /[^\n]/g;

/** Formats a field that must be one line. @throws ValueError */
function oneLine(name: string, value: Value): string {
  if (isLarge(value)) fail(Errors.ValueError, `${name} of an event is too long`);
  const text = toText(value);
  if (/[\r\n\0]/.test(text))
    fail(Errors.ValueError, `${name} of an event must be one line, got ${JSON.stringify(text)}`);
  return `${name}: ${text}\n`;
}

/** The fields of a Server-Sent Event before its data. @throws ValueError */
export function eventHead(event: Value, id: Value, retry: Value): string {
  if (Number(retry) < 0)
    fail(Errors.ValueError, `retry of an event must be 0 or more milliseconds, got ${toText(retry)}`);
  const fields = [
    ['event', event],
    ['id', id],
    ['retry', retry],
  ] as const;
  return fields.map(([name, value]) => (value === null ? '' : oneLine(name, value))).join('');
}

/** The data of an event: each further line of a text is a field `data` of its own. */
export function dataLines(text: string): string {
  return text.replace(LINE_END, '\ndata: ');
}
