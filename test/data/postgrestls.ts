import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Cancellation, type Driver } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import { until } from '../patience.js';
import type { PostgresServer } from './postgresserver.js';
import { failure, rows, value } from './support/sessions.js';

const OPTIONS = { readonly: false, pool: 10, timeout: 30, durable: false };

const IS_ENCRYPTED = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

/** Paths of the files of a certificate and its key. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes a self-signed certificate. @param names such as `DNS:localhost` */
function certificate(folder: string, file: string, names: string): Certificate {
  const cert = join(folder, `${file}.crt`);
  const key = join(folder, `${file}.key`);
  const subject = ['-subj', `/CN=${file}`, '-addext', `subjectAltName=${names}`];
  openssl('req', '-x509', '-days', '2', ...NEW_KEY, ...subject, '-keyout', key, '-out', cert);
  return { cert, key };
}

/** Days of validity, counted from now. */
type Days = readonly [from: number, to: number];

const VALID: Days = [-1, 1];

/** Signs certificates. */
class Authority {
  readonly cert: string;
  private readonly folder: string;
  private count = 0;

  /** @param name of its certificate @param parent signs it; null: itself */
  constructor(folder: string, name: string, parent: Authority | null = null) {
    this.folder = folder;
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.txt'), '');
    writeFileSync(
      join(folder, 'ca.cnf'),
      `[ca]\ndefault_ca = c\n[c]\ndatabase = ${folder}/index.txt\nnew_certs_dir = ${folder}\ndefault_md = sha256
        certificate = ${folder}/ca.crt\nprivate_key = ${folder}/ca.key\nunique_subject = no
        copy_extensions = copy\nserial = ${folder}/serial\nrand_serial = yes\npolicy = p\n[p]\ncommonName = supplied\n`,
    );
    const made = ['-subj', `/CN=${name}`, '-addext', 'basicConstraints=critical,CA:TRUE'];
    const key = join(folder, 'ca.key');
    this.cert = join(folder, 'ca.crt');
    if (parent === null) openssl('req', '-x509', '-days', '2', ...NEW_KEY, ...made, '-keyout', key, '-out', this.cert);
    else parent.sign(made, key, this.cert, VALID);
  }

  /** Makes the certificate of a server. @param names such as `DNS:localhost` */
  issue(names: string, days = VALID): Certificate {
    const file = join(this.folder, `server${++this.count}`);
    const [cert, key] = [`${file}.crt`, `${file}.key`];
    this.sign(['-subj', '/CN=server', '-addext', `subjectAltName=${names}`], key, cert, days);
    return { cert, key };
  }

  /** Makes a key and a certificate for it. @param made what the certificate says */
  private sign(made: readonly string[], key: string, cert: string, days: Days): void {
    const request = `${cert}.csr`;
    openssl('req', ...NEW_KEY, ...made, '-keyout', key, '-out', request);
    const [start, end] = days.map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
    const [from, to] = [start, end].map((time) => `${time.replace(/\D/g, '').slice(0, 14)}Z`);
    const dates = ['-startdate', from, '-enddate', to];
    const config = ['-config', join(this.folder, 'ca.cnf'), '-batch', '-notext'];
    openssl('ca', ...config, ...dates, '-in', request, '-out', cert);
  }
}

/** Writes certificates into one file, in this order. */
function chain(path: string, ...certs: readonly string[]): string {
  writeFileSync(path, certs.map((cert) => readFileSync(cert, 'utf8')).join(''));
  return path;
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Connections with TLS. Restarts the server, which has a certificate afterwards. */
export function tlsCases(t: Test, server: PostgresServer): void {
  const folder = t.testdir();
  const byName = (): Certificate => certificate(folder, 'by-name', 'DNS:localhost');
  const skip = !hasOpenssl() && 'openssl is not installed';

  const open = (t: Test, host: string, parameters: Record<string, string>): Driver => {
    const driver = openPostgres(
      server.url('postgres', { host, query: `?${new URLSearchParams(parameters)}` }),
      OPTIONS,
    );
    t.teardown(() => driver.close());
    return driver;
  };
  const isEncrypted = (t: Test, host: string, parameters: Record<string, string>): Promise<unknown> =>
    value(open(t, host, parameters), IS_ENCRYPTED);
  const refused = async (t: Test, host: string, parameters: Record<string, string>, reason: string): Promise<void> => {
    const found = await failure(rows(open(t, host, parameters), 'SELECT 1'));
    t.strictSame([found.kind, found.message], ['connection', `cannot connect to ${host}:${server.port}: ${reason}`]);
  };

  t.test('a server without TLS', async (t) => {
    for (const sslmode of ['require', 'verify-ca', 'verify-full'])
      await refused(t, 'localhost', { sslmode }, 'the server refuses TLS');
    for (const sslmode of ['disable', 'allow', 'prefer'])
      t.equal(await isEncrypted(t, 'localhost', { sslmode }), false);
  });

  t.test('a server with a self-signed certificate for a name', { skip }, async (t) => {
    const { cert, key } = byName();
    const { cert: other } = certificate(folder, 'other', 'DNS:localhost');
    await server.useTls(cert, key);
    for (const sslmode of ['verify-full', 'verify-ca', 'require'])
      t.equal(await isEncrypted(t, 'localhost', { sslmode, sslrootcert: cert }), true, sslmode);
    t.equal(await isEncrypted(t, '127.0.0.1', { sslmode: 'verify-ca', sslrootcert: cert }), true, 'another name');
    for (const sslmode of ['require', 'prefer', 'allow'])
      t.equal(await isEncrypted(t, '127.0.0.1', { sslmode }), true, `${sslmode} verifies nothing`);
    t.equal(await isEncrypted(t, '127.0.0.1', { sslmode: 'disable' }), false);

    const wrongHost = "the server's certificate is for another host";
    await refused(t, '127.0.0.1', { sslmode: 'verify-full', sslrootcert: cert }, wrongHost);
    const notSigned = "the server's certificate is not signed by an authority of sslrootcert";
    for (const sslmode of ['verify-full', 'verify-ca', 'require'])
      await refused(t, 'localhost', { sslmode, sslrootcert: other }, notSigned);
    await refused(t, 'localhost', { sslmode: 'verify-full' }, "the server's certificate is self-signed");

    const broken = join(folder, 'broken.crt');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const files: [string, string][] = [
      [broken, 'holds no certificate'],
      [key, 'holds no certificate'],
      [join(folder, 'none.crt'), 'cannot be read'],
    ];
    for (const [path, problem] of files) {
      const message = `invalid PostgreSQL URL: the file '${path}' of sslrootcert ${problem}`;
      t.throws(() => open(t, 'localhost', { sslmode: 'verify-full', sslrootcert: path }), {
        kind: 'connection',
        message,
      });
    }
  });

  t.test('a statement on a connection with TLS is cancelled', { skip }, async (t) => {
    const { cert, key } = byName();
    await server.useTls(cert, key);
    const db = open(t, 'localhost', { sslmode: 'verify-full', sslrootcert: cert });
    const cancel = new Cancellation();
    const slow = failure(db.run({ sql: 'SELECT pg_sleep(61)', params: [] }, cancel));
    const sql = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(61)'`;
    await until('the statement', async () => (await server.query('postgres', sql)).length === 1);
    cancel.cancel();
    t.equal((await slow).code, '57014');
    t.equal(await value(db, 'SELECT 2'), 2n);
  });

  t.test('a certificate for an address', { skip }, async (t) => {
    const { cert, key } = certificate(folder, 'by-address', 'IP:127.0.0.1');
    await server.useTls(cert, key);
    t.equal(await isEncrypted(t, '127.0.0.1', { sslmode: 'verify-full', sslrootcert: cert }), true);
    const wrongHost = "the server's certificate is for another host";
    await refused(t, 'localhost', { sslmode: 'verify-full', sslrootcert: cert }, wrongHost);
  });

  t.test('a certificate that an authority has signed', { skip }, async (t) => {
    const root = new Authority(join(folder, 'root'), 'root');
    const other = new Authority(join(folder, 'other-root'), 'other');
    // Has the name of the right one, as after a renewal with another key.
    const namesake = new Authority(join(folder, 'namesake'), 'root');
    const both = chain(join(folder, 'both.crt'), other.cert, root.cert);
    const { cert, key } = root.issue('DNS:localhost');
    await server.useTls(cert, key);
    for (const sslmode of ['verify-full', 'verify-ca', 'require'])
      for (const sslrootcert of [root.cert, both])
        t.equal(await isEncrypted(t, 'localhost', { sslmode, sslrootcert }), true, sslmode);
    t.equal(await isEncrypted(t, '127.0.0.1', { sslmode: 'verify-ca', sslrootcert: root.cert }), true, 'another name');
    t.equal(await isEncrypted(t, '127.0.0.1', { sslmode: 'require' }), true, 'require alone verifies nothing');

    const wrongHost = "the server's certificate is for another host";
    await refused(t, '127.0.0.1', { sslmode: 'verify-full', sslrootcert: root.cert }, wrongHost);
    const notSigned = "the server's certificate is not signed by an authority of sslrootcert";
    for (const sslmode of ['verify-full', 'verify-ca', 'require'])
      for (const sslrootcert of [other.cert, namesake.cert, cert])
        await refused(t, 'localhost', { sslmode, sslrootcert }, notSigned);
    const unknown = "the server's certificate is not signed by a known authority";
    for (const sslmode of ['verify-full', 'verify-ca']) await refused(t, 'localhost', { sslmode }, unknown);
  });

  t.test('a certificate of an intermediate authority', { skip }, async (t) => {
    const root = new Authority(join(folder, 'top'), 'top');
    const middle = new Authority(join(folder, 'middle'), 'middle', root);
    const { cert, key } = middle.issue('DNS:localhost');
    const notSigned = "the server's certificate is not signed by an authority of sslrootcert";
    await server.useTls(chain(join(folder, 'chain.crt'), cert, middle.cert), key);
    t.equal(await isEncrypted(t, 'localhost', { sslmode: 'verify-full', sslrootcert: root.cert }), true);
    const noRoot = "sslrootcert lacks the root authority of the server's certificate";
    await refused(t, 'localhost', { sslmode: 'verify-full', sslrootcert: middle.cert }, noRoot);
    // A server that does not send the intermediate certificate.
    await server.useTls(cert, key);
    await refused(t, 'localhost', { sslmode: 'verify-full', sslrootcert: root.cert }, notSigned);
    const both = chain(join(folder, 'both-levels.crt'), middle.cert, root.cert);
    t.equal(await isEncrypted(t, 'localhost', { sslmode: 'verify-full', sslrootcert: both }), true);
  });

  t.test('certificates outside of their time', { skip }, async (t) => {
    const root = new Authority(join(folder, 'times'), 'times');
    const cases: [Days, string][] = [
      [[-30, -1], "the server's certificate has expired"],
      [[1, 30], "the server's certificate is not valid yet"],
    ];
    for (const [days, reason] of cases) {
      const { cert, key } = root.issue('DNS:localhost', days);
      await server.useTls(cert, key);
      for (const sslmode of ['verify-full', 'verify-ca', 'require'])
        await refused(t, 'localhost', { sslmode, sslrootcert: root.cert }, reason);
      t.equal(await isEncrypted(t, 'localhost', { sslmode: 'require' }), true, 'require alone verifies nothing');
    }
    const { cert, key } = root.issue('DNS:localhost');
    await server.useTls(cert, key);
    t.equal(await isEncrypted(t, 'localhost', { sslmode: 'verify-full', sslrootcert: root.cert }), true, 'renewed');
  });
}
