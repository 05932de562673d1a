/**
 * Characters that end a line or control a terminal: the control characters of ASCII and Latin-1, and the line and
 * paragraph separators.
 */
const INVISIBLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text escaped for one line of a log, so that a client can neither forge lines nor control the reader's terminal
 * (CWE-117).
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (c) => NAMES[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
