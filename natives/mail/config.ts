import { Errors, fail } from '../../vm/values/error.js';

/** A mail server, and how it is reached. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the connection (smtps), not with STARTTLS. */
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly password: string;
  readonly tls: 'auto' | 'required' | 'off';
  /** Certificates in PEM that are trusted in place of the system's; null: the system's. */
  readonly ca: string | null;
  /** Milliseconds for a mail, with connecting and logging in. */
  readonly limit: number;
  /** Maximum connections. */
  readonly connections: number;
}

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Raises an ArgumentError about the server's URL, without its password. */
function refuse(problem: string): never {
  return fail(Errors.ArgumentError, `mail_config(): ${problem}`);
}

/** Parses `smtp://user:password@host:port` or `smtps://…`. @throws ArgumentError */
export function serverOf(url: string, tls: string, options: Pick<Server, 'ca' | 'limit' | 'connections'>): Server {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '')
    return refuse('the address of the mail server must be like smtp://user:password@host:587 or smtps://host:465');
  if (tls !== 'auto' && tls !== 'required' && tls !== 'off')
    return refuse(`tls: must be "auto", "required" or "off", got ${JSON.stringify(tls)}`);
  const isSecure = parsed.protocol === 'smtps:';
  const user = parsed.username === '' ? null : decoded(parsed.username);
  // A password must not cross a network in the clear.
  const isExposed = user !== null && !LOCAL.test(parsed.hostname);
  return {
    ...options,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (isSecure ? 465 : user === null ? 25 : 587),
    isSecure,
    user,
    password: decoded(parsed.password),
    tls: tls === 'auto' && isExposed ? 'required' : tls,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('user and password in the address of the mail server must be percent-encoded');
  }
}
