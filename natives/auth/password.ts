import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Errors, fail } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { decodeBase64 } from '../core/bytes/base64.js';
import { waitForOperation } from '../io/waiting.js';
import { longTurns } from '../poolturns.js';
import { Turns } from '../turns.js';

/** A stored password hash (RFC 7914): its parameters and the derived key. */
interface Stored {
  /** Binary logarithm of scrypt's cost parameter N. */
  ln: number;
  r: number;
  p: number;
  salt: Buffer;
  key: Buffer;
}

/** Parameters of new hashes: 32 MiB and about a tenth of a second. */
const NEW = { ln: 15, r: 8, p: 1, saltBytes: 16, keyBytes: 32 } as const;
/**
 * Maximum bytes that a hash may require, counted once for each of its `p` rounds. Limits its time as well as its
 * memory.
 */
const MAX_COST = 256 * 1024 * 1024;
/** Maximum characters of a hash text: above that with the largest salt and key. */
const MAX_TEXT = 256;
/** Accepted sizes. Shorter keys could match by chance and shorter salts could repeat; longer ones are not in use. */
const SALT_BYTES = { least: 8, most: 64 } as const;
const KEY_BYTES = { least: 16, most: 64 } as const;
/** Maximum simultaneous hashes in the process. */
const AT_ONCE = 2;

// The string format of the Password Hashing Competition, with the parameters in its order.
const FORM = /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,3}),p=([1-9]\d{0,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

// HMAC pads its key with NUL bytes, so NULs at the end have no effect; lone surrogates have no bytes in UTF-8.
const AMBIGUOUS = /[\0\p{Cs}]/u;

const turns = new Turns(AT_ONCE);

function memoryOf({ ln, r }: { ln: number; r: number }): number {
  return 128 * r * 2 ** ln;
}

function isWithin(bytes: Buffer, { least, most }: { least: number; most: number }): boolean {
  return bytes.length >= least && bytes.length <= most;
}

/** Parses a hash text. null when malformed, or when it would cost more than a server can afford. */
function parseStored(text: string): Stored | null {
  const match = text.length > MAX_TEXT ? null : FORM.exec(text);
  if (match === null) return null;
  const [ln, r, p] = match.slice(1, 4).map(Number);
  const [salt, key] = match.slice(4).map(decodeBase64);
  if (memoryOf({ ln, r }) * p > MAX_COST || salt === null || key === null) return null;
  return isWithin(salt, SALT_BYTES) && isWithin(key, KEY_BYTES) ? { ln, r, p, salt, key } : null;
}

/**
 * Derives the key of a password, when its turn comes, on a thread of node's pool; null for parameters that scrypt refuses.
 */
function derive(password: string, stored: Stored, signal: AbortSignal): Promise<Buffer | null> {
  return turns.run(() => longTurns.run(() => scrypted(password, stored), signal), signal);
}

function scrypted(password: string, { ln, r, p, salt, key }: Stored): Promise<Buffer | null> {
  return new Promise((resolve) => {
    try {
      scrypt(password, salt, key.length, { N: 2 ** ln, r, p, maxmem: 2 * MAX_COST }, (error, made) =>
        resolve(error === null ? made : null),
      );
    } catch {
      resolve(null);
    }
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Native `password_hash`: waits for the text to store in place of a password. @throws ArgumentError */
export function hashPassword(vm: NativeContext, password: string): undefined {
  if (password === '') fail(Errors.ArgumentError, 'password_hash() needs a password that is not empty');
  if (AMBIGUOUS.test(password))
    fail(
      Errors.ArgumentError,
      'password_hash(): the password contains a NUL or a lone surrogate, so other passwords would match it as well',
    );
  const { ln, r, p, saltBytes, keyBytes } = NEW;
  const wanted: Stored = { ln, r, p, salt: randomBytes(saltBytes), key: Buffer.alloc(keyBytes) };
  return waitForOperation(vm, 'password', async (signal) => {
    const key = await derive(password, wanted, signal);
    if (key === null) return fail(Errors.RuntimeError, 'password_hash(): there is not enough memory');
    return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(wanted.salt)}$${unpadded(key)}`;
  });
}

/** Replaces the hash of a user who does not exist, so that the response time does not reveal who does. */
const DECOY: Stored = {
  ln: NEW.ln,
  r: NEW.r,
  p: NEW.p,
  salt: Buffer.alloc(NEW.saltBytes),
  key: Buffer.alloc(NEW.keyBytes),
};

/** Native `password_verify`: waits for the result. Never an error: both arguments may come from anywhere. */
export function verifyPassword(vm: NativeContext, password: string | null, hash: string | null): Value | undefined {
  const stored = hash === null ? DECOY : parseStored(hash);
  if (stored === null || password === null || password === '' || AMBIGUOUS.test(password)) return false;
  return waitForOperation(vm, 'password', async (signal) => {
    const key = await derive(password, stored, signal);
    return key !== null && timingSafeEqual(key, stored.key) && hash !== null;
  });
}

/** Whether a hash is weaker than new ones of `password_hash`, or is not accepted by `password_verify`. */
export function needsRehash(hash: string | null): boolean {
  const stored = hash === null ? null : parseStored(hash);
  if (stored === null) return true;
  return memoryOf(stored) < memoryOf(NEW) || stored.salt.length < NEW.saltBytes || stored.key.length < NEW.keyBytes;
}
