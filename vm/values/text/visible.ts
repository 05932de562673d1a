/** Characters that end a line or steer a terminal: the control characters of ASCII and Latin-1, and the separators of lines and paragraphs. */
const INVISIBLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as one line of a log: a client must neither forge lines nor steer the terminal of who reads them (CWE-117). */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (c) => NAMES[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
