/** Names of parameters whose values are not shown. */
const SECRET = /pass|secret|token/i;

/** Index after the user and password of a URL whose authority is from `start` to `end`. */
function endOfUser(url: string, start: number, end: number): number {
  const at = url.lastIndexOf('@', end - 1);
  if (at >= start) return at + 1;
  // A password with `/`, `?` or `#` that is not percent-encoded: the URL is invalid, and must not be shown as it is.
  const hasPort = /^(?:\[[^\]]*\]|[^:]+)?(?::\d{1,5})?$/.test(url.slice(start, end));
  return hasPort ? start : Math.max(url.lastIndexOf('@') + 1, start);
}

function shownPair(pair: string): string {
  const [name] = pair.split('=', 1);
  let plain = name;
  try {
    plain = decodeURIComponent(name);
  } catch {
    // Not percent-encoded.
  }
  return name.length < pair.length && SECRET.test(plain) ? `${name}=…` : pair;
}

/** Returns a URL without its password, also without those among its parameters, for messages. */
export function withoutPassword(url: string): string {
  const start = url.indexOf('://') + 3;
  if (start < 3) return url;
  const length = url.slice(start).search(/[/?#]/);
  const rest = endOfUser(url, start, length < 0 ? url.length : start + length);
  const [user] = url.slice(start, Math.max(rest - 1, start)).split(':', 1);
  const [path, ...queries] = url.slice(rest).split('?');
  const query = queries.join('?').split('&').map(shownPair).join('&');
  return `${url.slice(0, start)}${user === '' ? '' : `${user}@`}${path}${queries.length === 0 ? '' : `?${query}`}`;
}
