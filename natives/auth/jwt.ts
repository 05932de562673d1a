import { trustedAddress } from './addresses.js';
import type { KeyObject } from 'node:crypto';
import type { errors, JWTVerifyOptions } from 'jose';
import { nativeLike, native } from '../../vm/calls/native.js';
import { Errors, ErrorValue, fail, Signal, SvcError } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import { isLarge } from '../../vm/values/weight.js';
import { typeName } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { DateValue } from '../core/dates/date.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import { functions, type Num } from '../core/declare.js';
import { encodeJson } from '../core/json/encode.js';
import { parseJson } from '../core/json/jsonparse.js';
import { waitForOperation } from '../io/waiting.js';
import type { Request } from '../web/request/request.js';
import { refusalTo } from '../web/response/refusals.js';
import { authorizationOf } from './authorization.js';
import { algorithmsOf, fetchReason, type FindKey, JwtKeys, keyOf, keySetOf } from './jwtkeys.js';

/** Maximum characters of a token; servers accept no longer headers, and longer ones take long to check. */
const MAX_TOKEN = 65_536;

/** Three parts in base64url (RFC 7515 7.1): decoders also accept blanks and padding. */
const TOKEN = /^[\w-]*\.[\w-]*\.[\w-]*$/;

/** Codes of JwtError. */
type Code = 'malformed' | 'algorithm' | 'signature' | 'expired' | 'claim' | 'keys';

function jwtError(code: Code, message: string): SvcError {
  const value = new ErrorValue(Errors.JwtError, message);
  value.details = { code };
  return new SvcError(value);
}

function secondsOf(what: string, name: string, given: Num | DurationValue): number {
  const time = inSeconds(given);
  const seconds = time instanceof Float ? time.n : Number(time);
  return seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER
    ? seconds
    : fail(Errors.ArgumentError, `${what}: ${name} must be a time of 0 seconds or more, got ${seconds}`);
}

/** The claims with their times, as JSON. Dates become seconds since 1970, as tokens have them. */
function payloadOf(claims: Hash, now: number, life: number | null): string {
  if (isLarge(claims)) fail(Errors.ArgumentError, 'jwt_sign(): the claims are too large for a token');
  const all = claims.copy();
  for (const [key, value] of claims.entries())
    if (value instanceof DateValue) all.set(key, Math.floor(value.ms / 1000));
  if (!all.has('iat')) all.set('iat', Math.floor(now / 1000));
  if (life !== null) all.set('exp', Math.floor(now / 1000 + life));
  return encodeJson(all);
}

/** Native `jwt_sign`. @throws ArgumentError, ValueError */
function sign(
  vm: NativeContext,
  claims: Hash,
  key: string | Hash,
  algorithm: string,
  expiresIn: Num | DurationValue | null,
  kid: string | null,
): undefined {
  const [alg] = algorithmsOf('jwt_sign()', algorithm);
  const secret = keyOf('jwt_sign()', alg, key, true);
  checkKind(alg, secret);
  const life = expiresIn === null ? null : secondsOf('jwt_sign()', 'expires_in', expiresIn);
  const payload = payloadOf(claims, vm.host.wallClock(), life);
  const header = { alg, typ: 'JWT', ...(kid === null ? {} : { kid }) };
  return waitForOperation(vm, 'signature', async () => {
    const { CompactSign } = await import('jose');
    try {
      return await new CompactSign(Buffer.from(payload)).setProtectedHeader(header).sign(secret);
    } catch (error) {
      return fail(Errors.ArgumentError, `jwt_sign(): ${(error as Error).message}`);
    }
  });
}

/** Types of keys, as node names them, by the first letters of the algorithms that sign with them. */
const KEY_TYPES: Readonly<Record<string, readonly string[]>> = {
  RS: ['rsa'],
  PS: ['rsa', 'rsa-pss'],
  ES: ['ec'],
  Ed: ['ed25519', 'ed448'],
};

/** @throws ArgumentError for a private key that is of another kind than the algorithm's */
function checkKind(algorithm: string, { asymmetricKeyType: type }: KeyObject): void {
  const fitting = KEY_TYPES[algorithm.slice(0, 2)];
  if (type === undefined || fitting === undefined || fitting.includes(type)) return;
  fail(
    Errors.ArgumentError,
    `jwt_sign(): ${algorithm} needs a key of type ${fitting.join(' or ')}, this one is of type ${type}`,
  );
}

/** What a token must be like. */
interface Wanted {
  /** The function that checks, for messages. */
  what: string;
  token: string;
  key: string | Hash | JwtKeys;
  algorithms: string[];
  options: JWTVerifyOptions;
}

function textsOf(what: string, name: string, given: Value): string[] | undefined {
  if (given === null) return undefined;
  const texts = Array.isArray(given) ? given : [given];
  for (const text of texts)
    if (typeof text !== 'string')
      fail(Errors.TypeError, `${what}: ${name} must be a String or a Vector of Strings, got ${typeName(text)}`);
  return texts as string[];
}

type Checks = [issuer: Value, audience: Value, leeway: Num | DurationValue, requires: Value];

function wantedOf(
  vm: NativeContext,
  what: string,
  token: string,
  key: string | Hash | JwtKeys,
  given: Value,
  [issuer, audience, leeway, requires]: Checks,
): Wanted {
  const algorithms = algorithmsOf(what, given);
  return {
    what,
    token,
    key,
    algorithms,
    options: {
      algorithms,
      issuer: textsOf(what, 'issuer', issuer),
      audience: textsOf(what, 'audience', audience),
      clockTolerance: secondsOf(what, 'leeway', leeway),
      requiredClaims: textsOf(what, 'requires', requires),
      currentDate: new Date(vm.host.wallClock()),
    },
  };
}

/** The key for a token: that of the algorithm in its header, which is one of the expected ones, or one of a set. */
async function finderOf({ what, token, key, algorithms }: Wanted): Promise<KeyObject | FindKey> {
  const { createLocalJWKSet, decodeProtectedHeader } = await import('jose');
  if (key instanceof JwtKeys) return key.finder();
  const set = key instanceof Hash ? keySetOf(key) : null;
  if (set !== null) return createLocalJWKSet(set);
  const { alg } = decodeProtectedHeader(token);
  if (alg === undefined || !algorithms.includes(alg))
    throw jwtError(
      'algorithm',
      `the token is signed with ${alg ?? 'no algorithm'}; expected ${algorithms.join(' or ')}`,
    );
  return keyOf(what, alg, key, false);
}

/** Checks a token; returns its claims. */
async function claimsOf(wanted: Wanted): Promise<Value> {
  const { token, key, options } = wanted;
  if (token.length > MAX_TOKEN) throw jwtError('malformed', `the token is longer than ${MAX_TOKEN} characters`);
  if (!TOKEN.test(token)) throw jwtError('malformed', 'the text is no JSON Web Token');
  const { jwtVerify } = await import('jose');
  try {
    await jwtVerify(token, (await finderOf(wanted)) as FindKey, options);
  } catch (error) {
    throw error instanceof SvcError ? error : translated(error as Error, key);
  }
  try {
    // The numbers of the language: JavaScript's would lose digits of large Integers.
    return parseJson(Buffer.from(token.split('.')[1], 'base64url').toString());
  } catch {
    throw jwtError('malformed', 'the claims of the token are no JSON');
  }
}

/** The error of the language for one of `jose`. */
function translated(error: Error, key: Wanted['key']): SvcError {
  const { code, claim, reason } = error as errors.JWTClaimValidationFailed;
  switch (code) {
    case 'ERR_JWT_EXPIRED':
      return jwtError('expired', 'the token has expired');
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
      return jwtError('claim', `the claim ${JSON.stringify(claim)} of the token ${claimProblem(claim, reason)}`);
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
    case 'ERR_JOSE_NOT_SUPPORTED':
      return jwtError('algorithm', 'the token is not signed with one of the expected algorithms');
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return jwtError('signature', 'the signature of the token is wrong');
    case 'ERR_JWKS_NO_MATCHING_KEY':
    case 'ERR_JWKS_MULTIPLE_MATCHING_KEYS':
      return jwtError('signature', 'no key of the set matches the token');
    default:
      return key instanceof JwtKeys && !/^ERR_(JWS|JWT)_/.test(code ?? '')
        ? jwtError('keys', `the keys at ${key.url} cannot be fetched: ${fetchReason(error)}`)
        : jwtError('malformed', 'the text is no JSON Web Token');
  }
}

function claimProblem(claim: string, reason: string): string {
  if (reason === 'missing') return 'is missing';
  if (reason === 'invalid') return 'is not of its type';
  return claim === 'nbf' ? 'says that it is not valid yet' : 'is not the expected one';
}

/** Native `jwt_verify`. @throws JwtError, ArgumentError */
function verify(
  vm: NativeContext,
  token: string,
  key: string | Hash | JwtKeys,
  algorithms: Value,
  ...checks: Checks
): undefined {
  const wanted = wantedOf(vm, 'jwt_verify()', token, key, algorithms, checks);
  return waitForOperation(vm, 'signature', () => claimsOf(wanted));
}

const VERIFY = native('jwt_verify', '', 'Hash', 'Checks a token.', () => null);

/** Native `jwt_required`: halts with 401 without a valid token. @throws JwtError if keys cannot be fetched */
function required(
  vm: NativeContext,
  request: Request,
  key: string | Hash | JwtKeys,
  algorithms: Value,
  ...checks: Checks
): undefined {
  const given = authorizationOf(request);
  if (given?.scheme !== 'bearer') throw unauthorized(request, 'Bearer');
  const wanted = wantedOf(vm, 'jwt_required()', given.credentials.trim(), key, algorithms, checks);
  return vm.callThen(
    nativeLike(VERIFY, () => waitForOperation(vm, 'signature', () => claimsOf(wanted))),
    [],
    {
      done: (claims) => claims,
      failed: (thrown) => {
        const isInvalid = thrown instanceof SvcError && thrown.value.type === Errors.JwtError;
        throw isInvalid && thrown.value.details?.code !== 'keys'
          ? unauthorized(request, 'Bearer error="invalid_token"')
          : thrown;
      },
    },
  );
}

function unauthorized(request: Request, challenge: string): Signal {
  const response = refusalTo(request, 401, 'Unauthorized');
  response.addField('WWW-Authenticate', challenge);
  return new Signal('halt', response);
}

/** Native `jwt_keys`. @throws ArgumentError */
function keys(_vm: NativeContext, url: string, age: Num | DurationValue, limit: Num | DurationValue): JwtKeys {
  trustedAddress('jwt_keys(): url', url);
  return new JwtKeys(
    url,
    secondsOf('jwt_keys()', 'max_age', age) * 1000,
    Math.ceil(secondsOf('jwt_keys()', 'timeout', limit) * 1000),
  );
}

const CHECKS =
  'key: String|Hash|SvcJwtKeys, algorithms: String|Vector, issuer: String|Vector? = nil, audience: String|Vector? = nil, leeway: Number|Duration = 0, requires: String|Vector? = nil';

/** The module `jwt`: JSON Web Tokens (RFC 7519). */
// prettier-ignore
export const jwt: readonly NativeFunction[] = functions([
  ['jwt_sign', 'claims: Hash, key: String|Hash, algorithm: String, expires_in: Number|Duration? = nil, kid: String? = nil', 'String', 'A JSON Web Token of the claims, signed with a secret (HS256 …), or a private key in PEM or JWK (RS256, ES256, EdDSA …). It gets the claim `iat`, and with `expires_in` `exp`.', sign],
  ['jwt_verify', `token: String, ${CHECKS}`, 'Hash', 'The claims of a JSON Web Token that one of the named algorithms has signed, and whose `exp` and `nbf` fit the time. `issuer` and `audience` are compared, claims in `requires` must be there. JwtError otherwise; its `code` is malformed, algorithm, signature, expired, claim or keys.', verify],
  ['jwt_required', `req: SvcRequest, ${CHECKS}`, 'Hash', 'The claims of the token in a request’s Authorization header, checked as by `jwt_verify`; halts with 401 Unauthorized without a valid one.', required],
  ['jwt_keys', 'url: String, max_age: Number|Duration = 600, timeout: Number|Duration = 5', 'SvcJwtKeys', 'The public keys at an address (JWKS), as keys for `jwt_verify`. They are fetched at the first use, kept for `max_age`, and fetched again when a token names an unknown one, at most every 30 seconds.', keys],
]);
