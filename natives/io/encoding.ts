import { Errors, fail } from '../../vm/values/error.js';
import { functions } from '../core/declare.js';
import { checkText } from '../core/limits.js';
import { decodeBase64, utf8Text } from './base64.js';
import { hmac, isSignature, sameSecret, sha256 } from './secrets.js';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function base64Text(text: string): string {
  const bytes = decodeBase64(text);
  if (bytes === null) return fail(Errors.ValueError, 'base64_decode(): the text is not base64');
  return utf8Text(bytes) ?? fail(Errors.ValueError, 'base64_decode(): the bytes are not a text in UTF-8');
}

function base64(text: string): string {
  checkText(Math.ceil(Buffer.byteLength(text) / 3) * 4);
  return Buffer.from(text).toString('base64');
}

function escapeHtml(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (c) => ESCAPES[c]);
  checkText(escaped.length);
  return escaped;
}

/** An empty key would sign for everybody. */
function keyed(secret: string, name: string): string {
  return secret === '' ? fail(Errors.ArgumentError, `${name}() needs a secret that is not empty`) : secret;
}

/** Encodings, digests and comparisons of secrets. */
export const encoding = functions([
  ['base64_encode', 'text: String', 'String', 'Base64 of the UTF-8 bytes of a text.', (_: unknown, text: string) => base64(text)],
  ['base64_decode', 'text: String', 'String', 'The text that base64 holds; ValueError when it is not valid or holds no UTF-8.', (_: unknown, text: string) => base64Text(text)],
  ['sha256', 'text: String', 'String', 'SHA-256 digest of a text in hexadecimal.', (_: unknown, text: string) => sha256(text).toString('hex')],
  ['hmac_sign', 'text: String, secret: String', 'String', 'HMAC-SHA256 signature of a text in hexadecimal.', (_: unknown, text: string, secret: string) => hmac(text, keyed(secret, 'hmac_sign')).toString('hex')],
  ['hmac_verify', 'text: String, secret: String, signature: String', 'Boolean', 'Whether a signature is the one that hmac_sign makes, compared in constant time.', (_: unknown, text: string, secret: string, signature: string) => isSignature(signature, hmac(text, keyed(secret, 'hmac_verify')))],
  ['secure_compare', 'a: String, b: String', 'Boolean', 'Whether two texts are the same, in a time that tells nothing of them: for passwords and tokens.', (_: unknown, a: string, b: string) => sameSecret(a, b)],
  ['html_escape', 'text: String', 'String', 'The text as it may stand in HTML, in attributes too.', (_: unknown, text: string) => escapeHtml(text)],
]);
