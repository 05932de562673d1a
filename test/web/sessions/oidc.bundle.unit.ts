import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import t, { type Test } from 'tap';
import { freePort } from '../../freeport.js';
import type { Svcc } from '../../svcc/svcc.js';
import { serve } from '../support/serve.js';

const SECRET = 'the secret of the shop, known to the provider';

async function listening(t: Test, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A provider on a free port, at which the application on `port` is registered. Its pages accept every name. */
async function provider(t: Test, port: number): Promise<string> {
  let handle = (_req: IncomingMessage, _res: never): void => {};
  const issuer = `http://127.0.0.1:${await listening(
    t,
    createServer((req, res) => handle(req, res as never)),
  )}`;
  const { warn, info } = console;
  // It warns that its pages are for development.
  console.warn = console.info = () => {};
  const made = new Provider(issuer, {
    clients: [
      {
        client_id: 'shop',
        client_secret: SECRET,
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        post_logout_redirect_uris: [`http://127.0.0.1:${port}/`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, name: id.toUpperCase() }),
    }),
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ['a key of the test'] },
    issueRefreshToken: () => true,
  });
  Object.assign(console, { warn, info });
  handle = made.callback() as never;
  return issuer;
}

/** A browser: cookies by host, redirects by hand. */
class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  async ask(
    url: string,
    form: Record<string, string> | null = null,
  ): Promise<{ status: number; location: string; body: string }> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair, ...rest] = cookie.split(';');
      const [name, ...value] = pair.split('=');
      if (rest.some((part) => /max-age=0|expires=thu, 01 jan 1970/i.test(part)) || value.join('=') === '')
        jar.delete(name);
      else jar.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? '' : new URL(location, url).href,
      body: await response.text(),
    };
  }

  /** Follows redirects until a page, or an address that contains `stop`. */
  async follow(url: string, stop: string): Promise<{ url: string; body: string }> {
    let at = url;
    for (let hops = 0; hops < 20; hops++) {
      if (at.includes(stop)) return { url: at, body: '' };
      const { location, body } = await this.ask(at);
      if (location === '') return { url: at, body };
      at = location;
    }
    throw new Error(`too many redirects at ${at}`);
  }

  /** Logs in at the provider; returns the address of the application to which it sends the browser. */
  async login(start: string, name: string): Promise<string> {
    let { url, body } = await this.follow(start, '/callback?');
    while (!url.includes('/callback?')) {
      const form = body.includes('name="login"')
        ? { prompt: 'login', login: name, password: 'x' }
        : { prompt: 'consent' };
      const action = /action="([^"]+)"/.exec(body)?.[1] ?? url;
      const { location } = await this.ask(new URL(action, url).href, form as Record<string, string>);
      ({ url, body } = await this.follow(location, '/callback?'));
    }
    return url;
  }
}

function program(issuer: string, port: number, options = ''): string {
  return `use "oidc"
app = web_app()
app.sessions(secret: "s3cret", store: memory_store())
LOGIN = oidc("${issuer}", "shop", "http://127.0.0.1:${port}/callback", client_secret: "${SECRET}", scope: "openid email profile offline_access"${options})
app.get("/") { |req| "user #{req.session["user"] or "nobody"}" }
app.get("/login") { |req| redirect(LOGIN.login_url(req, return_to: req.query["to"], params: {prompt: "consent"}), external: true) }
app.get("/callback") do |req|
  login = LOGIN.callback(req)
  req.session.renew
  req.session["user"] = login["subject"]
  req.session["tokens"] = login.slice("access_token", "refresh_token", "id_token", "expires_at")
  redirect(login["return_to"])
rescue OidcError => e
  response("#{e.code}: #{e.message}", 401)
end
app.get("/info") do |req|
  tokens = req.session["tokens"]
  fresh = LOGIN.refresh(tokens["refresh_token"])
  info = LOGIN.user_info(fresh["access_token"], req.session["user"])
  {email: info["email"], name: info["name"], subject: fresh["subject"], renewed: fresh["access_token"] != tokens["access_token"], left: tokens["expires_at"] > now().timestamp}
end
app.get("/bad-refresh") do |req|
  LOGIN.refresh("nonsense")
rescue OidcError => e
  "#{e.code}: #{e.message}"
end
app.get("/logout") do |req|
  url = LOGIN.logout_url(id_token: req.session["tokens"]["id_token"], return_to: "http://127.0.0.1:${port}/")
  req.session.destroy
  redirect(url, external: true)
end
app.run(${port}, "127.0.0.1")
`;
}

/** The application and its provider. `own` is the application's address. */
async function shop(t: Test): Promise<{ server: Svcc; issuer: string; own: string }> {
  const port = await freePort();
  const issuer = await provider(t, port);
  const { server } = await serve(t, program(issuer, port));
  return { server, issuer, own: `http://127.0.0.1:${port}` };
}

t.test('login, refresh, user info and logout', async (t) => {
  const { server, issuer, own } = await shop(t);
  const browser = new Browser();
  const begun = await browser.ask(`${own}/login?to=${encodeURIComponent('/?page=2')}`);
  const sent = new URL(begun.location).searchParams;
  t.strictSame(
    ['client_id', 'response_type', 'redirect_uri', 'code_challenge_method', 'prompt'].map((name) => sent.get(name)),
    ['shop', 'code', `${own}/callback`, 'S256', 'consent'],
  );
  t.ok((sent.get('state') ?? '').length >= 32 && (sent.get('nonce') ?? '').length >= 32);
  const back = await browser.login(begun.location, 'ann');
  t.match(back, `${own}/callback?code=`);
  const done = await browser.ask(back);
  t.strictSame([done.status, done.location], [302, `${own}/?page=2`]);
  t.equal((await browser.ask(`${own}/`)).body, 'user ann');
  const again = await browser.ask(back);
  t.strictSame([again.status, again.body.split(':')[0]], [401, 'state'], 'a login can be finished once');
  t.strictSame(JSON.parse((await browser.ask(`${own}/info`)).body), {
    email: 'ann@example.org',
    name: 'ANN',
    subject: 'ann',
    renewed: true,
    left: true,
  });
  t.match((await browser.ask(`${own}/bad-refresh`)).body, /^refused: the provider http:.* refuses: invalid_grant/);
  const out = await browser.ask(`${own}/logout`);
  t.match(out.location, `${issuer}/session/end?`);
  t.match(out.location, /post_logout_redirect_uri=/);
  t.equal((await browser.ask(`${own}/`)).body, 'user nobody');
  const { stderr } = await server.stop();
  t.equal(stderr, '');
});

t.test('logins that are forged, refused or begun elsewhere', async (t) => {
  const { server, issuer, own } = await shop(t);
  const browser = new Browser();
  for (const path of ['/callback', '/callback?code=x', '/callback?state=x&code=y', '/callback?state=__proto__'])
    t.match((await browser.ask(own + path)).body, /^state: this browser has not begun this login/, path);
  // The answer to a login that an attacker has begun.
  const attacker = new Browser();
  const stolen = await attacker.login((await attacker.ask(`${own}/login`)).location, 'eve');
  t.match((await browser.ask(stolen)).body, /^state: /);
  const state = async (): Promise<string> =>
    new URL((await browser.ask(`${own}/login`)).location).searchParams.get('state') ?? '';
  t.match(
    (
      await browser.ask(
        `${own}/callback?error=access_denied&error_description=no%0Athanks&iss=${encodeURIComponent(issuer)}&state=${await state()}`,
      )
    ).body,
    /^denied: the login was not granted: access_denied: no\\nthanks$/,
  );
  t.match(
    (await browser.ask(`${own}/callback?code=wrong&iss=${encodeURIComponent(issuer)}&state=${await state()}`)).body,
    /^refused: the provider .* refuses: invalid_grant/,
  );
  t.match(
    (await browser.ask(`${own}/callback?code=wrong&iss=https%3A%2F%2Fevil.example&state=${await state()}`)).body,
    /^token: the answer of the provider .* is not valid: /,
    'an answer of another provider',
  );
  // Pages to return to are paths of this site.
  for (const [to, page] of [
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/a\nb', '/'],
    ['', '/'],
    ['/notes', '/notes'],
  ]) {
    const begun = await browser.ask(`${own}/login?to=${encodeURIComponent(to)}`);
    const { location } = await browser.ask(await browser.login(begun.location, 'ann'));
    t.equal(location, `${own}${page}`, to);
  }
  // Several tabs.
  const tabs = [await browser.ask(`${own}/login?to=/1`), await browser.ask(`${own}/login?to=/2`)];
  for (const [i, { location }] of tabs.entries())
    t.equal((await browser.ask(await browser.login(location, 'ann'))).location, `${own}/${i + 1}`);
  t.equal((await server.stop()).stderr, '');
});

t.test('a provider that is down, slow, or none', async (t) => {
  const port = await freePort();
  const odd = createServer((req, res) => {
    if (req.url?.startsWith('/slow') === true) return;
    res.end('hello');
  });
  const odds = await listening(t, odd);
  const cases = [
    [`http://127.0.0.1:${await freePort()}`, /^provider: the provider http:.* cannot be used: ECONNREFUSED/],
    [`http://127.0.0.1:${odds}/slow`, /^provider: the provider http:.* cannot be used: /],
    [
      `http://127.0.0.1:${odds}/odd`,
      /^provider: the provider http:.* cannot be used: unexpected response content-type$/,
    ],
  ] as const;
  const { server } = await serve(
    t,
    `use "oidc"
app = web_app()
app.sessions(secret: "s3cret")
LOGINS = [${cases.map(([issuer]) => `"${issuer}"`).join(', ')}].map { |issuer| oidc(issuer, "shop", "http://127.0.0.1:${port}/callback", timeout: 0.3) }
app.get("/login/:n") do |req|
  LOGINS[req.params["n"].to_i].login_url(req)
rescue OidcError => e
  "#{e.code}: #{e.message}"
end
app.run(${port}, "127.0.0.1")
`,
  );
  const browser = new Browser();
  for (const [i, [issuer, expected]] of cases.entries())
    t.match((await browser.ask(`http://127.0.0.1:${port}/login/${i}`)).body, expected, issuer);
  t.equal((await server.stop()).stderr, '');
});
