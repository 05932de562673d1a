import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { FileCache } from '../../../natives/web/files/cache.js';
import { loadContent, type FileContent } from '../../../natives/web/files/content.js';
import { type ActualResponse, Connection } from '../support/connection.js';
import { Client, header, type Site, startSite, stopQuietly } from './site.js';

const SMALL = 'a { color: red }\n'.repeat(100);
/** Content above 64 KiB, which is not kept in memory. */
const LARGE = Array.from({ length: 30_000 }, (_, i) => `line ${i};\n`).join('');
const HUGE = 'x'.repeat(1024 * 1024 + 1);
/** Bytes that cannot be compressed. */
const NOISE = Array.from({ length: 3000 }, (_, i) =>
  String.fromCharCode(33 + ((i * i * 31 + (i >> 3) * 17 + ((i * 7919) % 89)) % 90)),
).join('');

const FILES = {
  'a.css': SMALL,
  'a.html': `<p>${SMALL}`,
  'a.js': SMALL,
  'a.json': JSON.stringify(SMALL),
  'a.svg': `<svg>${SMALL}</svg>`,
  'a.png': SMALL,
  'tiny.css': 'a {}',
  'large.js': LARGE,
  'full.js': HUGE.slice(1),
  'huge.js': HUGE,
  'own.css': SMALL,
  'fixed.css': SMALL,
  'error.html': SMALL,
};

const SOURCE = `app.static("public", max_age: 60)
app.compress(min: 100)
app.use do |req, next_fn|
  res = next_fn(req)
  res.set_header("X-After", "yes")
  res.set_header("ETag", "\\"own\\"") if req.path == "/own.css"
  res.set_header("Cache-Control", "no-transform") if req.path == "/fixed.css"
  res.status = 404 if req.path == "/error.html"
  res
end
app.get("/send") { |req| send_file("public/a.css") }`;

interface Started {
  site: Site;
  client: Client;
}

async function start(test: Test): Promise<Started> {
  const site = await startSite(test, { public: FILES }, SOURCE);
  const client = new Client(site.port);
  test.teardown(() => client.close());
  return { site, client };
}

async function stop(test: Test, { site, client }: Started): Promise<void> {
  client.close();
  await stopQuietly(test, site);
}

/** Decodes a body by its Content-Encoding. */
function decoded(response: ActualResponse): string {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[header(response, 'content-encoding') ?? ''];
  return (decode?.(response.body) ?? response.body).toString();
}

/** Content-Encoding and Vary of a response. */
function form(response: ActualResponse): (string | undefined)[] {
  return [header(response, 'content-encoding'), header(response, 'vary')];
}

t.test('files are compressed for clients that accept it', async (t) => {
  const started = await start(t);
  const { client } = started;
  for (const name of ['a.css', 'a.html', 'a.js', 'a.json', 'a.svg', 'large.js', 'full.js'] as const) {
    const tags = new Set<string | undefined>();
    for (const [accepted, encoding] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
      ['', undefined],
    ] as const) {
      for (const round of [1, 2]) {
        const response = await client.get(`/${name}`, { 'Accept-Encoding': accepted });
        t.same(
          [response.status, ...form(response)],
          [200, encoding, 'Accept-Encoding'],
          `${name} for ${accepted}, time ${round}`,
        );
        t.ok(decoded(response) === FILES[name], 'the same content');
        t.equal(Number(header(response, 'content-length')), response.body.length);
        t.same([header(response, 'cache-control'), header(response, 'x-after')], ['public, max-age=60', 'yes']);
        if (encoding !== undefined) t.ok(response.body.length < FILES[name].length, 'smaller');
        tags.add(header(response, 'etag'));
      }
    }
    t.equal(tags.size, 3, 'a tag for each form, which stays', { tags: [...tags] });
  }
  await stop(t, started);
});

t.test('files that are too short, too long, of another type or not to be transformed are sent plain', async (t) => {
  const started = await start(t);
  const { client } = started;
  const ask = (path: string): Promise<ActualResponse> => client.get(path, { 'Accept-Encoding': 'br, gzip' });
  for (const path of ['/tiny.css', '/a.png', '/huge.js', '/own.css', '/fixed.css', '/send']) {
    const response = await ask(path);
    t.same([response.status, ...form(response)], [200, undefined, undefined], path);
    t.equal(Number(header(response, 'content-length')), response.body.length);
  }
  t.equal(header(await ask('/own.css'), 'etag'), '"own"');
  const error = await ask('/error.html');
  t.same(
    [error.status, ...form(error), decoded(error)],
    [404, 'br', 'Accept-Encoding', SMALL],
    'with the status set by the program',
  );
  await stop(t, started);
});

t.test('conditions and HEAD refer to the compressed or plain form', async (t) => {
  const started = await start(t);
  const { client } = started;
  for (const path of ['/a.css', '/large.js']) {
    const tags = new Map<string, string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const get = await client.get(path, { 'Accept-Encoding': encoding });
      const head = await client.request('HEAD', path, { 'Accept-Encoding': encoding });
      const fieldsOf = (response: ActualResponse): string[][] =>
        response.headers
          .filter(([name]) => name !== 'Date')
          .map(([name, value]) => [name.toLowerCase(), value])
          .sort();
      t.same(
        [head.status, head.body.length, fieldsOf(head)],
        [200, 0, fieldsOf(get)],
        `HEAD says what GET would: ${path}, ${encoding}`,
      );
      tags.set(encoding, header(get, 'etag') as string);
    }
    for (const [accepted, tag] of [...tags].flatMap(([encoding]) =>
      [...tags.values()].map((one) => [encoding, one] as const),
    )) {
      const isOwn = tags.get(accepted) === tag;
      const response = await client.get(path, { 'Accept-Encoding': accepted, 'If-None-Match': tag });
      t.same(
        [response.status, header(response, 'vary'), header(response, 'etag')],
        [isOwn ? 304 : 200, 'Accept-Encoding', tags.get(accepted)],
        `${accepted}, ${tag}`,
      );
      if (isOwn) t.same([response.body.length, header(response, 'content-encoding')], [0, undefined]);
    }
    const fresh = await client.get(path, { 'Accept-Encoding': 'br', 'If-Modified-Since': new Date().toUTCString() });
    t.same([fresh.status, header(fresh, 'etag')], [304, tags.get('br')]);
    const failed = await client.get(path, { 'Accept-Encoding': 'br', 'If-Match': '"other"' });
    t.same([failed.status, header(failed, 'content-encoding')], [412, undefined], "the library's own text is plain");
  }
  await stop(t, started);
});

t.test("a range is one of the form's bytes", async (t) => {
  const started = await start(t);
  const { client } = started;
  for (const path of ['/a.css', '/large.js']) {
    const whole = await client.get(path, { 'Accept-Encoding': 'gzip' });
    const part = (headers: Record<string, string>): Promise<ActualResponse> =>
      client.get(path, { 'Accept-Encoding': 'gzip', Range: 'bytes=5-14', ...headers });
    for (const response of [await part({}), await part({ 'If-Range': header(whole, 'etag') as string })]) {
      t.same(
        [response.status, header(response, 'content-range'), ...form(response)],
        [206, `bytes 5-14/${whole.body.length}`, 'gzip', 'Accept-Encoding'],
      );
      t.same(response.body, whole.body.subarray(5, 15), 'parts of one form fit together');
      t.equal(header(response, 'etag'), header(whole, 'etag'));
    }
    const plain = await client.get(path);
    const other = await part({ 'If-Range': header(plain, 'etag') as string });
    t.same(
      [other.status, decoded(other) === decoded(plain)],
      [200, true],
      'a part of one form is never given for one of another',
    );
    const ranged = await client.get(path, { Range: 'bytes=5-14' });
    t.same(
      [ranged.status, ranged.body, ...form(ranged)],
      [206, plain.body.subarray(5, 15), undefined, 'Accept-Encoding'],
    );
    const outside = await part({ Range: 'bytes=9999999-' });
    t.same(
      [outside.status, header(outside, 'content-encoding'), header(outside, 'content-range')],
      [416, undefined, `bytes */${whole.body.length}`],
    );
  }
  await stop(t, started);
});

t.test('a changed file is compressed again', async (t) => {
  const started = await start(t);
  const { client, site } = started;
  const ask = (): Promise<ActualResponse> => client.get('/large.js', { 'Accept-Encoding': 'br' });
  const first = await ask();
  writeFileSync(site.at('public/large.js'), `${LARGE}// changed\n`);
  await sleep(1050);
  const second = await ask();
  t.equal(decoded(second), `${LARGE}// changed\n`);
  t.not(header(second, 'etag'), header(first, 'etag'));
  await stop(t, started);
});

t.test('many clients at once, pipelined, or gone before their answer', async (t) => {
  const started = await start(t);
  const { site } = started;
  const request = (path: string, encoding: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: svc.test\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
  const leavers = await Promise.all(Array.from({ length: 20 }, () => Connection.open(site.port)));
  for (const leaver of leavers) {
    leaver.send(request('/full.js', 'br'));
    leaver.socket.end();
    setTimeout(() => leaver.socket.resetAndDestroy(), 5);
  }
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const connection = await Connection.open(site.port);
      connection.send(
        request('/large.js', 'br') +
          request('/a.css', 'gzip') +
          request('/large.js', 'gzip') +
          request('/a.css', 'identity'),
      );
      for (const expected of [LARGE, SMALL, LARGE, SMALL])
        t.ok(decoded(await connection.response('GET')) === expected, 'in order');
      connection.socket.destroy();
    }),
  );
  await stop(t, started);
});

async function contentOf(t: Test, text: string): Promise<FileContent> {
  const path = join(t.testdir({ 'a.js': text }), 'a.js');
  return (await loadContent({ path, root: null }, { type: 'text/javascript', cacheControl: 'public' })) as FileContent;
}

t.test('each form is created once and counts in the cache', async (t) => {
  for (const text of [SMALL, LARGE]) {
    const file = await contentOf(t, text);
    const cache = new FileCache<FileContent>();
    file.onGrowth = (bytes) => cache.grown('a', file, bytes);
    await cache.refresh('a', 0, async () => file);
    const before = cache.bytes;
    let made = 0;
    const half = async (bytes: Buffer): Promise<Buffer> => {
      made++;
      return bytes.subarray(0, bytes.length / 2);
    };
    const forms = await Promise.all(Array.from({ length: 20 }, () => file.encoded('br', half)));
    t.same([made, new Set(forms).size], [1, 1]);
    t.equal(file.encoded('br', half), forms[0], 'afterwards without a wait');
    t.ok(cache.bytes >= before + text.length / 2);
    t.equal(cache.bytes, file.weight);
    await file.encoded('gzip', half);
    t.equal(cache.bytes, file.weight);
    await cache.refresh('a', 0, async () => null);
    t.equal(cache.bytes, 0, 'all of it goes with the file');
    const weight = cache.bytes;
    await file.encoded('other', half);
    t.equal(cache.bytes, weight, 'what is not in the cache does not count');
  }
});

t.test('a form that grows evicts others', async (t) => {
  const cache = new FileCache<FileContent>({ bytes: 10_000, fresh: 1000, missing: 3 });
  const file = await contentOf(t, SMALL);
  file.onGrowth = (bytes) => cache.grown('a', file, bytes);
  const others = [await contentOf(t, SMALL), await contentOf(t, SMALL)];
  for (const [i, other] of others.entries()) await cache.refresh(`other${i}`, 0, async () => other);
  await cache.refresh('a', 0, async () => file);
  for (const encoding of ['br', 'gzip', 'x', 'y']) await file.encoded(encoding, async (bytes) => bytes.subarray(1));
  t.ok(cache.bytes <= 10_000, `${cache.bytes} bytes`);
});

t.test('no compressed form if it is no smaller, or if the file changes or cannot be read', async (t) => {
  const noise = await contentOf(t, NOISE);
  t.equal(await noise.encoded('br', async (bytes) => Buffer.concat([bytes, bytes])), null);
  const failing = await contentOf(t, SMALL);
  await t.rejects(Promise.resolve(failing.encoded('br', () => Promise.reject(new Error('no memory')))), /no memory/);
  t.ok(await failing.encoded('br', async (bytes) => bytes.subarray(1)), 'a failure is not kept');
  const changed = await contentOf(t, LARGE);
  writeFileSync(changed.place.path, `${LARGE}changed`);
  t.equal(await changed.encoded('br', async (bytes) => bytes.subarray(1)), null, 'its tag would name other bytes');
});
