import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { Svcc, svcc } from '../../svcc/svcc.js';
import { Client, header, SECRET, stopQuietly, type Site, type Tree } from './site.js';

const PAGE = '<h1>page</h1>';
const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) & 255));
const SCRIPT = 'let total = 0; // counts\n'.repeat(500);

const TREE: Tree = {
  public: {
    'index.html': PAGE,
    'app.js': SCRIPT,
    'large.png': LARGE,
    'empty.txt': '',
    'wörd x.txt': 'odd',
    '.env': SECRET,
    '..a.txt': SECRET,
    '.git': { 'config.txt': SECRET },
    'key.pem': SECRET,
    sub: { 'inner.txt': 'inner', 'index.html': 'inner page' },
  },
  views: {
    'hello.tpl': 'Hello {{name}}!\n',
    'rows.csv': 'a,b\n1,2\n',
    'data.json': '\ufeff{"x": [1, 2]}',
    'settings.env': 'COLOR=red\n',
  },
};

/** Compiles a program with its folders, and runs the artefact in a folder that holds only `beside`. */
async function startArtefact(
  t: Test,
  source: string,
  { beside = {}, flags = [] as string[], tree = TREE } = {},
): Promise<Site> {
  const cwd = t.testdir({
    made: { ...tree, 'app.svc': `app = web_app()\n${source}\napp.run(0)\n` },
    run: { elsewhere: {}, here: beside },
  });
  const folders = Object.keys(tree).flatMap((name) => ['--assets', name]);
  const made = await svcc(['compile', 'app.svc', ...folders, '-o', 'program'], { cwd: join(cwd, 'made') });
  t.strictSame([made.stderr, made.exitCode], ['', 0]);
  renameSync(join(cwd, 'made/program'), join(cwd, 'run/here/app.svcb'));
  renameSync(join(cwd, 'made'), join(cwd, 'run/elsewhere/made'));
  const server = new Svcc(['run', ...flags, 'app.svcb'], { cwd: join(cwd, 'run/here') });
  t.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port(), at: (...parts) => join(cwd, 'run/here', ...parts) };
}

t.jobs = 3;

t.test('files of an artefact are served like files on the disk', async (t) => {
  const site = await startArtefact(t, 'app.static("public")\napp.static("/assets", "./public/", max_age: 60)');
  const client = new Client(site.port);
  // prettier-ignore
  const rows: [target: string, type: string, body: string | Buffer][] = [
    ['/index.html', 'text/html; charset=utf-8', PAGE], ['/assets/index.html', 'text/html; charset=utf-8', PAGE], ['/sub/inner.txt', 'text/plain; charset=utf-8', 'inner'],
    ['/sub/index.html', 'text/html; charset=utf-8', 'inner page'], ['/app.js', 'text/javascript; charset=utf-8', SCRIPT], ['/large.png', 'image/png', LARGE],
    ['/empty.txt', 'text/plain; charset=utf-8', ''], ['/w%C3%B6rd%20x.txt', 'text/plain; charset=utf-8', 'odd'], ['/%69ndex.html', 'text/html; charset=utf-8', PAGE],
  ];
  for (const [target, type, body] of rows) {
    const got = await client.get(target);
    t.strictSame(
      [got.status, header(got, 'content-type'), header(got, 'content-length'), header(got, 'last-modified')],
      [200, type, String(Buffer.byteLength(body)), undefined],
      target,
    );
    t.ok(got.body.equals(Buffer.from(body)), 'the same bytes');
    t.match(header(got, 'etag'), /^"[\w-]+"$/);
    const head = await client.request('HEAD', target);
    t.strictSame(
      [head.status, head.headers.filter(([name]) => name !== 'Date'), head.body.length],
      [200, got.headers.filter(([name]) => name !== 'Date'), 0],
    );
  }
  t.equal(header(await client.get('/assets/app.js'), 'cache-control'), 'public, max-age=60');
  t.equal(header(await client.get('/app.js'), 'cache-control'), 'public, max-age=0');
  t.equal((await client.request('POST', '/index.html', { 'Content-Length': '0' })).status, 404);
  client.close();
  await stopQuietly(t, site);
});

t.test('conditions and ranges', async (t) => {
  const site = await startArtefact(t, 'app.static("public")');
  const client = new Client(site.port);
  const past = 'Sat, 01 Jan 2000 00:00:00 GMT';
  const future = 'Thu, 01 Jan 2099 00:00:00 GMT';
  for (const [target, body] of [
    ['/index.html', Buffer.from(PAGE)],
    ['/large.png', LARGE],
  ] as const) {
    const etag = header(await client.get(target), 'etag') as string;
    // prettier-ignore
    const rows: [headers: Record<string, string>, status: number, from?: number, to?: number][] = [
      [{ 'If-None-Match': etag }, 304], [{ 'If-None-Match': `"x", W/${etag}` }, 304], [{ 'If-None-Match': '*' }, 304], [{ 'If-None-Match': '"x"' }, 200],
      [{ 'If-Modified-Since': past }, 200], [{ 'If-Modified-Since': future }, 200], [{ 'If-Unmodified-Since': past }, 200], [{ 'If-Unmodified-Since': future }, 200],
      [{ 'If-Match': etag }, 200], [{ 'If-Match': '"x"' }, 412],
      [{ Range: 'bytes=0-4' }, 206, 0, 5], [{ Range: 'bytes=-3' }, 206, body.length - 3, body.length], [{ Range: 'bytes=4-' }, 206, 4, body.length], [{ Range: `bytes=${body.length}-` }, 416],
      [{ Range: 'bytes=0-4', 'If-Range': etag }, 206, 0, 5], [{ Range: 'bytes=0-4', 'If-Range': '"x"' }, 200], [{ Range: 'bytes=0-4', 'If-Range': future }, 200], [{ Range: 'bytes=0-1,3-4' }, 200],
    ];
    for (const [headers, status, from = 0, to = body.length] of rows) {
      const got = await client.get(target, headers);
      t.equal(got.status, status, `${target} ${JSON.stringify(headers)}`);
      if (status < 300) t.ok(got.body.equals(body.subarray(from, to)), 'the right bytes');
      if (status === 304) t.strictSame([header(got, 'etag'), got.body.length], [etag, 0]);
      if (status === 206) t.equal(header(got, 'content-range'), `bytes ${from}-${to - 1}/${body.length}`);
    }
  }
  client.close();
  await stopQuietly(t, site);
});

t.test('files that are not served from the disk are not served from an artefact', async (t) => {
  const site = await startArtefact(
    t,
    'app.static("public")\napp.static("/assets", "public")\napp.static("/disk", path_absolute("public"))',
    { beside: { 'secret.txt': SECRET, public: { '.env': SECRET, 'index.html': SECRET, 'more.txt': 'more' } } },
  );
  const client = new Client(site.port);
  const targets = [
    '/',
    '/sub',
    '/sub/',
    '/none.html',
    '/index.html/',
    '/index.html/x.html',
    '/index.htm',
    '/INDEX.html',
    '/index.html%00',
    '/sub%2finner.txt',
    '/sub%2Finner.txt',
    '/sub%5cinner.txt',
    '/sub\\inner.txt',
    '/sub/../index.html',
    '/./index.html',
    '/%2e/index.html',
    '/sub//inner.txt',
    '//index.html',
    '/.env',
    '/%2eenv',
    '/..a.txt',
    '/.git/config.txt',
    '/key.pem',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/../views/hello.tpl',
    '/%2e%2e/views/rows.csv',
    '/views/rows.csv',
    '/public/index.html',
    '/../public/index.html',
    '/assets/../index.html',
    '/assets..%2fsecret.txt',
    '/app.svcb',
    '/../app.svcb',
  ];
  for (const target of targets) {
    const { status, body } = await client.get(target);
    t.ok(
      (status === 404 || status === 400) && !body.includes('SECRET') && !body.includes(PAGE),
      `${target} -> ${status}`,
    );
  }
  t.equal((await client.get('/index.html')).body.toString(), PAGE, 'a file of the artefact hides one on the disk');
  t.equal((await client.get('/more.txt')).body.toString(), 'more', 'but only the one with the same path');
  t.equal((await client.get('/disk/index.html')).body.toString(), SECRET, 'an absolute path leads to the disk');
  t.equal((await client.get('/disk/sub/inner.txt')).status, 404);
  client.close();
  await stopQuietly(t, site);
});

t.test('compressed forms', async (t) => {
  const site = await startArtefact(t, 'app.compress()\napp.static("public")');
  const client = new Client(site.port);
  const plain = await client.get('/app.js');
  for (let round = 0; round < 2; round++) {
    const got = await client.get('/app.js', { 'Accept-Encoding': 'br' });
    t.strictSame([got.status, header(got, 'content-encoding'), header(got, 'vary')], [200, 'br', 'Accept-Encoding']);
    t.equal(brotliDecompressSync(got.body).toString(), SCRIPT);
    t.not(header(got, 'etag'), header(plain, 'etag'));
    t.equal(
      (await client.get('/app.js', { 'Accept-Encoding': 'br', 'If-None-Match': header(got, 'etag') as string })).status,
      304,
    );
  }
  t.equal(header(await client.get('/large.png', { 'Accept-Encoding': 'br' }), 'content-encoding'), undefined);
  client.close();
  await stopQuietly(t, site);
});

const READING = `
app.get("/hello") { |req| template(file_read("views/hello.tpl"), {name: "Ann"}) }
app.get("/lines") { |req| file_lines("./views/../views//rows.csv").length.to_s }
app.get("/data") { |req| json_encode([json_read("views/data.json"), csv_read("views/rows.csv"), dotenv("views/settings.env")]) }
app.get("/names") { |req| json_encode([dir_list("public/sub"), dir_list("views").length, dir_list().include?("public"), dir_list(".").include?("app.svcb")]) }
app.get("/there") { |req| json_encode(["views", "views/", "views/rows.csv", "views/rows.csv/", "views/none", "../views", "", ".", "/views", "public/.env"].map { |path| [file_exists(path), dir_exists(path)] }) }
app.get("/download") { |req| send_file("public/large.png", filename: "x.png") }
app.get("/inline") { |req| send_file("views/rows.csv", disposition: "inline") }
app.get("/none") { |req| send_file("views") }
app.get("/fails") do |req|
  json_encode(["file_read", "dir_list"].map { |name|
    begin
      if name == "file_read" then file_read("views") else dir_list("views/rows.csv") end
    rescue IOError => e
      e.message
    end
  })
end
app.get("/write") do |req|
  file_copy("views/rows.csv", "copy.csv")
  file_mkdir("views")
  file_write("views/rows.csv", "disk")
  file_append("views/new.txt", "new")
  seen = [file_read("copy.csv"), file_read("views/rows.csv"), file_read("views/new.txt"), dir_list("views").sort()]
  file_delete("views/rows.csv")
  seen.push(file_exists("views/rows.csv"))
  begin
    file_delete("views/rows.csv")
  rescue FileNotFoundError => e
    seen.push(e.message)
  end
  json_encode(seen)
end`;

t.test('natives that read see the files of the artefact, natives that write do not', async (t) => {
  const site = await startArtefact(t, READING);
  const client = new Client(site.port);
  const text = async (target: string): Promise<string> => (await client.get(target)).body.toString();
  t.equal(await text('/hello'), 'Hello Ann!\n');
  t.equal(await text('/lines'), '2');
  t.strictSame(JSON.parse(await text('/data')), [{ x: [1, 2] }, [{ a: '1', b: '2' }], { COLOR: 'red' }]);
  t.strictSame(JSON.parse(await text('/names')), [['index.html', 'inner.txt'], 4, true, true]);
  const [no, file, folder] = [
    [false, false],
    [true, false],
    [true, true],
  ];
  t.strictSame(JSON.parse(await text('/there')), [folder, folder, file, no, no, no, no, folder, no, no]);
  const download = await client.get('/download');
  t.ok(download.body.equals(LARGE));
  t.strictSame(
    [header(download, 'content-type'), header(download, 'content-disposition'), header(download, 'last-modified')],
    ['image/png', 'attachment; filename="x.png"', undefined],
  );
  t.equal((await client.get('/download', { Range: 'bytes=1-2' })).status, 206);
  t.equal(header(await client.get('/inline'), 'content-disposition'), 'inline; filename="rows.csv"');
  t.equal((await client.get('/none')).status, 500);
  t.strictSame(JSON.parse(await text('/fails')), [
    'cannot read views: it is a directory, not a file',
    'cannot list views/rows.csv: it is not a directory, or a part of its path is not one',
  ]);
  t.strictSame(JSON.parse(await text('/write')), [
    'a,b\n1,2\n',
    'a,b\n1,2\n',
    'new',
    ['data.json', 'hello.tpl', 'new.txt', 'rows.csv', 'settings.env'],
    true,
    'cannot delete views/rows.csv: no such file or directory',
  ]);
  client.close();
  const { stderr, exitCode } = await site.server.stop();
  t.equal(exitCode, 0);
  t.match(stderr, /there is no readable file at "views"/);
});

t.test('with workers and in development', async (t) => {
  for (const flags of [['--workers', '2'], ['--dev']]) {
    const site = await startArtefact(t, 'app.static("public")\napp.get("/t") { |req| file_read("views/hello.tpl") }', {
      flags,
    });
    for (let i = 0; i < 4; i++) {
      const client = new Client(site.port);
      t.equal((await client.get('/index.html')).body.toString(), PAGE);
      t.equal((await client.get('/t')).body.toString(), 'Hello {{name}}!\n');
      client.close();
    }
    t.equal((await site.server.stop()).stderr, '');
  }
});

t.test('a folder without files in the artefact is read from the disk', async (t) => {
  const site = await startArtefact(t, 'app.static("site")', { tree: { views: { 'a.txt': 'a' } } });
  mkdirSync(site.at('site'));
  writeFileSync(site.at('site/b.txt'), 'b');
  const client = new Client(site.port);
  t.equal((await client.get('/b.txt')).body.toString(), 'b');
  client.close();
  t.match((await site.server.stop()).stderr, /warning: app\.svc:2: static: there is no directory 'site'/);
});
