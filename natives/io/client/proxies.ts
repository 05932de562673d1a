/** The proxy for an address, from the environment. */

/** Environment variables as programs and users write them. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The URL of the proxy for `url`; null if there is none. The variables are those of curl: HTTP_PROXY, HTTPS_PROXY and
 * NO_PROXY, in either case.
 */
export function proxyFor(url: URL, env: Environment): string | null {
  const named = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? '';
  const proxy = named(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY').trim();
  if (proxy === '' || isExcepted(url, named('NO_PROXY'))) return null;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Whether `list` has the host: `*`, `host`, `.domain`, `*.domain` or `host:port`. A host includes its subdomains. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name, own] =
      /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry.includes('::') ? `[${entry.replace(/^\[|\]$/g, '')}]` : entry) ?? [];
    if (own !== undefined && own !== port) return false;
    const domain = name.toLowerCase().replace(/^\*?\./, '');
    return host === domain || host.endsWith(`.${domain}`);
  });
}
