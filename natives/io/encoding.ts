import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { STEP } from '../../vm/values/steps.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions } from '../core/declare.js';
import { checkText } from '../core/limits.js';
import { made, overText, partsInSteps } from '../core/strings/stepwise.js';
import { decodeSteps, utf8Text } from '../core/bytes/base64.js';
import { digestSteps, isSignature, sameSecret, sameSecretSteps } from './secrets.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function* base64Text(text: string): Generator<void, string, void> {
  const bytes = yield* decodeSteps(text);
  if (bytes === null) return fail(Errors.ValueError, 'base64_decode(): the text is not base64');
  return utf8Text(bytes) ?? fail(Errors.ValueError, 'base64_decode(): the bytes are not valid UTF-8');
}

/** Encodes in steps. Three bytes make four digits, so one or two left-over bytes are carried to the next part. */
function* base64(text: string): Generator<void, string, void> {
  checkText(Math.ceil(Buffer.byteLength(text) / 3) * 4);
  let rest = Buffer.alloc(0);
  let out = '';
  yield* partsInSteps(text, (part) => {
    const bytes = Buffer.concat([rest, Buffer.from(part)]);
    const whole = bytes.length - (bytes.length % 3);
    out += bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  });
  return out + rest.toString('base64');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ESCAPES[c]);
}

/** Refuses an empty key: anyone could sign with it. */
function hmacWith(secret: string, name: string): Hmac {
  return secret === ''
    ? fail(Errors.ArgumentError, `${name}() needs a secret that is not empty`)
    : createHmac('sha256', secret);
}

function* hexSteps(digest: Hash | Hmac, text: string): Generator<void, string, void> {
  return (yield* digestSteps(digest, text)).toString('hex');
}

function* verifySteps(digest: Hmac, text: string, signature: string): Generator<void, boolean, void> {
  return isSignature(signature, yield* digestSteps(digest, text));
}

/** Encodings, digests and comparisons of secrets. */
// prettier-ignore
export const encoding = functions([
  ['base64_encode', 'text: String', 'String', 'Base64 of the UTF-8 bytes of a text.', (vm: NativeContext, text: string) => overText(vm, 'base64_encode', text, base64(text))],
  ['base64_decode', 'text: String', 'String', 'Decodes base64; ValueError when it is invalid or not UTF-8.', (vm: NativeContext, text: string) => overText(vm, 'base64_decode', text, base64Text(text))],
  ['sha256', 'text: String', 'String', 'SHA-256 digest of a text in hexadecimal.', (vm: NativeContext, text: string) => overText(vm, 'sha256', text, hexSteps(createHash('sha256'), text))],
  ['hmac_sign', 'text: String, secret: String', 'String', 'HMAC-SHA256 signature of a text in hexadecimal.', (vm: NativeContext, text: string, secret: string) => overText(vm, 'hmac_sign', text, hexSteps(hmacWith(secret, 'hmac_sign'), text))],
  ['hmac_verify', 'text: String, secret: String, signature: String', 'Boolean', 'Whether a signature equals that of hmac_sign, compared in constant time.', (vm: NativeContext, text: string, secret: string, signature: string) => overText(vm, 'hmac_verify', text, verifySteps(hmacWith(secret, 'hmac_verify'), text, signature))],
  ['secure_compare', 'a: String, b: String', 'Boolean', 'Whether two texts are the same, in a time that reveals nothing about them: for passwords and tokens.', (vm: NativeContext, a: string, b: string) => (Math.max(a.length, b.length) <= STEP ? sameSecret(a, b) : vm.inPieces('secure_compare', sameSecretSteps(a, b)))],
  ['html_escape', 'text: String', 'String', 'The text escaped for HTML, including attributes.', (vm: NativeContext, text: string) => made(vm, 'html_escape', text, escapeHtml)],
]);
