import { Excerpts } from '../../vm/values/text/excerpts.js';
import { decodeFormText } from './percent.js';

const decode = (text: string): string => (text.includes('%') || text.includes('+') ? decodeFormText(text) : text);

function pairOf(part: string): [string, string] {
  const equals = part.indexOf('=');
  return equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
}

/**
 * The names and values of a query or form body in order, including repeated ones; null when there are more than
 * `limit`. Otherwise never fails: invalid escapes stay as they are, invalid UTF-8 becomes U+FFFD (WHATWG URL Standard,
 * "application/x-www-form-urlencoded parsing").
 */
export function parsePairs(text: string, limit: number): [string, string][] | null {
  const pairs: [string, string][] = [];
  const excerpts = new Excerpts(text);
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    if (end === start) continue;
    if (pairs.length === limit) return null;
    pairs.push(pairOf(excerpts.take(start, end)));
  }
  return pairs;
}

/**
 * Parses an Integer of any size: an optional sign and decimal digits. Returns a number if safe, otherwise a bigint;
 * null if invalid.
 */
export function parseQueryInt(text: string): number | bigint | null {
  if (!/^[+-]?[0-9]+$/.test(text)) return null;
  const number = Number(text);
  // Adding 0 turns -0 into 0.
  if (Number.isSafeInteger(number)) return number + 0;
  // BigInt does not accept a plus sign.
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}

/**
 * Parses a finite number from decimal digits with optional sign, fraction and exponent (`2`, `-.5`, `1.5e-3`); null if
 * invalid or infinite.
 */
export function parseQueryFloat(text: string): number | null {
  if (!/^[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Whether `text` is `true`, `1` or `yes`, case-insensitively; false for anything else. */
export function parseQueryBool(text: string): boolean {
  return /^(true|1|yes)$/i.test(text);
}
