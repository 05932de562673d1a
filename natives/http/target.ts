const SLASH = 0x2f;

/**
 * A request target in two parts, both as sent. The path begins with a slash, except for `*` and targets that contain no
 * path.
 */
export interface Target {
  path: string;
  query: string;
}

/** Removes scheme and authority from a target. `new URL` would throw for some targets and normalise dots in others. */
function originForm(target: string): string {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (authority === null) return target;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The authority of an absolute web address, including userinfo; null for other targets. */
export function authorityOf(target: string): string | null {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? null;
}

/**
 * Splits a raw request target (RFC 9112 3.2): `/p?q`, `http://host/p?q`, `*`, `host:port`. Never fails and decodes
 * nothing. `//evil/x` is a path and `#` is an ordinary character. A target without a path (`*`, `host:port`) has no
 * leading slash, so no route matches it.
 */
export function splitTarget(target: string): Target {
  const origin = target.charCodeAt(0) === SLASH ? target : originForm(target);
  const mark = origin.indexOf('?');
  return mark < 0 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}
