/** Whether `text` is a token (RFC 9110 5.6.2), as used for header names, cookie names and methods. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/**
 * Whether `text` is a valid header value (RFC 9110 5.5): tabs and the printable characters of Latin-1, so no CR, LF or
 * NUL.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Returns an error text naming an invalid header, or null when it is valid. */
export function headerProblem(name: string, value: string): string | null {
  if (!isToken(name)) return `${quoted(name)} is not a valid header name`;
  if (!isHeaderValue(value))
    return `the value of header ${name} contains a character that headers cannot carry: ${quoted(value)}`;
  return null;
}

/**
 * Returns why a program cannot set a connection-related field, which the library controls; null if it can. `key` is the
 * name in lower case.
 */
export function connectionProblem(name: string, key: string, value: string): string | null {
  switch (key) {
    case 'trailer':
      return `header ${name} cannot be set: responses have no trailer fields`;
    case 'keep-alive':
      return `header ${name} cannot be set: app.set("keep_alive_seconds", n) decides how long connections are kept`;
    case 'connection':
      return /^(close|keep-alive)$/i.test(value)
        ? null
        : `header ${name} must be "close" or "keep-alive", got ${quoted(value)}: the library sets all other connection options`;
    default:
      return null;
  }
}

/** A text in quotes, truncated if long. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/**
 * Converts node's `rawHeaders` (name, value, name, value …) to pairs with unique names, in the order and spelling of
 * their first occurrence. Repeated fields are joined by `, ` (RFC 9110 5.3), cookies by `; ` (RFC 9113 8.2.3).
 */
export function mergeRawHeaders(raw: readonly string[]): [string, string][] {
  const merged: [string, string][] = [];
  const places = new Map<string, [string, string]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const key = raw[i].toLowerCase();
    const known = places.get(key);
    if (known !== undefined) {
      known[1] += (key === 'cookie' ? '; ' : ', ') + raw[i + 1];
      continue;
    }
    const field: [string, string] = [raw[i], raw[i + 1]];
    places.set(key, field);
    merged.push(field);
  }
  return merged;
}

/** The value of the header called `name`, case-insensitively; null if missing. */
export function findHeader(headers: readonly (readonly [string, string])[], name: string): string | null {
  const key = name.toLowerCase();
  for (const [known, value] of headers) {
    if (known.length === name.length && known.toLowerCase() === key) return value;
  }
  return null;
}
