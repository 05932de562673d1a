import t from 'tap';
import type { Handle } from '../../../vm/values/handle.js';
import { call, sent, sessionWith } from './support.js';

type Session = ReturnType<typeof sessionWith>;

const HOST = ['Host', 'svc.test:3000'];

function check(method: string, headers: string[], session: Session, form = ''): boolean {
  return call('csrf_check', sent(method, headers, form), session as Handle) as boolean;
}

function token(session: Session): string {
  return call('csrf_token', session as Handle) as string;
}

t.test('a token is made on first use and masked each time', async (t) => {
  const session = sessionWith();
  const tokens = Array.from({ length: 100 }, () => token(session));
  const secret = session.data.get('_csrf');
  t.match(secret, /^[\w-]{43}$/);
  t.equal(new Set(tokens).size, 100);
  for (const text of tokens) {
    t.match(text, /^[\w-]{86}$/);
    t.notMatch(text, String(secret));
    t.ok(check('POST', [...HOST, 'X-CSRF-Token', text], session));
  }
  t.equal(session.data.get('_csrf'), secret, 'the secret stays');
  // Bits are evenly distributed, in the mask and in the masked secret.
  const high = tokens
    .map((text) => Buffer.from(text, 'base64url'))
    .reduce((sum, bytes) => sum + bytes.filter((byte) => byte > 127).length, 0);
  t.ok(Math.abs(high - 3200) < 400, `${high} of 6400 bytes`);
});

t.test('a secret of the wrong form is replaced', async (t) => {
  for (const value of ['', 'x', 5, null, ['a'], 'é'.repeat(43), 'a'.repeat(42), 'a'.repeat(44)]) {
    const session = sessionWith({ _csrf: value });
    t.notOk(check('POST', [...HOST, 'X-CSRF-Token', 'A'.repeat(86)], session), JSON.stringify(value));
    token(session);
    t.match(session.data.get('_csrf'), /^[\w-]{43}$/);
  }
});

t.test('safe methods pass', async (t) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    t.ok(
      check(method, [...HOST, 'Sec-Fetch-Site', 'cross-site', 'Origin', 'https://evil.test'], sessionWith()),
      method,
    );
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'get'])
    t.notOk(check(method, [...HOST], sessionWith()), method);
});

/** Sec-Fetch-Site, Origin, whether a valid token is sent, result. `-`: no header. */
// prettier-ignore
const RULES: [string, string, boolean, boolean][] = [
  ['same-origin', '-', false, true],
  ['none', '-', false, true],
  ['same-origin', 'https://evil.test', false, true],
  ['cross-site', '-', true, false],
  ['cross-site', 'http://svc.test:3000', true, false],
  ['same-site', '-', false, false],
  ['same-site', '-', true, true],
  ['same-site', 'http://other.svc.test:3000', true, false],
  ['same-site', 'http://svc.test:3000', false, true],
  ['-', '-', false, false],
  ['-', '-', true, true],
  // Unknown values are ignored; node joins two headers into one value.
  ['', '-', false, false],
  ['Same-Origin', '-', false, false],
  ['same-origin, cross-site', '-', false, false],
  ['same-origin, cross-site', 'http://svc.test:3000', false, true],
  ['-', 'http://svc.test:3000', false, true],
  ['-', 'https://svc.test:3000', false, true],
  ['-', 'HTTP://SVC.TEST:3000', false, true],
  ...[
    'null', '', 'http://svc.test', 'http://svc.test:3001', 'http://svc.test:30000', 'http://svc.test:3000/', 'http://svc.test:3000/x', 'http://svc.test:3000@evil.test', 'http://evil.test@svc.test:3000', 'http://a.svc.test:3000', 'http://svc.test:3000.evil.test',
    'http://svc.testx:3000', 'http://xsvc.test:3000', 'svc.test:3000', '//svc.test:3000', 'ftp://svc.test:3000', 'file://', 'http://', 'http:// svc.test:3000', 'http://svc.test:3000, http://evil.test', 'http://evil.test, http://svc.test:3000', 'http://svc.test:3000\t', 'http://svc.test:3000#', 'http://svc.test:3000?', 'javascript://svc.test:3000',
  ].map((origin): [string, string, boolean, boolean] => ['-', origin, true, false]),
];

t.test('Sec-Fetch-Site decides, then Origin, then the token', async (t) => {
  for (const [site, origin, hasToken, expected] of RULES) {
    const session = sessionWith();
    const good = token(session);
    const headers = [
      ...HOST,
      ...(site === '-' ? [] : ['sec-fetch-site', site]),
      ...(origin === '-' ? [] : ['ORIGIN', origin]),
      ...(hasToken ? ['x-csrf-token', good] : []),
    ];
    t.equal(check('POST', headers, session), expected, JSON.stringify([site, origin, hasToken]));
  }
});

t.test('default ports may be omitted', async (t) => {
  // prettier-ignore
  for (const [host, origin, expected] of [
    ['svc.test', 'https://svc.test', true], ['svc.test', 'http://svc.test', true], ['svc.test:443', 'https://svc.test', true], ['svc.test', 'https://svc.test:443', true], ['svc.test:80', 'http://svc.test', true], ['SVC.test', 'http://svc.test', true],
    ['svc.test:80', 'https://svc.test', false], ['svc.test:443', 'http://svc.test', false], ['svc.test:8080', 'http://svc.test', false], ['[::1]:3000', 'http://[::1]:3000', true], ['[::1]', 'http://[::1]:80', true], ['', 'http://', false],
  ] as const) t.equal(check('POST', ['Host', host, 'Origin', origin], sessionWith()), expected, `${origin} at ${host}`);
  t.notOk(check('POST', ['Origin', 'http://svc.test'], sessionWith()), 'no host');
});

t.test('tokens are read from the header or the form', async (t) => {
  const session = sessionWith();
  const good = token(session);
  const form = (text: string, type = 'application/x-www-form-urlencoded'): boolean =>
    check('POST', [...HOST, 'Content-Type', type], session, `a=1&_csrf=${text}`);
  t.ok(form(good));
  t.notOk(form(good, 'text/plain'));
  t.notOk(
    check('POST', [...HOST, 'X-CSRF-Token', 'x'], session, `_csrf=${good}`),
    'the header counts, where there is one',
  );
  t.notOk(check('POST', [...HOST, 'X-CSRF-Token', good, 'X-CSRF-Token', good], session), 'two headers');
  t.notOk(form(token(sessionWith())), 'of another session');
  t.notOk(check('POST', [...HOST, 'X-CSRF-Token', good], sessionWith()), 'in a session without a secret');
  for (const bad of [
    '',
    String(session.data.get('_csrf')),
    good.slice(1),
    `${good}A`,
    `${good}=`,
    ` ${good}`,
    'A'.repeat(86),
    good.slice(43) + good.slice(0, 43),
  ])
    t.notOk(form(encodeURIComponent(bad)), bad);
});

t.test('a token with any bit flipped is refused', async (t) => {
  const session = sessionWith();
  const good = Buffer.from(token(session), 'base64url');
  for (let bit = 0; bit < 512; bit++) {
    const bytes = Buffer.from(good);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    t.notOk(check('POST', [...HOST, 'X-CSRF-Token', bytes.toString('base64url')], session), `bit ${bit} flipped`);
  }
});

t.test('csrf_required halts', async (t) => {
  t.equal(
    call('csrf_required', sent('POST', HOST), sessionWith() as Handle),
    'halt 403 Forbidden (text/plain; charset=utf-8) ',
  );
  t.equal(call('csrf_required', sent('GET', HOST), sessionWith() as Handle), null);
  t.equal(call('csrf_token', 7), 'TypeError: csrf_token(): session must be SvcSession or nil, got Integer');
  t.match(call('csrf_token', null), /^RuntimeError: csrf_token\(\) needs a request/);
  t.match(call('csrf_check', sent('POST', HOST)), /^RuntimeError: csrf_check\(\) needs sessions: call app.sessions/);
});
