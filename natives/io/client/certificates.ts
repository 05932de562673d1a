import type { X509Certificate } from 'node:crypto';
import { Errors, fail } from '../../../vm/values/error.js';
import { builtin } from '../../builtin.js';
import type { ConnectionOptions } from './options.js';

/** Checks the options that hold certificates and keys. @throws ArgumentError naming the one that cannot be used */
export function checkCertificates({ ca, cert, key }: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>): void {
  if (ca !== null) certificateOf('ca', ca);
  if (cert === null || key === null) return;
  const own = certificateOf('cert', cert);
  const { createPrivateKey } = builtin('node:crypto');
  const secret = attempt(() => createPrivateKey(key)) ?? refuse('key is not a private key in PEM without a passphrase');
  if (!own.checkPrivateKey(secret)) refuse('key does not belong to the certificate in cert');
}

/** The first certificate of a text. */
function certificateOf(option: string, text: string): X509Certificate {
  const { X509Certificate } = builtin('node:crypto');
  return attempt(() => new X509Certificate(text)) ?? refuse(`${option} is not a certificate in PEM`);
}

/** Returns null if `make` throws, which has a reason of OpenSSL that says less than the option. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

function refuse(problem: string): never {
  return fail(Errors.ArgumentError, problem);
}
