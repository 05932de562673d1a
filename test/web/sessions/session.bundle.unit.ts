import t from 'tap';
import {
  PLAIN,
  decodeSessionValue,
  findSessionCookie,
  sealed,
  signed,
  type SessionCodec,
} from '../../../natives/web/sessions/cookie.js';
import { installCore } from '../../../natives/core/index.js';
import { installWeb } from '../../../natives/web/index.js';
import { Request } from '../../../natives/web/request/request.js';
import { Response } from '../../../natives/web/response/response.js';
import { nodeHost } from '../../../svcc/host.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { VM } from '../../../vm/vm.js';
import fc from '../../property.js';
import { get, serve } from '../support/serve.js';
import { LONG } from '../threats/attack.js';

const vm = new VM(nodeHost({ stdout: () => {}, stderr: () => {} }));
installCore(vm);
installWeb(vm);

/** A request with a Cookie header. */
function requestWith(cookie: string): Request {
  return new Request({
    method: 'GET',
    path: '/',
    query: '',
    rawHeaders: ['Cookie', cookie],
    body: Buffer.alloc(0),
    upload: null,
    remoteAddress: '',
    id: '',
    maxPairs: 1000,
    trustedProxies: 0,
  });
}

/** Session of a request with a Cookie header. */
function sessionOf(cookie: string, ...secret: Value[]): Hash {
  const session = vm.invokeNative(
    vm.globals.get('session') as NativeFunction,
    [requestWith(cookie), new Response(200, '', null), ...secret],
    null,
  ) as Value;
  return vm.callMethod(session, 'to_h', [], null) as Hash;
}

/** The Cookie header that a browser sends after a session with these entries was saved. */
function saved(entries: [string, Value][], ...secret: Value[]): string {
  const response = new Response(200, '', null);
  const session = vm.invokeNative(
    vm.globals.get('session') as NativeFunction,
    [requestWith(''), response, ...secret],
    null,
  ) as Value;
  for (const [key, value] of entries) vm.callMethod(session, '[]=', [key, value], null);
  vm.callMethod(session, 'save', [], null);
  return response.fields.concat(response.allFields())[1].split(';')[0];
}

/** Changes a text as clients, proxies and attackers do. */
function mutated(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1));
  const other = String.fromCharCode(Math.floor(random() * 256));
  switch (Math.floor(random() * 8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + other + text.slice(at);
    case 2:
      return text.slice(0, at) + other + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 5));
    case 4:
      return text.slice(0, at) + text.slice(Math.floor(random() * text.length));
    case 5:
      return (
        text.slice(0, at) +
        [
          '%',
          '%zz',
          '%00',
          '"',
          '\\',
          '\\u',
          '{',
          '[',
          ']',
          '}',
          ':',
          ',',
          ';',
          '=',
          '.',
          '__proto__',
          '1e999',
          '\\ud800',
        ][Math.floor(random() * 18)] +
        text.slice(at)
      );
    case 6:
      return `${text}; ${text}`;
    default:
      return text.replace(/[a-z]/, (letter) => letter.toUpperCase());
  }
}

/** A generator of numbers from 0 to 1, the same ones in each run. */
function seeded(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

const CONTENT: [string, Value][] = [
  ['user', 'ann'],
  ['n', 7],
  ['list', [1, null, true, 'é😀']],
  ['__proto__', 'x'],
  ['quote', 'a"b\\c;d,e%41 f'],
];

const MUTATED = LONG ? 100_000 : 25_000;

t.test(`each of ${MUTATED} mutated cookies is a session, never an error`, async (t) => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const seeds = [
    saved(CONTENT),
    '_svc_session={"a": {"b": [1, 2.5, "x"]}, "__proto__": {"admin": true}}',
    '_svc_session=%7B%22a%22%3A1%7D',
    '_svc_session=[1]; _svc_session={}',
    `_svc_session=${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
  ];
  const random = seeded(47);
  let full = 0;
  for (let i = 0; i < MUTATED; i++) {
    let cookie = seeds[i % seeds.length];
    for (let n = 1 + Math.floor(random() * 3); n > 0; n--) cookie = mutated(cookie, random);
    const hash = sessionOf(cookie);
    if (!(hash instanceof Hash)) t.fail(cookie);
    else if (hash.size > 0) full++;
  }
  t.ok(full > MUTATED * 0.01 && full < MUTATED * 0.9, `${full} of them are readable`);
  t.equal(Object.getOwnPropertyNames(Object.prototype).join(), before, 'Object.prototype is unchanged');
  t.equal(({} as Record<string, unknown>).admin, undefined);
});

t.test('a changed signed or sealed cookie is an empty session', async (t) => {
  for (const encrypt of [false, true]) {
    const cookie = saved(CONTENT, 's3cret', encrypt);
    t.equal(inspect(sessionOf(cookie, 's3cret', encrypt)), inspect(Hash.from(CONTENT)), 'unchanged, it is read');
    const random = seeded(48);
    for (let i = 0; i < 3000; i++) {
      const other = mutated(cookie, random);
      if (
        other.trimEnd() !== cookie &&
        sessionOf(other, 's3cret', encrypt).size > 0 &&
        decodeURIComponent(other.split('=')[1]) !== decodeURIComponent(cookie.split('=')[1])
      )
        t.fail(other);
    }
    const value = cookie.slice(cookie.indexOf('=') + 1);
    for (let at = 0; at < value.length; at++) {
      const flipped = value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
      if (sessionOf(`_svc_session=${flipped}`, 's3cret', encrypt).size > 0) t.fail(`${encrypt} ${at}: ${flipped}`);
    }
  }
});

t.test('a signature made with the secret for another purpose is invalid', async (t) => {
  const { createHmac } = await import('node:crypto');
  const json = '{"admin":true}';
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    t.equal(
      sessionOf(`_svc_session=${json}.${createHmac('sha256', 's3cret').update(json).digest(encoding)}`, 's3cret').size,
      0,
    );
  }
});

t.test('sealing the same session twice gives different cookies', async (t) => {
  t.not(saved(CONTENT, 's3cret', true), saved(CONTENT, 's3cret', true));
  // One of the words alone is found in random characters now and then.
  t.match(saved(CONTENT, 's3cret', false), /user.*ann/, 'a cookie that is not sealed');
  t.notMatch(saved(CONTENT, 's3cret', true), /user.*ann/);
});

t.test('a saved session is read back unchanged', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'a%;, "\\=+\r\n\0é{}') }),
    fc.constantFrom('__proto__', 'constructor'),
  );
  const scalar = fc.oneof(
    text,
    fc.integer(),
    fc.bigInt().filter((n) => n > 2n ** 53n),
    fc.boolean(),
    fc.constant(null),
  );
  const secret = fc.constantFrom<Value[]>([], ['s3cret'], ['s3cret', true]);
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.oneof(scalar, fc.array(scalar)))), secret, (entries, args) => {
      let cookie: string;
      try {
        cookie = saved(entries as [string, Value][], ...args);
      } catch {
        return true; // too long
      }
      return (
        /^[\x21-\x7e]+$/.test(cookie) &&
        inspect(sessionOf(`a=b; ${cookie}`, ...args)) === inspect(Hash.from(entries as [string, Value][]))
      );
    }),
    { numRuns: 3000 },
  );
});

t.test('the cookie is found by its whole name, unless it is duplicated', async (t) => {
  // prettier-ignore
  const rows: [header: string, value: string | null][] = [
    ['', null], ['_svc_session', null], ['_svc_session=', ''], ['_svc_session=x', 'x'], ['a=b;_svc_session=x;c=d', 'x'], ['a=b; \t _svc_session= x ;c=d', 'x'],
    ['x_svc_session=1', null], ['x=_svc_session=1', null], ['_svc_session=1; x_svc_session=2', '1'], ['_svc_session=1; _svc_session=1', null], ['_svc_session=_svc_session=1', '_svc_session=1'],
  ];
  for (const [header, value] of rows) t.equal(findSessionCookie(header), value, header);
});

t.test('raw values are UTF-8', async (t) => {
  t.equal(decodeSessionValue(Buffer.from('{"a":"é"}').toString('latin1')), '{"a":"é"}');
  t.equal(decodeSessionValue('{"a":"\xff"}'), null);
  t.equal(decodeSessionValue('%zz'), null);
});

t.test('codecs refuse texts that are too short', async (t) => {
  const codecs: SessionCodec[] = [signed('k'), sealed('k')];
  for (const codec of codecs)
    for (const value of ['', '.', 'x', '.x', 'AAAA', 'A'.repeat(37)]) t.equal(codec.unwrap(value), null);
  t.equal(PLAIN.unwrap('x'), 'x');
  for (let i = 0; i < 200; i++) t.equal(signed(`secret ${i}`).unwrap(signed(`secret ${i}`).wrap('{}')), '{}');
});

t.test('a session saved on a response that is not returned causes one warning with its line', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.get("/") do |req|
  s = session(req, response("x"))
  s.save()
  "other"
end
app.get("/error") do |req|
  s = session(req, response("x"))
  s.save()
  raise "failed"
end
app.run(0)
`,
  );
  for (let i = 0; i < 3; i++) t.equal((await get(port, '/')).body, 'other');
  t.equal((await get(port, '/error')).status, 500);
  const { stderr } = await server.stop();
  t.match(stderr, /^warning: app\.svc:4: the session was saved on a response that was not returned/);
  t.equal(stderr.split('warning:').length - 1, 1, 'and not when the handler failed anyway', { stderr });
});
