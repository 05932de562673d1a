import type { Hash, Hmac } from 'node:crypto';
import { STEP } from '../../vm/values/steps.js';
import type { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { builtin } from '../builtin.js';
import { functions } from '../core/declare.js';
import { checkText } from '../core/limits.js';
import { made, overText, partsInSteps } from '../core/strings/stepwise.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { encodedText, fromBase64, overBytes } from '../core/bytes/texts.js';
import { digestSteps, isSignature, sameSecret, sameSecretSteps } from './secrets.js';

type Data = string | Bytes;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function* decoded(text: string, asBytes: boolean): Generator<void, string | Bytes, void> {
  const bytes = yield* fromBase64(text, 'base64_decode');
  return asBytes
    ? bytes
    : yield* bytes.textSteps('base64_decode(): the bytes are', 'bytes: true returns them as Bytes');
}

/** Encodes in steps. Three bytes make four digits, so one or two left-over bytes are carried to the next part. */
function* base64(text: string): Generator<void, string, void> {
  checkText(Math.ceil(Buffer.byteLength(text) / 3) * 4);
  let rest = Buffer.alloc(0);
  let out = '';
  yield* partsInSteps(text, (part) => {
    const bytes = Buffer.concat([rest, Buffer.from(wellFormed(part))]);
    const whole = bytes.length - (bytes.length % 3);
    out += bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  });
  return out + rest.toString('base64');
}

function base64Encode(vm: NativeContext, data: Data): Value | undefined {
  if (typeof data !== 'string') return overBytes(vm, 'base64_encode', data.length, encodedText(data, 'base64', 4 / 3));
  return data.length <= STEP
    ? Buffer.from(wellFormed(data)).toString('base64')
    : vm.inPieces('base64_encode', base64(data));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ESCAPES[c]);
}

/** Refuses an empty key: anyone could sign with it. */
function hmacWith(secret: Data, name: string): Hmac {
  return secret.length === 0
    ? fail(Errors.ArgumentError, `${name}() needs a secret that is not empty`)
    : builtin('node:crypto').createHmac(
        'sha256',
        typeof secret === 'string' ? wellFormed(secret, 'the secret') : secret.data,
      );
}

function* hexSteps(digest: Hash | Hmac, text: Data): Generator<void, string, void> {
  return (yield* digestSteps(digest, text)).toString('hex');
}

function* verifySteps(digest: Hmac, text: Data, signature: string): Generator<void, boolean, void> {
  // hmac_sign refuses such a text, so no signature is one of it.
  if (typeof text === 'string' && !text.isWellFormed()) return false;
  return isSignature(signature, yield* digestSteps(digest, text));
}

/** Encodings, digests and comparisons of secrets. */
// prettier-ignore
export const encoding = functions([
  ['base64_encode', 'text: String|Bytes', 'String', 'Base64 of Bytes, or of the UTF-8 bytes of a text.', base64Encode],
  ['base64_decode', 'text: String, bytes: Boolean = false', 'String|Bytes', 'Decodes base64 to a text, or to Bytes if `bytes`; ValueError when it is invalid, or when a text would not be UTF-8.', (vm: NativeContext, text: string, bytes: boolean) => overText(vm, 'base64_decode', text, decoded(text, bytes))],
  ['sha256', 'text: String|Bytes', 'String', 'SHA-256 digest of a text or Bytes in hexadecimal.', (vm: NativeContext, text: Data) => overBytes(vm, 'sha256', text.length, hexSteps(builtin('node:crypto').createHash('sha256'), text))],
  ['hmac_sign', 'text: String|Bytes, secret: String|Bytes', 'String', 'HMAC-SHA256 signature of a text or Bytes in hexadecimal.', (vm: NativeContext, text: Data, secret: Data) => overBytes(vm, 'hmac_sign', text.length, hexSteps(hmacWith(secret, 'hmac_sign'), text))],
  ['hmac_verify', 'text: String|Bytes, secret: String|Bytes, signature: String', 'Boolean', 'Whether a signature equals that of hmac_sign, compared in constant time.', (vm: NativeContext, text: Data, secret: Data, signature: string) => overBytes(vm, 'hmac_verify', text.length, verifySteps(hmacWith(secret, 'hmac_verify'), text, signature))],
  ['secure_compare', 'a: String, b: String', 'Boolean', 'Whether two texts are the same, in a time that reveals nothing about them: for passwords and tokens.', (vm: NativeContext, a: string, b: string) => (Math.max(a.length, b.length) <= STEP ? sameSecret(a, b) : vm.inPieces('secure_compare', sameSecretSteps(a, b)))],
  ['html_escape', 'text: String', 'String', 'The text escaped for HTML, including attributes.', (vm: NativeContext, text: string) => made(vm, 'html_escape', text, escapeHtml)],
]);
