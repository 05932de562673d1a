import { tlsReason } from '../tlsreasons.js';

/** Plain descriptions of connection error codes, and of fetch's messages without a code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening at this address',
  ECONNRESET: 'the connection was broken',
  EPIPE: 'the connection was broken',
  UND_ERR_SOCKET: 'the connection was broken',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the address cannot be reached',
  EMFILE: 'too many files and connections are open',
  ENFILE: 'too many files and connections are open',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate cannot be verified',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate belongs to another host',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body of the response is not as long as its Content-Length says',
  SVC_BAD_PROXY: 'the address of the proxy is not an http or https URL',
  'bad port': 'this port belongs to another protocol, so no request is sent to it',
  'redirect count exceeded': 'too many redirections',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are too large',
};

/** Describes the error of a failed connection in plain words. */
export function connectionProblem(code: string, message: string): string {
  const known = REASONS[code] ?? REASONS[message] ?? tlsReason(code, message);
  return known ?? (code.startsWith('HPE_') ? 'the response is not valid HTTP' : message);
}
