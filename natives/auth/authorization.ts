import type { Request } from '../web/request/request.js';

/** A parsed Authorization header: a scheme, blanks, and credentials. */
export interface Authorization {
  /** In lower case. */
  scheme: string;
  /** The blanks after the scheme except the first: credentials may themselves begin with blanks. */
  blanks: string;
  credentials: string;
}

const START = /^([A-Za-z]+) ( *)/;

/**
 * The Authorization header of a request, or null. Two of them count as none: proxies and servers disagree about which
 * one to use, and node keeps only the first. The text is as node decodes it, one character for each byte.
 */
export function authorizationOf({ parts: { rawHeaders } }: Request): Authorization | null {
  let found: string | null = null;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length !== 13 || rawHeaders[i].toLowerCase() !== 'authorization') continue;
    if (found !== null) return null;
    found = rawHeaders[i + 1];
  }
  const match = found === null ? null : START.exec(found);
  return match === null
    ? null
    : { scheme: match[1].toLowerCase(), blanks: match[2], credentials: match.input.slice(match[0].length) };
}
