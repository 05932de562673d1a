import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { serve } from '../support/serve.js';

const SECRET = 'the secret of the shop, known to the provider';

/** What the provider does next; a test changes it. */
interface Behaviour {
  /** Signs ID tokens and signed user information. */
  sign: (claims: JWTPayload) => Promise<string>;
  /** Public keys of the provider; null for an answer of 500, undefined for none. */
  keys: object[] | null | undefined;
  isInfoSigned: boolean;
  nonce: string;
  keysAsked: number;
  info: string;
}

const signer =
  (alg: string, key: CryptoKey | Uint8Array, kid?: string) =>
  (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg, kid }).setIssuedAt().setExpirationTime('1m').sign(key);

async function answer(issuer: string, now: Behaviour, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = new URL(req.url ?? '', issuer).pathname;
  const json = (value: unknown): unknown =>
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  const claims = { iss: issuer, aud: 'shop', sub: 'ann', nonce: now.nonce };
  switch (path) {
    case '/jwks':
      now.keysAsked++;
      if (now.keys === null) res.writeHead(500).end();
      else if (now.keys !== undefined) json({ keys: now.keys });
      return;
    case '/token':
      json({ access_token: 'a', token_type: 'Bearer', id_token: await now.sign(claims) });
      return;
    case '/info':
      if (now.isInfoSigned) res.setHeader('Content-Type', 'application/jwt').end(await now.sign(claims));
      else res.setHeader('Content-Type', 'application/json').end(now.info);
      return;
    default:
      json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/info`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        userinfo_signing_alg_values_supported: ['RS256'],
      });
  }
}

/** A provider whose tokens are as a test wants them; its address. */
async function provider(t: Test, now: Behaviour): Promise<string> {
  let issuer = '';
  const server: Server = createServer((req, res) => void answer(issuer, now, req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const program = (issuer: string, secret: string): string => `use "oidc"
app = web_app()
app.sessions(secret: "s" * 32)
LOGIN = oidc("${issuer}", "shop", "http://127.0.0.1/callback", client_secret: ${secret}, timeout: 0.5)
app.get("/login") { |req| redirect(LOGIN.login_url(req), external: true) }
app.get("/callback") { |req| LOGIN.callback(req)["claims"] }
app.get("/refresh") { |req| LOGIN.refresh("r")["claims"] }
app.get("/kept") { |req| LOGIN.refresh("r")["refresh_token"] }
app.get("/info") { |req| LOGIN.user_info("a", "ann") }
app.error { |req, e| response("#{e.code}: #{e.message}", 401) }
app.run(0, "127.0.0.1")
`;

/** An application, its provider, and a function that logs in and returns the answer. */
async function shop(
  t: Test,
  now: Behaviour,
  secret = JSON.stringify(SECRET),
): Promise<{ login: () => Promise<string>; get: (path: string) => Promise<string> }> {
  const { port } = await serve(t, program(await provider(t, now), secret));
  const ask = (path: string, cookie = ''): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { Cookie: cookie } });
  return {
    login: async () => {
      const begun = await ask('/login');
      const sent = new URL(begun.headers.get('location') ?? '').searchParams;
      now.nonce = sent.get('nonce') ?? '';
      const cookie = begun.headers.getSetCookie()[0].split(';')[0];
      return (await ask(`/callback?code=c&state=${sent.get('state')}`, cookie)).text();
    },
    get: async (path) => (await ask(path)).text(),
  };
}

async function rsa(kid: string): Promise<{ jwk: object; privateKey: CryptoKey }> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }, privateKey };
}

const behaviour = (sign: Behaviour['sign'], keys: Behaviour['keys']): Behaviour => ({
  sign,
  keys,
  isInfoSigned: false,
  nonce: '',
  keysAsked: 0,
  info: '{"sub":"ann"}',
});

t.test('tokens of a provider are signed with its keys', async (t) => {
  const [own, other] = [await rsa('k1'), await rsa('k1')];
  const now = behaviour(signer('RS256', own.privateKey, 'k1'), [own.jwk]);
  const { login, get } = await shop(t, now);
  t.match(await login(), /"sub":"ann"/);
  t.match(await get('/refresh'), /"sub":"ann"/);
  t.equal(await get('/kept'), 'r', 'the refresh token stays in use if there is no new one');
  now.isInfoSigned = true;
  t.match(await get('/info'), /"sub":"ann"/);
  t.equal(now.keysAsked, 1, 'keys are kept');
  now.sign = () => Promise.resolve(`${Buffer.from('{"alg":"RS256"').toString('base64url')}.e30.e30`);
  t.match(await login(), /^token: the answer of the provider http:.* is not valid: .*JWT/, 'a broken token');
  now.sign = signer('RS256', other.privateKey, 'k1');
  const FORGED = /^token: the answer of the provider http:.* is not valid: the signature of the token is wrong$/;
  t.match(await login(), FORGED, 'another key');
  t.match(await get('/refresh'), FORGED, 'tokens of a refresh');
  t.match(await get('/info'), FORGED, 'signed user information');
  now.sign = async (claims) => {
    const [, payload] = (await signer('RS256', own.privateKey)(claims)).split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  };
  t.match(await login(), /^token: /, 'no signature');
  now.sign = signer('HS256', Buffer.from(JSON.stringify(own.jwk)));
  t.match(await login(), FORGED, 'a public key is no secret');
  now.sign = signer('RS256', other.privateKey, 'k2');
  t.match(await login(), /^token: .*: no key of the provider matches the token$/, 'an unknown key');
  t.equal(now.keysAsked, 1, 'unknown keys do not make it ask at once');
});

t.test('tokens that are signed with the secret of the client', async (t) => {
  const now = behaviour(signer('HS256', Buffer.from(SECRET)), null);
  t.match(await (await shop(t, now)).login(), /"sub":"ann"/);
  t.equal(now.keysAsked, 0);
  t.match(
    await (await shop(t, now, 'nil')).login(),
    /^token: .*: the token is signed with HS256, which needs a client_secret$/,
  );
});

t.test('keys that cannot be fetched, and new keys', async (t) => {
  const [old, fresh] = [await rsa('k1'), await rsa('k2')];
  const now = behaviour(signer('RS256', old.privateKey, 'k1'), null);
  const { login } = await shop(t, now);
  t.match(
    await login(),
    /^provider: the provider http:.* cannot be used: its keys cannot be fetched: Expected 200 OK from /,
  );
  now.keys = undefined;
  const start = performance.now();
  t.match(await login(), /^provider: .* its keys cannot be fetched: .*timeout/);
  t.ok(performance.now() - start < 5000, 'timeout: is heeded');
  now.keys = [old.jwk];
  t.match(await login(), /"sub":"ann"/, 'a failure is not kept');
  now.sign = signer('RS256', fresh.privateKey, 'k2');
  now.keys = [fresh.jwk];
  t.match(await login(), /^token: .*: no key of the provider matches/, 'the keys were fetched a moment ago');
});

/** A token whose content is the given JSON. */
const signedJson =
  (key: CryptoKey, json: (claims: string) => string) =>
  (claims: JWTPayload): Promise<string> => {
    const seconds = Math.floor(Date.now() / 1000);
    const content = json(JSON.stringify({ ...claims, iat: seconds, exp: seconds + 60 }).slice(1, -1));
    return new CompactSign(Buffer.from(content)).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key);
  };

t.test('numbers of claims and user information are those of the provider', async (t) => {
  const { jwk, privateKey } = await rsa('k1');
  const NUMBERS = '"id":1234567890123456789012,"ratio":1.0';
  const now = behaviour(
    signedJson(privateKey, (claims) => `{${claims},${NUMBERS}}`),
    [jwk],
  );
  const { login, get } = await shop(t, now);
  t.ok((await login()).endsWith(`,${NUMBERS}}`));
  t.ok((await get('/refresh')).endsWith(`,${NUMBERS}}`));
  now.info = `{"sub":"ann",${NUMBERS}}`;
  t.equal(await get('/info'), now.info);
  now.isInfoSigned = true;
  t.ok((await get('/info')).endsWith(`,${NUMBERS}}`));
  now.isInfoSigned = false;
  now.info = '{"sub":"ann","id":1e999}';
  t.match(await get('/info'), /^token: the answer of the provider http:.* is not valid: .*too large for a Float/);
});
