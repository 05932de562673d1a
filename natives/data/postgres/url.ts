import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { SqlFailure } from '../driver.js';

/** How much TLS a connection needs. */
export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** Where a database is, and who connects. The password is kept from everything that prints objects. */
export interface Target {
  /** Name, address, or the folder of a Unix socket, which begins with a slash. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** A function, so that no error or inspection shows it; null if there is none. */
  readonly password: () => string | null;
  readonly tls: TlsMode;
  /** Texts of the files that `sslrootcert`, `sslcert` and `sslkey` name. */
  readonly certificates: Readonly<{ ca?: string; cert?: string; key?: string }>;
  readonly channelBinding: boolean;
  readonly applicationName: string;
  /** Command-line options for the server, as in `options=-c search_path=app`. */
  readonly options: string | null;
  /** Seconds that connecting may take; null: the default. */
  readonly connectTimeout: number | null;
}

const TLS_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const DEFAULT_PORT = '5432';

/** Folders where servers usually put their Unix socket. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];

/** Parameters of libpq that have no effect here. */
const IGNORED = new Set([
  'client_encoding',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'sslcompression',
  'tcp_user_timeout',
]);

const USED = new Set([
  'application_name',
  'channel_binding',
  'connect_timeout',
  'dbname',
  'host',
  'options',
  'password',
  'port',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'user',
]);

function refuse(reason: string): never {
  throw new SqlFailure('connection', `invalid PostgreSQL URL: ${reason}`);
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(`the percent encoding of the ${what} is invalid`);
  }
}

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [, key, value] = /^([^=]*)=?(.*)$/s.exec(pair) as RegExpExecArray;
    const name = decoded(key, 'parameters');
    if (IGNORED.has(name)) continue;
    if (!USED.has(name)) refuse(`unknown parameter '${name}'`);
    parameters.set(name, decoded(value, `parameter '${name}'`));
  }
  return parameters;
}

/** `host`, `host:port`, `[address]:port`. */
function splitHost(text: string): [host: string, port: string] {
  if (text.includes(',')) refuse('more than one host');
  const [, bracketed, plain, port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(text) ?? refuse('the host is invalid');
  return [decoded(bracketed ?? plain, 'host'), port ?? ''];
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) refuse('the port is not a number between 1 and 65535');
  return port;
}

/** libpq's default: a Unix socket where there is one, else this machine. */
function usualHost(port: number): string {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost';
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return refuse('it names no user, and the system has no name for the user of this process');
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

function certificatesOf(parameters: Map<string, string>): Target['certificates'] {
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    if (path === undefined || path === '' || path === 'system') return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return refuse(`the file '${path}' of ${name} cannot be read`);
    }
  };
  const readCertificate = (name: string): string | undefined => {
    const text = read(name);
    if (text !== undefined && !isCertificate(text))
      refuse(`the file '${parameters.get(name)}' of ${name} holds no certificate`);
    return text;
  };
  return { ca: readCertificate('sslrootcert'), cert: readCertificate('sslcert'), key: read('sslkey') };
}

function tlsOf(mode: string, certificates: Target['certificates']): TlsMode {
  if (mode === 'allow') return 'prefer';
  if (!TLS_MODES.includes(mode)) refuse(`sslmode must be one of ${TLS_MODES.join(', ')}`);
  // As in libpq: a root certificate is named in order to check the server's.
  return mode === 'require' && certificates.ca !== undefined ? 'verify-ca' : (mode as TlsMode);
}

function seconds(text: string | undefined): number | null {
  if (text === undefined || text === '' || text === '0') return null;
  const value = Number(text);
  return value > 0 ? value : refuse('connect_timeout is not a number of seconds');
}

/**
 * Reads `postgres://user:password@host:port/name?parameters`. As in libpq, parts that are missing come from PGHOST,
 * PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE; then from the system: the usual Unix socket or localhost, 5432,
 * the user of this process, and the database that is named like the user.
 * @throws SqlFailure without any part of the URL that could be a password
 */
export function parseUrl(url: string, env: NodeJS.ProcessEnv = process.env): Target {
  const [, authority, path, query] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ??
    refuse("expected 'postgres://user:password@host:port/name'");
  if (url.includes('\0') || /%00/.test(url)) refuse('it holds a NUL character');
  const parameters = parametersOf(query ?? '');
  const at = authority.lastIndexOf('@');
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) as RegExpExecArray;
  const [host, port] = splitHost(authority.slice(at + 1));
  const first = (...texts: (string | undefined)[]): string | undefined =>
    texts.find((text) => text !== undefined && text !== '');
  const certificates = certificatesOf(parameters);
  const portNumber = portOf(first(parameters.get('port'), port, env.PGPORT, DEFAULT_PORT) as string);
  const name = first(parameters.get('user'), decoded(user, 'user'), env.PGUSER) ?? userName();
  const secret = first(parameters.get('password'), decoded(password ?? '', 'password'), env.PGPASSWORD) ?? null;
  return {
    host: first(parameters.get('host'), host, env.PGHOST) ?? usualHost(portNumber),
    port: portNumber,
    user: name,
    database: first(parameters.get('dbname'), decoded(path ?? '', 'name'), env.PGDATABASE) ?? name,
    password: () => secret,
    tls: tlsOf(first(parameters.get('sslmode'), env.PGSSLMODE) ?? 'prefer', certificates),
    certificates,
    channelBinding: parameters.get('channel_binding') === 'require',
    applicationName: first(parameters.get('application_name'), env.PGAPPNAME) ?? 'svc',
    options: parameters.get('options') ?? env.PGOPTIONS ?? null,
    connectTimeout: seconds(first(parameters.get('connect_timeout'), env.PGCONNECT_TIMEOUT)),
  };
}

/** Where the server listens, for messages. */
export function place({ host, port }: Target): string {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Text of the database for messages, without the password. */
export function labelOf(target: Target): string {
  return `postgres://${target.user}@${place(target)}/${target.database}`;
}
