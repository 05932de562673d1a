import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { isUtf8 } from 'node:buffer';

/** Name of the cookie that holds a session. */
export const SESSION_COOKIE = '_svc_session';

/** How the JSON text of a session travels in its cookie. */
export interface SessionCodec {
  /** The cookie's value before percent-encoding. */
  wrap(json: string): string;
  /** The JSON text of a cookie's decoded value, or null when nobody with the secret has made it. */
  unwrap(value: string): string | null;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Whether a cookie's name may begin at `at`: nothing but blanks since the last semicolon. */
function beginsPair(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(header.charCodeAt(before))) before--;
  return before < 0 || header[before] === ';';
}

/**
 * The session cookie's value as it was sent; null when there is none, and when there are several: another site of the same domain can add one,
 * and nothing tells which is ours.
 */
export function findSessionCookie(header: string): string | null {
  const start = `${SESSION_COOKIE}=`;
  let found: string | null = null;
  for (let at = header.indexOf(start); at >= 0; at = header.indexOf(start, at + 1)) {
    if (!beginsPair(header, at)) continue;
    if (found !== null) return null;
    const end = header.indexOf(';', at);
    found = header.slice(at + start.length, end < 0 ? header.length : end).trim();
  }
  return found;
}

/** Cookies that do not decode are rare here, and those that do take a quarter of the time of `decodePercent`. */
function decoded(sent: string): string | null {
  try {
    return decodeURIComponent(sent);
  } catch {
    return null;
  }
}

/** What a sent value stands for: percent-encoded text, or raw JSON, which is told by its quotes since ours are encoded. Null when it does not decode. */
export function decodeSessionValue(sent: string): string | null {
  if (!sent.includes('"')) return decoded(sent);
  // Node reads headers as Latin-1.
  const bytes = Buffer.from(sent, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : null;
}

/** The value is the JSON text: readable for its owner. */
export const PLAIN: SessionCodec = { wrap: (json) => json, unwrap: (value) => value };

/** Keys derived so far; a program has one secret or two, but may also compute them. */
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 64;

/** A key for one use of a secret: what is signed for another use, such as a bearer token, is no session. */
function keyFor(secret: string, use: string): KeyObject {
  const name = `${use}:${secret}`;
  let key = keys.get(name);
  if (key === undefined) {
    key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `svc ${use}`, 32)));
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(name, key);
  }
  return key;
}

/** The value is `<JSON>.<HMAC-SHA256 in base64url>`: readable, and nobody else's work. */
export function signed(secret: string): SessionCodec {
  const key = keyFor(secret, 'session signature');
  const sign = (json: string): Buffer => createHmac('sha256', key).update(json).digest();
  return {
    wrap: (json) => `${json}.${sign(json).toString('base64url')}`,
    unwrap(value) {
      const dot = value.lastIndexOf('.');
      if (dot < 0) return null;
      const json = value.slice(0, dot);
      const expected = Buffer.from(sign(json).toString('base64url'));
      // Texts are compared, not bytes: base64 has several spellings of the same bytes.
      const given = Buffer.from(value.slice(dot + 1));
      return given.length === expected.length && timingSafeEqual(given, expected) ? json : null;
    },
  };
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The value is sealed by AES-256-GCM, `nonce | tag | text` in base64url: unreadable, and nobody else's work. */
export function sealed(secret: string): SessionCodec {
  const key = keyFor(secret, 'session seal');
  return {
    wrap(json) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    unwrap(value) {
      const bytes = Buffer.from(value, 'base64url');
      // Node skips what is no base64; the same bytes in another spelling are not ours.
      return bytes.toString('base64url') === value ? unseal(key, bytes) : null;
    },
  };
}

function unseal(key: KeyObject, bytes: Buffer): string | null {
  const start = NONCE_BYTES + TAG_BYTES;
  if (bytes.length < start) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, start));
  const text = decipher.update(bytes.subarray(start));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return text.toString();
}
