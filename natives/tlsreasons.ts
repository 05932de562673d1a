/** The description of a server that answers in another protocol. */
export const NOT_TLS = 'the server does not speak TLS';

/** OpenSSL's reasons for failed handshakes, in node's codes and messages, and plain descriptions of them. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/wrong.version.number|packet.length.too.long|http.request|bad.record.type|unexpected.message/i, NOT_TLS],
  [/protocol.version|unsupported.protocol|version.too.low/i, 'the server has no version of TLS that is supported here'],
  [/certificate.required/i, 'the server asks for a certificate of the client'],
  [/alert.*(?:certificate|unknown.ca)/i, 'the server refused the certificate of the client'],
  [/handshake.failure|no.(?:shared|ciphers).|insufficient.security/i, 'the server refused the TLS handshake'],
  [/unrecognized.name/i, 'the server has no certificate for this name'],
];

/** The text of OpenSSL within node's message. */
const DETAIL = /SSL routines:[^:]{0,100}:([^:]{1,100})/;

/** Describes a failed TLS handshake in plain words; null if the error is another one, also one of certificates. */
export function tlsReason(code: string, message: string): string | null {
  if (code !== 'EPROTO' && !code.startsWith('ERR_SSL_') && !message.includes('SSL routines:')) return null;
  const text = `${code} ${DETAIL.exec(message)?.[1] ?? ''}`;
  const known = REASONS.find(([pattern]) => pattern.test(text));
  const detail = (DETAIL.exec(message)?.[1] ?? code.replace(/^ERR_SSL_/, '').replaceAll('_', ' ')).toLowerCase();
  return known?.[1] ?? (detail === 'eproto' ? NOT_TLS : `TLS failed: ${detail}`);
}
