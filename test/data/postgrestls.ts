import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Cancellation, type Driver } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import { until } from '../patience.js';
import type { PostgresServer } from './postgresserver.js';
import { failure, rows, value } from './support/sessions.js';

const OPTIONS = { readonly: false, pool: 10, timeout: 30, durable: false };

const IS_ENCRYPTED = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a self-signed certificate. @param names such as `DNS:localhost` */
function certificate(folder: string, file: string, names: string): Certificate {
  const cert = join(folder, `${file}.crt`);
  const key = join(folder, `${file}.key`);
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${file}`, '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { cert, key };
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
    const db = open(t, 'localhost', { sslmode: 'verify-full', sslrootcert: join(folder, 'by-name.crt') });
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
}
