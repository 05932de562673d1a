import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, decodeProtectedHeader, exportJWK, importJWK, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { DateValue } from '../../../natives/core/dates/date.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { freePort } from '../../freeport.js';
import { callWaiting, requestWith, started } from './support.js';

const SECRET = 'a secret of more than thirty-two bytes';
const CLAIMS: [string, Value][] = [
  ['sub', 'ann'],
  ['n', 2n ** 70n],
];

const pem = { type: 'spki', format: 'pem' } as const;
const privatePem = { type: 'pkcs8', format: 'pem' } as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: pem, privateKeyEncoding: privatePem });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: pem, privateKeyEncoding: privatePem });
const ed = generateKeyPairSync('ed25519', { publicKeyEncoding: pem, privateKeyEncoding: privatePem });

function sign(claims: Hash, ...rest: Value[]): Promise<string> {
  return callWaiting('jwt_sign', claims, ...rest) as Promise<string>;
}

/** The claims, or the error, as text. */
async function verify(token: string, ...rest: Value[]): Promise<string> {
  const value = await callWaiting('jwt_verify', token, ...rest);
  return typeof value === 'string' ? value : inspect(value);
}

function hash(entries: Record<string, Value>): Hash {
  return Hash.from(Object.entries(entries));
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const later = (): number => Math.floor(Date.now() / 1000);

t.test('every algorithm verifies what it has signed, as jose does', async (t) => {
  for (const [algorithm, own, shared] of [
    ['HS256', SECRET, SECRET],
    ['HS384', SECRET, SECRET],
    ['HS512', SECRET, SECRET],
    ['RS256', rsa.privateKey, rsa.publicKey],
    ['PS512', rsa.privateKey, rsa.publicKey],
    ['ES256', ec.privateKey, ec.publicKey],
    ['EdDSA', ed.privateKey, ed.publicKey],
    ['Ed25519', ed.privateKey, ed.publicKey],
  ]) {
    const token = await sign(Hash.from(CLAIMS), own, algorithm, null, 'k1');
    t.match(await verify(token, shared, algorithm), /^\{sub: "ann", n: 1180591620717411303424, iat: \d+\}$/, algorithm);
    t.strictSame(decodeProtectedHeader(token), { alg: algorithm, typ: 'JWT', kid: 'k1' });
    const bad = token.slice(0, -8) + (token.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA');
    t.equal(await verify(bad, shared, algorithm), 'JwtError: the signature of the token is wrong', algorithm);
    const claims = token.split('.');
    claims[1] = part({ sub: 'bob' });
    t.equal(await verify(claims.join('.'), shared, algorithm), 'JwtError: the signature of the token is wrong');
  }
  const { payload } = await jwtVerify(await sign(hash({ a: 1 }), SECRET, 'HS256', 60), Buffer.from(SECRET));
  t.equal(Number(payload.exp) - Number(payload.iat), 60);
});

t.test('the example of RFC 7515, A.1', async (t) => {
  const key = hash({
    kty: 'oct',
    k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  });
  const token =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  t.equal(await verify(token, key, 'HS256'), 'JwtError: the token has expired');
  t.match(await verify(token, key, 'HS256', null, null, 10n ** 10n), /iss: "joe"/, 'within the leeway');
});

t.test('only named algorithms are accepted, and none never', async (t) => {
  const token = await sign(Hash.from(CLAIMS), SECRET, 'HS256');
  t.equal(await verify(token, SECRET, 'HS512'), 'JwtError: the token is signed with HS256; expected HS512');
  t.match(await verify(token, SECRET, ['HS512', 'HS256']), /sub: "ann"/);
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    const unsigned = `${part({ alg })}.${part({ sub: 'ann' })}.`;
    t.match(await verify(unsigned, SECRET, 'HS256'), /^JwtError: the token is signed with/, alg);
    t.match(await verify(unsigned, SECRET, alg), /^ArgumentError: jwt_verify\(\): unknown algorithm/, alg);
    t.match(await sign(Hash.from(CLAIMS), SECRET, alg), /^ArgumentError: jwt_sign\(\): unknown algorithm/, alg);
  }
  t.match(await verify(token, SECRET, []), /^ArgumentError: jwt_verify\(\): name the algorithms/);
  t.match(await verify(token, SECRET, [1]), /unknown algorithm Integer/);
});

t.test('a public key is no secret', async (t) => {
  // The attack: sign with the public key as the secret of HMAC.
  const content = `${part({ alg: 'HS256' })}.${part({ sub: 'admin' })}`;
  const forged = `${content}.${createHmac('sha256', rsa.publicKey).update(content).digest('base64url')}`;
  t.equal(await verify(forged, rsa.publicKey, 'RS256'), 'JwtError: the token is signed with HS256; expected RS256');
  t.match(await verify(forged, rsa.publicKey, ['RS256', 'HS256']), /^ArgumentError: .* HS256 needs a secret text/);
  t.match(
    await sign(Hash.from(CLAIMS), rsa.publicKey, 'HS256'),
    /^ArgumentError: jwt_sign\(\): HS256 needs a secret text/,
  );
  t.match(
    await sign(Hash.from(CLAIMS), SECRET, 'RS256'),
    /^ArgumentError: jwt_sign\(\): RS256 needs a key in PEM or JWK/,
  );
  t.match(await sign(Hash.from(CLAIMS), '', 'HS256'), /needs a secret text that is not empty/);
  t.match(
    await sign(Hash.from(CLAIMS), rsa.publicKey, 'RS256'),
    /^ArgumentError: jwt_sign\(\): the key is no private key/,
  );
  t.match(
    await sign(Hash.from(CLAIMS), ec.privateKey, 'RS256'),
    /^ArgumentError: jwt_sign\(\): RS256 needs a key of type rsa, this one is of type ec$/,
  );
  t.match(
    await sign(Hash.from(CLAIMS), hash({ kty: 'RSA' }), 'RS256'),
    /^ArgumentError: jwt_sign\(\): the key is no private key/,
  );
  t.match(await sign(Hash.from(CLAIMS), hash({ kty: 'RSA' }), 'HS256'), /a JWK of type oct$/);
});

t.test('claims are checked', async (t) => {
  const now = later();
  const made = (claims: Record<string, Value>): Promise<string> => sign(hash(claims), SECRET, 'HS256');
  const check = async (claims: Record<string, Value>, ...rest: Value[]): Promise<string> =>
    verify(await made(claims), SECRET, 'HS256', ...rest);
  t.equal(await check({ exp: now - 10 }), 'JwtError: the token has expired');
  t.match(await check({ exp: now - 10 }, null, null, 60), /exp/);
  t.match(await check({ exp: new DateValue((now + 60) * 1000) }), new RegExp(`exp: ${now + 60}`));
  t.equal(await check({ exp: 'soon' }), 'JwtError: the claim "exp" of the token is not of its type');
  t.equal(await check({ nbf: now + 60 }), 'JwtError: the claim "nbf" of the token says that it is not valid yet');
  t.match(await check({ iss: 'a' }, 'a'), /iss/);
  t.equal(await check({ iss: 'a' }, 'b'), 'JwtError: the claim "iss" of the token is not the expected one');
  t.equal(await check({}, 'b'), 'JwtError: the claim "iss" of the token is missing');
  t.match(await check({ iss: 'a' }, ['b', 'a']), /iss/);
  t.match(await check({ aud: ['x', 'y'] }, null, 'y'), /aud/);
  t.equal(await check({ aud: 'x' }, null, ['y']), 'JwtError: the claim "aud" of the token is not the expected one');
  t.equal(await check({}, null, null, 0, ['sub']), 'JwtError: the claim "sub" of the token is missing');
  t.match(await check({ sub: 'x' }, null, null, 0, 'sub'), /sub/);
  t.match(
    await check({}, [1]),
    /^TypeError: jwt_verify\(\): issuer must be a String or a Vector of Strings, got Integer/,
  );
  t.match(await check({}, null, null, -1), /^ArgumentError: jwt_verify\(\): leeway/);
  t.match(await sign(hash({}), SECRET, 'HS256', new Float(-1)), /^ArgumentError: jwt_sign\(\): expires_in/);
  t.match(await sign(hash({ text: 'x'.repeat(1_000_000) }), SECRET, 'HS256'), /^ArgumentError: .* too large/);
});

t.test('texts that are no tokens', async (t) => {
  for (const text of ['', '.', '..', 'a.b', 'a.b.c', 'é.é.é', `${part({ alg: 'HS256' })}.x.y`, `${part([])}.x.y`, '{}'])
    t.match(
      await verify(text, SECRET, 'HS256'),
      /^JwtError: the (text is no|token is signed with no|signature of the)/,
      text,
    );
  t.match(await verify('a'.repeat(70_000), SECRET, 'HS256'), /^JwtError: the token is longer than 65536 characters/);
  for (const payload of ['[1]', '"x"', 'null', '{', ''])
    t.match(
      await verify(
        await new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(SECRET)),
        SECRET,
        'HS256',
      ),
      /^JwtError: /,
      payload,
    );
});

/** A server of keys. */
async function keyServer(t: Test): Promise<{ url: string; state: { answer: unknown; asked: number; status: number } }> {
  const state = { answer: null as unknown, asked: 0, status: 200 };
  const server = createServer((_req, res) => {
    state.asked++;
    if (state.answer === null) return;
    res.writeHead(state.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(state.answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, state };
}

async function publicJwk(key: string, kid: string): Promise<Record<string, unknown>> {
  const { createPublicKey } = await import('node:crypto');
  return { ...(await exportJWK(createPublicKey(key))), kid };
}

t.test('keys at an address are fetched once and kept', async (t) => {
  const { url, state } = await keyServer(t);
  state.answer = { keys: [await publicJwk(rsa.publicKey, 'r'), await publicJwk(ec.publicKey, 'e')] };
  const keys = await callWaiting('jwt_keys', url);
  t.equal(state.asked, 0, 'not before they are needed');
  const tokens = [
    await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256', null, 'r'),
    await sign(Hash.from(CLAIMS), ec.privateKey, 'ES256', null, 'e'),
  ];
  const both = ['RS256', 'ES256'];
  await Promise.all(tokens.concat(tokens).map(async (token) => t.match(await verify(token, keys, both), /sub: "ann"/)));
  t.equal(state.asked, 1);
  t.equal(
    await verify(tokens[1], keys, 'RS256'),
    'JwtError: the token is not signed with one of the expected algorithms',
  );
  const other = await sign(Hash.from(CLAIMS), ed.privateKey, 'EdDSA', null, 'x');
  t.equal(await verify(other, keys, 'EdDSA'), 'JwtError: no key of the set matches the token');
  t.equal(state.asked, 1, 'a token with an unknown key does not fetch them again at once');
  const secret = await sign(Hash.from(CLAIMS), SECRET, 'HS256', null, 'r');
  t.match(await verify(secret, keys, ['HS256', 'RS256']), /^JwtError: /, 'an address has no secrets');
});

t.test('keys that cannot be fetched', async (t) => {
  const { url, state } = await keyServer(t);
  const token = await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256', null, 'r');
  const keys = await callWaiting('jwt_keys', url, 600, new Float(0.05));
  t.match(await verify(token, keys, 'RS256'), /^JwtError: the keys at http:.*\/jwks cannot be fetched: /, 'slow');
  state.answer = { keys: [] };
  state.status = 500;
  t.match(await verify(token, keys, 'RS256'), /^JwtError: the keys at .* cannot be fetched: /);
  state.status = 200;
  state.answer = 'nonsense';
  t.match(await verify(token, keys, 'RS256'), /^JwtError: the keys at .* cannot be fetched: /);
  state.answer = { keys: [await publicJwk(rsa.publicKey, 'r')] };
  t.match(await verify(token, keys, 'RS256'), /sub: "ann"/, 'and when they can, all is well');
  const gone = await callWaiting('jwt_keys', `http://127.0.0.1:${await freePort()}/jwks`);
  t.match(await verify(token, gone, 'RS256'), /^JwtError: the keys at .* cannot be fetched: ECONNREFUSED$/);
  for (const bad of ['', 'x', 'file:///etc/passwd', '/jwks', 'http://example.org/jwks'])
    t.match(
      await callWaiting('jwt_keys', bad),
      /^ArgumentError: jwt_keys\(\): url must be an address that begins with https:/,
      bad,
    );
});

t.test('a thread that waits for keys can be cancelled', async (t) => {
  const { url } = await keyServer(t);
  const token = await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256', null, 'r');
  const keys = await callWaiting('jwt_keys', url, 600, new Float(0.2));
  const { result, cancel } = started('jwt_verify', token, keys, 'RS256');
  cancel();
  t.equal(await result, 'cancel');
});

t.test('a set of keys in a Hash', async (t) => {
  const jwk = await publicJwk(rsa.publicKey, 'r');
  const keys = hash({ keys: [Hash.from(Object.entries(jwk) as [string, Value][])] });
  t.match(await verify(await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256', null, 'r'), keys, 'RS256'), /ann/);
  const single = Hash.from(Object.entries(jwk) as [string, Value][]);
  t.match(await verify(await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256'), single, 'RS256'), /ann/);
  t.ok(await importJWK(jwk, 'RS256'));
});

t.test('jwt_required halts with 401', async (t) => {
  const token = await sign(Hash.from(CLAIMS), SECRET, 'HS256');
  const ask = (header: string): Promise<Value> =>
    callWaiting('jwt_required', requestWith('Authorization', header), SECRET, 'HS256');
  t.match(inspect(await ask(`Bearer ${token}`)), /sub: "ann"/);
  t.match(inspect(await ask(`bearer  ${token}`)), /sub: "ann"/);
  t.match(await ask(`Bearer ${token}x`), /^halt 401 Unauthorized .*WWW-Authenticate: Bearer error="invalid_token"$/);
  t.match(await ask('Bearer'), /^halt 401 Unauthorized .*WWW-Authenticate: Bearer$/);
  t.match(await ask('Basic YTpi'), /^halt 401 Unauthorized/);
  const keys = await callWaiting('jwt_keys', `http://127.0.0.1:${await freePort()}/jwks`);
  const other = await sign(Hash.from(CLAIMS), rsa.privateKey, 'RS256');
  t.match(
    await callWaiting('jwt_required', requestWith('Authorization', `Bearer ${other}`), keys, 'RS256'),
    /^JwtError: the keys at/,
    'that is no fault of the client',
  );
});
