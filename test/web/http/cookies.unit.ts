import { parseSetCookie } from 'cookie';
import t from 'tap';
import { cookieText, parseCookies } from '../../../natives/http/cookies.js';
import { isHeaderValue } from '../../../natives/http/headers.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';

const LIMIT = 200;

/** What a browser stores (RFC 6265 5.2, steps 1 to 6): the pair before the first semicolon, trimmed. */
function storedPair(header: string): [string, string] {
  const [pair] = header.split(';');
  const equals = pair.indexOf('=');
  const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');
  return [trim(pair.slice(0, equals)), trim(pair.slice(equals + 1))];
}

function text(name: string, value: string, options: Record<string, unknown> = {}): string {
  const result = cookieText(name, value, Object.entries(options));
  return 'text' in result ? result.text : `error: ${result.error}`;
}

t.test('the text has a fixed order', async (t) => {
  t.equal(text('a', 'b'), 'a=b; Path=/; SameSite=Lax; HttpOnly');
  t.equal(text('a', 'b', { max_age: 60 }), 'a=b; Path=/; SameSite=Lax; Max-Age=60; HttpOnly');
  t.equal(text('a', '', { max_age: 0 }), 'a=; Path=/; SameSite=Lax; Max-Age=0; HttpOnly');
  t.equal(
    text('a', 'b', {
      secure: true,
      expires: new Date(0),
      domain: 'example.com',
      max_age: 1,
      http_only: true,
      same_site: 'Strict',
      path: '/x',
    }),
    'a=b; Path=/x; Domain=example.com; SameSite=Strict; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure',
  );
  t.equal(text('a', 'b', { http_only: false, secure: false }), 'a=b; Path=/; SameSite=Lax');
  t.equal(
    text('a', 'b', {
      path: null,
      http_only: null,
      max_age: null,
      same_site: null,
      secure: null,
      domain: null,
      expires: null,
    }),
    'a=b; Path=/; SameSite=Lax; HttpOnly',
  );
});

t.test('values are encoded where they must be', async (t) => {
  t.equal(
    text('a', 'a b;c,d"e\\f%g\r\n\0é😀'),
    `a=${'a%20b%3Bc%2Cd%22e%5Cf%25g%0D%0A%00%C3%A9%F0%9F%98%80'}; Path=/; SameSite=Lax; HttpOnly`,
  );
  const plain = "!#$&'()*+-./09:<=>?@AZ[]^_`az{|}~";
  t.equal(text('a', plain), `a=${plain}; Path=/; SameSite=Lax; HttpOnly`);
});

t.test('bad names, values and options are refused with a message', async (t) => {
  const rows: [name: string, options: Record<string, unknown>, message: RegExp][] = [
    ...['', ' ', 'a b', 'a=b', 'a;b', 'a,b', 'a\r\n', 'a\0', 'é', '"a"', '(a)'].map(
      (name): [string, Record<string, unknown>, RegExp] => [name, {}, /is not a valid cookie name/],
    ),
    ...['', 'x', '/;a', '/a\r\nb', '/\0', '/é', '/a b', '/ ', '/\x7f', 5, true, {}].map(
      (path): [string, Record<string, unknown>, RegExp] => ['a', { path }, /option path must be/],
    ),
    ...[-1, 1.5, NaN, Infinity, 2 ** 53, 10n ** 400n, '5', true, {}].map(
      (max_age): [string, Record<string, unknown>, RegExp] => ['a', { max_age }, /option max_age must be an Integer/],
    ),
    ...['lax', 'STRICT', '', 'Lax; Secure', 'Lax\n', true, 1].map(
      (same_site): [string, Record<string, unknown>, RegExp] => [
        'a',
        { same_site },
        /option same_site must be "Strict", "Lax" or "None"/,
      ],
    ),
    ...['', 'a b', 'a;b', 'é.com', '.', 'a..b', '-a', 'a\n', 'a.', 'http://a', 5].map(
      (domain): [string, Record<string, unknown>, RegExp] => ['a', { domain }, /option domain must be/],
    ),
    ...[new Date(NaN), new Date(-1e15), new Date(8.64e15), 'Thu, 01 Jan 1970 00:00:00 GMT', 5].map(
      (expires): [string, Record<string, unknown>, RegExp] => ['a', { expires }, /option expires must be a Date/],
    ),
    ['a', { http_only: 'no' }, /option http_only must be true or false, not "no"/],
    ['a', { secure: 1 }, /option secure must be true or false, not 1/],
    [
      'a',
      { httponly: true },
      /unknown cookie option "httponly"; known are path, domain, same_site, max_age, expires, http_only, secure/,
    ],
    ['a', Object.fromEntries([['__proto__', 1]]), /unknown cookie option "__proto__"/],
    ['a', { constructor: null }, /unknown cookie option "constructor"/],
  ];
  for (const [name, options, message] of rows)
    t.match(text(name, 'v', options), message, `${JSON.stringify(name)} ${Object.keys(options)}`);
  t.match(text('a', '\ud800'), /lone surrogate/);
  t.match(text('a', 'x\udc00y'), /lone surrogate/);
});

t.test('same_site None without secure is sent with a warning', async (t) => {
  t.match(cookieText('a', 'b', [['same_site', 'None']]), {
    text: 'a=b; Path=/; SameSite=None; HttpOnly',
    warning: /needs secure: true/,
  });
  t.match(
    cookieText('a', 'b', [
      ['same_site', 'None'],
      ['secure', true],
    ]),
    { text: 'a=b; Path=/; SameSite=None; HttpOnly; Secure', warning: null },
  );
  t.match(cookieText('a', 'b'), { warning: null });
});

t.test('every accepted cookie is read back unchanged', async () => {
  const anyName = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'az09!#$%&\'*+-.^_`|~;,= "\r\n') }),
    fc.constantFrom('__proto__', 'constructor', 'Path'),
  );
  const anyValue = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'a%;, "\\=+\r\n\0é') }),
  );
  // prettier-ignore
  const anyOptions = fc.record({
    path: fc.oneof(fc.constant('/'), fc.string().map((path) => `/${path}`), fc.string({ unit: 'binary' })), same_site: fc.constantFrom('Lax', 'Strict', 'None', 'lax', 'Lax;'),
    max_age: fc.oneof(fc.nat(), fc.double(), fc.bigInt()), http_only: fc.boolean(), secure: fc.boolean(), expires: fc.date(), domain: fc.oneof(fc.domain(), fc.string()),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(anyName, anyValue, anyOptions, (name, value, options) => {
      const result = cookieText(name, value, Object.entries(options));
      if ('error' in result) return result.error.length > 0;
      const [storedName, stored] = storedPair(result.text);
      const read = parseCookies(`${storedName}=${stored}`, LIMIT);
      const seen = parseSetCookie(result.text);
      return (
        isHeaderValue(result.text) &&
        JSON.stringify(read) === JSON.stringify([[name, value]]) &&
        seen.path === (options.path ?? '/') &&
        seen.sameSite === (options.same_site ?? 'Lax').toLowerCase() &&
        seen.maxAge === options.max_age &&
        seen.domain === options.domain &&
        (seen.httpOnly ?? false) === (options.http_only ?? true) &&
        (seen.secure ?? false) === (options.secure ?? false)
      );
    }),
    { numRuns: 5_000 },
  );
});

t.test('Cookie headers', async (t) => {
  // prettier-ignore
  const rows: [header: string, pairs: [string, string][]][] = [
    ['', []], ['a', []], ['a=1', [['a', '1']]], ['a=1; b=2;c=3', [['a', '1'], ['b', '2'], ['c', '3']]], ['a=1;', [['a', '1']]],
    ['a=1; a=2', [['a', '1']]], ['a=', [['a', '']]], ['a=b=c', [['a', 'b=c']]], ['  a  =  b  ', [['a', 'b']]], ['x; a=1', [['a', '1']]],
    ['a=%C3%A9%20', [['a', 'é ']]], ['a=%zz; b=%; c=%C3', [['a', '%zz'], ['b', '%'], ['c', '%C3']]], ['a=x+y', [['a', 'x+y']]], ['a="b"', [['a', '"b"']]],
    ['a={"b":1}', [['a', '{"b":1}']]],
  ];
  for (const [header, pairs] of rows) t.strictSame(parseCookies(header, LIMIT), pairs, header);
});

t.test('names of Object.prototype are ordinary names', async (t) => {
  t.strictSame(parseCookies('__proto__=x; constructor=y; toString=z; __proto__=w', LIMIT), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['toString', 'z'],
  ]);
  t.equal(({} as Record<string, unknown>).x, undefined);
});

t.test('values at the limit pass, larger ones do not, and nothing is slow', async (t) => {
  const header = (count: number, value: string): string =>
    Array.from({ length: count }, (_, i) => `${i}=${value}`).join('; ');
  t.equal(parseCookies(header(LIMIT, '1'), LIMIT)?.length, LIMIT);
  t.equal(parseCookies(header(LIMIT + 1, '1'), LIMIT), null);
  for (const hostile of [
    header(4_000, '%'),
    ';'.repeat(16_384),
    'a'.repeat(16_384),
    'a;'.repeat(8_192),
    '='.repeat(16_384),
    header(4_000, ''),
    `${';'.repeat(16_383)}=`,
  ]) {
    for (const limit of [LIMIT, 20_000]) {
      const least = shortest(() => parseCookies(hostile, limit));
      t.ok(least < (limit === LIMIT ? 50 : 500), `${hostile.slice(0, 10)}… limit ${limit} took ${least.toFixed(2)} ms`);
    }
  }
});
