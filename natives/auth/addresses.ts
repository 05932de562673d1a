import { Errors, fail } from '../../vm/values/error.js';
import { inspect } from '../../vm/values/text/text.js';

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An address that nobody else can answer for: by HTTPS, or on this machine. @throws ArgumentError */
export function trustedAddress(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.test(url.hostname)))) return url;
  return fail(
    Errors.ArgumentError,
    `${what} must be an address that begins with https:// (http:// for this machine alone), got ${inspect(text)}`,
  );
}
