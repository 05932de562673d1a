import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether `openssl` is there to make certificates. */
function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
}

/** Options of a test that needs certificates. */
export const WITH_OPENSSL = { skip: hasOpenssl() ? false : 'openssl makes the certificates' };

/** Makes a key and a self-signed certificate, in the files `name.key` and `name.pem` of a directory. */
export function certificate(
  dir: string,
  name: string,
  hosts = 'DNS:localhost,IP:127.0.0.1',
): { key: string; cert: string } {
  const [key, cert] = [join(dir, `${name}.key`), join(dir, `${name}.pem`)];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${hosts}`];
  execFileSync('openssl', [...args, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
