import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { serve } from '../support/serve.js';
import {
  alive,
  ALIVE,
  attack,
  count,
  endsQuietly,
  HEAD,
  LONG,
  parallel,
  randomNumbers,
  type Reply,
  statusesIn,
} from './attack.js';
import { framings } from './framings.js';

const PROGRAM = `app = web_app()
${ALIVE}app.get("/") { |req| "root" }
app.post("/body") { |req| "length=#{req.body.length};" }
app.get("/smuggled") do |req|
  puts "smuggled"
  "smuggled"
end
app.run(0)
`;

/** Checks that the server refuses each request with a status and closes the connection. */
async function refuses(
  test: Test,
  port: number,
  requests: readonly string[],
  expected: RegExp = /^400$/,
): Promise<void> {
  await parallel(requests, 8, async (bytes) => {
    const { statuses, closed, text } = await attack(port, bytes);
    const name = JSON.stringify(bytes.length > 150 ? `${bytes.slice(0, 150)}… (${bytes.length} bytes)` : bytes);
    test.ok(closed && expected.test(statuses.join(' ')), `${name} -> ${statuses.join(' ')}`, { text });
  });
}

const get = (fields: string): string => `GET / HTTP/1.1\r\n${fields}\r\n`;
const post = (fields: string, body: string): string => `POST /body ${HEAD}${fields}\r\n${body}`;

t.jobs = 4;
if (LONG) t.setTimeout(3_600_000);

t.test('a missing or duplicate Host is 400', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const two = [
    'Host: a\r\nHost: b\r\n',
    'Host: a\r\nHost: a\r\n',
    'Host: a\r\nhost: a\r\n',
    'Host: a\r\nX: y\r\nHOST: b\r\n',
    'Host:\r\nHost: a\r\n',
    'Host: a\r\n Host: b\r\n',
    'Host: a\r\nHost : b\r\n',
  ];
  await refuses(t, port, ['', 'X-Host: a\r\n', 'Hos: a\r\n', ...two].map(get));
  const behind = await attack(port, `${get('Host: a\r\nHost: b\r\n')}GET /smuggled ${HEAD}\r\n`);
  t.same(behind.statuses, [400], 'the request after it is not answered');
  await alive(t, port, 'after them');
  t.equal(count(server.stdout, 'smuggled'), 0, 'nor run');
  await endsQuietly(t, server);
});

t.test('mutations of the Transfer-Encoding line, with and without Content-Length', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const all = [...framings()];
  t.ok(all.length >= 1700, `${all.length} requests`);
  const wrong: { request: string; reply: Reply; expected: string }[] = [];
  const kinds: Record<string, number> = {};
  await parallel(all, 16, async ({ bytes, expected }, i) => {
    kinds[expected] = (kinds[expected] ?? 0) + 1;
    // Every second one is pipelined after a valid request.
    const isSecond = i % 2 === 1;
    const reply = await attack(port, (isSecond ? `GET /alive ${HEAD}\r\n` : '') + bytes, {
      enough: (text) => expected === 'body' && /length=\d+;/.test(text),
    });
    const bodies = (reply.text.match(/length=\d+;|smuggled/g) ?? []).join(' ');
    const actual = `${reply.statuses.slice(isSecond ? 1 : 0).join(' ')} ${bodies}`.trim();
    const right = {
      refused: /^400$/,
      unknown: /^501$/,
      body: /^200 length=[1-9]\d*;$/,
      chunked: /^200 200 length=0; smuggled$/,
      bare: /^200 400 length=0;$/,
    }[expected];
    if (!right.test(actual) || reply.closed === (expected === 'body') || (isSecond && reply.statuses[0] !== 200))
      wrong.push({ request: bytes, reply, expected });
  });
  t.same(wrong.slice(0, 5), [], `${wrong.length} are answered wrongly`);
  t.comment(kinds);
  t.ok(Object.keys(kinds).length === 5 && kinds.refused > 1500);
  await alive(t, port, 'after them');
  t.equal(count(server.stdout, 'smuggled'), kinds.chunked, 'only requests after a valid end of a body run');
  await endsQuietly(t, server);
});

t.test('malformed lengths are 400', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const lengths = [
    '+5',
    '-1',
    '-5',
    '0x5',
    '5,5',
    '5, 5',
    '5 5',
    '5.0',
    '5e0',
    '1e1',
    '',
    ' ',
    '5;a',
    '"5"',
    '\xd9\xa5',
    '5\x00',
    '5\x0b',
    'five',
    'NaN',
    'Infinity',
    '5_0',
    '1'.repeat(30),
    '9'.repeat(400),
    '18446744073709551616',
    '18446744073709551621',
    '5\r\nContent-Length: 6',
    '6\r\nContent-Length: 5',
    '5\r\nContent-Length: 5',
    '5\r\nContent-Length: 05',
    '5\r\ncontent-length:',
    '5\r\n 5',
    '\r\n 5',
    '5\n',
    '5\r',
  ];
  await refuses(
    t,
    port,
    lengths.map((length) => post(`Content-Length: ${length}\r\n`, 'abcde')),
  );
  await refuses(
    t,
    port,
    ['Content-Length : 5\r\n', ' Content-Length: 5\r\n', 'Content-Length\r\n', 'Content-Length\t: 5\r\n'].map((line) =>
      post(line, 'abcde'),
    ),
  );
  const good = await attack(port, post('Content-Length: 5\r\nConnection: close\r\n', 'abcde'));
  t.match(good.text, /^HTTP\/1\.1 200 [^]*length=5;$/);
  await endsQuietly(t, server);
});

t.test('malformed chunks are 400 or 413', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const chunks = [
    'ffffffffffffffff1\r\nabc',
    'ffffffffffffffffffffffffff\r\n',
    '10000000000000003\r\nabc\r\n0\r\n\r\n',
    '-1\r\nabc',
    '-3\r\nabc\r\n0\r\n\r\n',
    '+3\r\nabc\r\n0\r\n\r\n',
    '0x3\r\nabc\r\n0\r\n\r\n',
    'g\r\n',
    'zz\r\n',
    '\r\n',
    '3\r\nabc0\r\n\r\n',
    '3\r\nabcd\r\n0\r\n\r\n',
    '3\r\nab\r\n0\r\n\r\n',
    '3\nabc\n0\n\n',
    '3\rabc\r\n0\r\n\r\n',
    '3 \r\nabc\r\n0\r\n\r\n',
    ' 3\r\nabc\r\n0\r\n\r\n',
    '\r\n3\r\nabc\r\n0\r\n\r\n',
    '3\r\nabc\r\r\n0\r\n\r\n',
    '3;a\nb\r\nabc\r\n0\r\n\r\n',
    '3;a="\r\n"\r\nabc\r\n0\r\n\r\n',
    '3\r\nabc\r\n0\r\nX y\r\n\r\n',
    '3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n',
    '3\x00\r\nabc\r\n0\r\n\r\n',
    '3\r\nabc\r\n0\r\n\x00: y\r\n\r\n',
  ];
  const chunked = (text: string): string => post('Transfer-Encoding: chunked\r\n', text);
  await refuses(t, port, chunks.map(chunked));
  await refuses(
    t,
    port,
    [chunked(`3;${'x'.repeat(100_000)}\r\nabc\r\n0\r\n\r\n`), chunked(`3;${'a=b;'.repeat(25_000)}`)],
    /^413$/,
  );
  await refuses(t, port, [chunked(`3\r\nabc\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)], /^431$/);
  await alive(t, port, 'after them');
  const good = await attack(port, chunked('3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n'), {
    enough: (text) => text.includes('length=3;'),
  });
  t.same(good.statuses, [200], 'an extension and a trailer');
  await endsQuietly(t, server);
});

t.test('CR, LF, NUL and other controls in a header are 400', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const controls = Array.from({ length: 32 }, (_, code) => code)
    .filter((code) => code !== 9)
    .concat(127)
    .map((code) => String.fromCharCode(code));
  await refuses(
    t,
    port,
    controls.flatMap((c) =>
      [`X: a${c}b\r\n`, `X${c}Y: a\r\n`, `X: a${c}\r\n`].map((line) => get(`Host: a\r\n${line}`)),
    ),
  );
  await refuses(
    t,
    port,
    [
      'X: a\r\n b\r\n',
      'X: a\r\n\tb\r\n',
      'X: a\r\n \r\n',
      'X: a\nY: b\r\n',
      'X: a\n\r\n',
      'X: a\r\r\n',
      '\nX: a\r\n',
      '\rX: a\r\n',
    ].map((line) => get(`Host: a\r\n${line}`)),
  );
  const tab = await attack(port, get('Host: a\r\nX: a\tb\r\nConnection: close\r\n'));
  t.same(tab.statuses, [200], 'a tab is a blank');
  await endsQuietly(t, server);
});

t.test('invalid names of headers are 400', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const names = [
    '',
    ' ',
    'X ',
    ' X',
    'X\t',
    '\tX',
    'a b',
    '[]',
    '()',
    '[]()',
    '@',
    '"a"',
    'a/b',
    'a{',
    'a}',
    'a\\b',
    'a<',
    'a=',
    'a?',
    'a;',
    'a,',
    '\xc3\xa9',
    '\xff',
    'Host ',
  ];
  await refuses(
    t,
    port,
    names.map((name) => get(`Host: a\r\n${name}: b\r\n`)),
  );
  await refuses(
    t,
    port,
    ['X\r\n', 'no colon\r\n'].map((line) => get(`Host: a\r\n${line}`)),
  );
  const odd = await attack(port, get("Host: a\r\n!#$%&'*+-.^_`|~09: b\r\nConnection: close\r\n"));
  t.same(odd.statuses, [200], 'all characters of a token');
  await endsQuietly(t, server);
});

/** First message of a TLS client. */
const CLIENT_HELLO = Buffer.concat([
  Buffer.from('16030100c8010000c40303', 'hex'),
  Buffer.alloc(32, 0x5a),
  Buffer.from('20', 'hex'),
  Buffer.alloc(32, 7),
  Buffer.from('0020c02bc02fcca9cca8', 'hex'),
  Buffer.alloc(120, 1),
]);

t.test('bytes that are not HTTP/1.1 are 400', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const lines = [
    'GET /',
    'GET / HTTP/0.9',
    'GET / HTTP/9.9',
    'GET / HTTP/2.0',
    'GET / HTTP/1.2',
    'GET / HTTP/1.10',
    'GET / HTTP/1',
    'GET / HTTP/',
    'GET / http/1.1',
    'GET / HTTP/1.1 ',
    'GET / HTTP/1,1',
    'GET /a b HTTP/1.1',
    'GET',
    'PRI * HTTP/2.0',
    '/ HTTP/1.1',
    'GET\t/ HTTP/1.1',
  ];
  await refuses(
    t,
    port,
    lines.map((line) => `${line}\r\nHost: a\r\n\r\n`),
  );
  await refuses(
    t,
    port,
    [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      CLIENT_HELLO.toString('latin1'),
      '\x00',
      'SSH-2.0-OpenSSH_9.0\r\n',
      '\x05\x01\x00',
      'EHLO x\r\n',
      '{}\r\n',
    ].map((bytes) => bytes.padEnd(2)),
    /^(400)?$/,
  );
  for (let i = 0; i < 3; i++) {
    const { statuses, closed } = await attack(port, randomBytes(1024 * 1024));
    t.ok(closed && /^(400)?$/.test(statuses.join(' ')), '1 MiB of random bytes');
    await alive(t, port, 'after them');
  }
  await endsQuietly(t, server);
});

const SEEDS = [
  `GET /alive ${HEAD}Accept: text/html, */*;q=0.1\r\nCookie: a=b; c=d\r\n\r\n`,
  `POST /body ${HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\n\r\na=1&b=%20&c`,
  `POST /body ${HEAD}Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nT: v\r\n\r\n`,
  `HEAD /?a=1&b[]=2 HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\nGET http://a:1/x?y#z ${HEAD}Upgrade: h2c\r\nConnection: upgrade\r\n\r\n`,
  `POST /body ${HEAD}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 64\r\n\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n--b--\r\n`,
];
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '%',
  '\xff',
  '\r\n\r\n',
  'Host: b\r\n',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  '0\r\n\r\n',
  'HTTP/1.1',
  '99999999999',
  '-1',
  '//',
  '../',
  'GET ',
];

/** A valid request with one to four changes. */
function mutated(random: (below: number) => number): Buffer {
  let bytes = Buffer.from(SEEDS[random(SEEDS.length)], 'latin1');
  for (let n = 1 + random(4); n > 0; n--) {
    const at = random(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + random(20));
    const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const inserted = Buffer.from(PIECES[random(PIECES.length)], 'latin1');
    const changes = [
      [before, inserted, piece, after],
      [before, inserted, after],
      [before, after],
      [before, piece, piece, after],
      [before],
      [before, Buffer.from([random(256)]), bytes.subarray(at + 1)],
      [after, before, piece],
    ];
    bytes = Buffer.concat(changes[random(changes.length)]);
  }
  return bytes;
}

t.test('mutated requests get valid answers', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const random = randomNumbers(10);
  const requests = Array.from({ length: LONG ? 100_000 : 3000 }, () => mutated(random));
  const seen: Record<string, number> = {};
  const wrong: { bytes: string; text: string; closed: boolean }[] = [];
  await parallel(requests, 16, async (bytes) => {
    const { statuses, text, closed } = await attack(port, bytes, { fin: true });
    for (const status of statuses.length === 0 ? ['none'] : statuses) seen[status] = (seen[status] ?? 0) + 1;
    const isHttp = text === '' || (text.startsWith('HTTP/1.1 ') && statusesIn(text).length > 0);
    if (
      !closed ||
      !isHttp ||
      statuses.some((status) => ![100, 200, 204, 400, 404, 413, 417, 431, 501].includes(status))
    )
      wrong.push({ bytes: bytes.toString('latin1'), text, closed });
  });
  t.comment(seen);
  t.same(wrong.slice(0, 5), [], `${wrong.length} got something else`);
  t.ok(seen[200] > requests.length / 20 && seen[400] > requests.length / 5, 'both good and bad ones were among them');
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('unknown methods are 501, HEAD has no body', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const methods = [
    'get',
    'Get',
    'TRACE',
    'CONNECT',
    'BREW',
    'PROPFIND',
    'PURGE',
    'QUERY',
    'GETX',
    'M-SEARCH',
    'SEARCH',
    'post',
    'G',
    'LINK',
  ];
  await refuses(
    t,
    port,
    methods.map((method) => `${method} / ${HEAD}\r\n`),
    /^501$/,
  );
  await refuses(
    t,
    port,
    [`CONNECT svc.test:80 ${HEAD}\r\n`, `GET /alive ${HEAD}\r\nBREW / ${HEAD}\r\n`],
    /^(200 )?501$/,
  );
  await refuses(
    t,
    port,
    ['GE T', '', 'G\0T', '\xc3\x84', 'GET,', '(GET)', '1', `GET /alive ${HEAD}\r\n7`].map(
      (method) => `${method} / ${HEAD}\r\n`,
    ),
    /^(200 )?400$/,
  );
  const { text, closed } = await attack(port, `HEAD / ${HEAD}\r\nHEAD /nowhere ${HEAD}Connection: close\r\n\r\n`);
  t.match(
    text,
    /^HTTP\/1\.1 200 [^]*Content-Length: 4\r\n[^]*\r\n\r\nHTTP\/1\.1 404 [^]*\r\n\r\n$/,
    'its lengths are those of GET',
  );
  t.ok(closed);
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});
