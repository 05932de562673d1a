import { createPrivateKey, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import { Errors, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { encodeJson } from '../core/json/encode.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { reasonOf } from '../reasons.js';

/** Algorithms of signatures (RFC 7518 3.1, RFC 8037). `none` is not one of them. */
const ALGORITHMS: ReadonlySet<string> = new Set(
  'HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
);

const isSecretAlgorithm = (algorithm: string): boolean => algorithm.startsWith('HS');

/** Names of algorithms as given by a program. @throws ArgumentError */
export function algorithmsOf(what: string, given: Value): string[] {
  const names = Array.isArray(given) ? given : [given];
  if (names.length === 0) fail(Errors.ArgumentError, `${what}: name the algorithms that you expect, such as "RS256"`);
  for (const name of names)
    if (typeof name !== 'string' || !ALGORITHMS.has(name))
      fail(
        Errors.ArgumentError,
        `${what}: unknown algorithm ${typeof name === 'string' ? JSON.stringify(name) : typeName(name)}; known are ${[...ALGORITHMS].join(', ')}`,
      );
  return names as string[];
}

/** A function that finds the key of a token, as `jose` calls it. */
export type FindKey = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

const KEYS = new HandleType('SvcJwtKeys');

/** Public keys that are fetched from an address and kept for a while. */
export class JwtKeys extends Handle {
  private found: Promise<FindKey> | null = null;

  /** @param age milliseconds for which the keys are kept @param limit milliseconds for a request */
  constructor(
    readonly url: string,
    private readonly age: number,
    private readonly limit: number,
  ) {
    super();
  }

  get type(): HandleType {
    return KEYS;
  }

  override describe(): string {
    return `<SvcJwtKeys ${this.url}>`;
  }

  finder(): Promise<FindKey> {
    return (this.found ??= import('jose').then(({ createRemoteJWKSet }) =>
      createRemoteJWKSet(new URL(this.url), { cacheMaxAge: this.age, timeoutDuration: this.limit }),
    ));
  }
}

/** Why a request for keys, or to a provider, has failed: codes of the packages say less than their messages. */
export function fetchReason(error: Error & { code?: string }): string {
  let inner = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  return /^(ERR_J|OAUTH_)/.test(inner.code ?? '') ? inner.message : reasonOf(inner);
}

/** Keys that were read from texts, by use and text. A program has a few, but may also compute them. */
const parsed = new Map<string, KeyObject>();
const MAX_PARSED = 64;

function keptKey(name: string, read: () => KeyObject): KeyObject {
  let key = parsed.get(name);
  if (key === undefined) {
    key = read();
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(name, key);
  }
  return key;
}

const PEM = /^\s*-----BEGIN /;

function readKey(what: string, isPrivate: boolean, key: string | Hash): KeyObject {
  try {
    const input = key instanceof Hash ? ({ key: jwkOf(key), format: 'jwk' } as const) : key;
    return isPrivate ? createPrivateKey(input) : createPublicKey(input);
  } catch (error) {
    return fail(
      Errors.ArgumentError,
      `${what}: the key is no ${isPrivate ? 'private' : 'public'} key in PEM or JWK: ${(error as Error).message}`,
    );
  }
}

/** A Hash as a JSON Web Key or a set of them. */
function jwkOf(hash: Hash): JsonWebKey {
  return JSON.parse(encodeJson(hash)) as JsonWebKey;
}

function secretKey(what: string, algorithm: string, key: string | Hash): KeyObject {
  const jwk = key instanceof Hash ? jwkOf(key) : null;
  const secret = jwk === null ? key : jwk.kty === 'oct' ? jwk.k : undefined;
  // A public key is no secret: whoever knows it could sign.
  if (typeof secret !== 'string' || secret === '' || (jwk === null && PEM.test(secret)))
    return fail(
      Errors.ArgumentError,
      `${what}: ${algorithm} needs a secret text that is not empty, or a JWK of type oct`,
    );
  return createSecretKey(
    jwk === null ? Buffer.from(wellFormed(secret, `${what}: the secret`)) : Buffer.from(secret, 'base64url'),
  );
}

/** The key for an algorithm. @throws ArgumentError if the key is not of its kind */
export function keyOf(what: string, algorithm: string, key: string | Hash, isPrivate: boolean): KeyObject {
  if (isSecretAlgorithm(algorithm)) return secretKey(what, algorithm, key);
  if (typeof key === 'string' && !PEM.test(key))
    fail(Errors.ArgumentError, `${what}: ${algorithm} needs a key in PEM or JWK, not a secret`);
  const text = typeof key === 'string' ? key : encodeJson(key);
  return keptKey(`${isPrivate ? 'private' : 'public'} ${text}`, () => readKey(what, isPrivate, key));
}

/** A set of keys in a Hash, as in the JSON of an identity provider; null if the Hash is a single key. */
export function keySetOf(key: Hash): JSONWebKeySet | null {
  return Array.isArray(key.get('keys')) ? (jwkOf(key) as unknown as JSONWebKeySet) : null;
}
