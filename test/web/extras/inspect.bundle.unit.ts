import { request } from 'node:http';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import type { Inspected, RouteData } from '../../../natives/web/inspector/data.js';
import { browserFor, checkPage, WITHOUT_BROWSER } from '../../browser.js';
import { PATIENCE_MS, until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';

const PROGRAM = `app = web_app()
app.set("threads", 2000)
app.inspect
app.log("access")
app.metrics
app.use { |req, next_fn| halt(403, "no") if req.query["token"] == nil and req.path.start_with?("/_svc"); next_fn(req) }
app.get("/steps/:n") do |req|
  sum = 0
  req.params["n"].to_i.times { |i| sum += i }
  sum.to_s
end
app.get("/loop") { |req| loop { } }
def slow(seconds)
  sleep(seconds)
end
app.get("/slow/:secret") { |req| slow(1000) }
app.get("/fail") { |req| raise "no" }
app.get("/many") do |req|
  spawn { sleep(1000) } while true
end
app.get("/deep") { |req| deep(500) }
def deep(n)
  if n == 0 then sleep(1000) else deep(n - 1) + 1 end
end
app.websocket("/ws/:room") do |ws|
  ws.join("<b>room</b>")
  while (m = ws.recv()) != nil
    ws.send(m)
  end
end
db = database("sqlite::memory:")
db.exec("create table notes (id integer primary key)")
app.run(0)
`;

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

function get(port: number, path: string, headers: Record<string, string> = {}, host = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, headers }, (res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => (body += part));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Addresses of this machine that other machines can reach. */
function addresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}

/** Sends a request whose answer is not awaited. */
function leave(t: Test, port: number, path: string): void {
  const asked = request({ host: '127.0.0.1', port, path });
  asked.on('error', () => {});
  asked.end();
  t.teardown(() => asked.destroy());
}

class Service {
  private constructor(
    readonly svcc: Svcc,
    readonly port: number,
    readonly folder: string,
  ) {}

  static async start(
    t: Test,
    program = PROGRAM,
    flags = ['--dev'],
    env: Record<string, string> = {},
  ): Promise<Service> {
    // Not the test's folder: the path of a socket is limited.
    const folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'));
    writeFileSync(join(folder, 'app.svc'), program);
    const svcc = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder, env: { XDG_RUNTIME_DIR: folder, ...env } });
    t.teardown(async () => {
      svcc.child.kill('SIGKILL');
      await svcc.ended;
      rmSync(folder, { recursive: true, force: true });
    });
    return new Service(svcc, await svcc.port(), folder);
  }

  async data(): Promise<Inspected> {
    const { status, body } = await get(this.port, '/_svc/data');
    if (status !== 200) throw new Error(`${status} ${body}`);
    return JSON.parse(body) as Inspected;
  }

  async route(name: string): Promise<RouteData | undefined> {
    return (await this.data()).routes.find(({ route }) => route === name);
  }
}

const WITH_FILES = `app = web_app()
app.inspect
file_mkdir("public")
file_write("public/a.txt", "a")
app.static("public")
app.use { |req, next_fn| req.path == "/x/y" ? "by middleware" : next_fn(req) }
app.get("/:name") { |req| "ok" }
app.run(0)
`;

t.test('requests without a route are counted for files only if a file answers', async (t) => {
  const service = await Service.start(t, WITH_FILES);
  const { port } = service;
  const options = request({ host: '127.0.0.1', port, path: '/b', method: 'OPTIONS' }, (res) => res.resume());
  options.end();
  t.equal((await get(port, '/a.txt')).body, 'a');
  t.equal((await get(port, '/a.txt', { 'If-None-Match': '*' })).status, 304);
  t.equal((await get(port, '/x/y')).body, 'by middleware');
  t.equal((await get(port, '/b')).body, 'ok');
  const data = await until('five answers', async () => {
    const now = await service.data();
    return now.requests.total >= 5 ? now : null;
  });
  const totals = Object.fromEntries(data.routes.map(({ route, total }) => [route, total]));
  t.same(totals, { '(static files)': 2, '(no route)': 2, 'GET /:name': 1 });
});

t.test('requests, routes and threads', async (t) => {
  const service = await Service.start(t);
  const { port } = service;
  for (let i = 0; i < 5; i++) t.equal((await get(port, '/steps/1000')).body, '499500');
  await get(port, '/steps/5?password=hunter2');
  await get(port, '/fail');
  await get(port, '/nowhere/hunter2');
  await until('the routes', async () => (await service.data()).requests.total >= 8);
  const steps = await service.route('GET /steps/:n');
  t.match(steps, { total: 6, failed: 0, underWay: 0 });
  // A round is an iteration and the call of the block.
  t.ok(steps !== undefined && steps.mostSteps >= 1000 && steps.mostSteps < 4000, String(steps?.mostSteps));
  t.ok(steps !== undefined && steps.p50 > 0 && steps.p50 <= steps.p99);
  t.ok(steps !== undefined && steps.perSecond > 0);
  t.match(await service.route('GET /fail'), { total: 1, failed: 1 });
  t.match(await service.route('(no route)'), { total: 1 });

  leave(t, port, '/loop');
  leave(t, port, '/slow/hunter2');
  leave(t, port, '/deep');
  const data = await until('three requests under way', async () => {
    const now = await service.data();
    const { shown } = now.requests;
    const waiting = shown.filter(({ doing }) => doing === 'waits for sleep').length;
    return shown.length === 3 && waiting === 2 && shown.some(({ steps }) => steps > 1e6) ? now : null;
  });
  const requests = Object.fromEntries(data.requests.shown.map((one) => [one.route, one]));
  t.match(requests, {
    'GET /loop': { doing: 'runs' },
    'GET /slow/:secret': { doing: 'waits for sleep', age: Number },
    'GET /deep': { doing: 'waits for sleep' },
  });
  const threads = Object.fromEntries(data.threads.shown.map((one) => [one.label, one]));
  t.match(threads['GET /slow/:secret'], { state: 'waiting', waitsFor: 'sleep' });
  t.match(threads['GET /slow/:secret'].stack[0], /app\.svc:\d+ in slow$/);
  t.ok(
    threads['GET /slow/:secret'].waited > 0 && threads['GET /slow/:secret'].waited <= threads['GET /slow/:secret'].age,
  );
  t.match(threads['GET /loop'], { state: 'ready', waited: 0 });
  t.match(threads.main, { waitsFor: 'server' });
  t.equal(threads['GET /deep'].stack.length, 21);
  t.match(threads['GET /deep'].stack.at(-1), /^… \d+ more$/);
  t.match(data, { port, pid: Number, program: 'app.svc', resources: [{ name: /memory/, connections: Number }] });
  t.notMatch(JSON.stringify(data), /hunter2/, 'values of paths and queries are not shown');
  const metrics = (await get(port, '/metrics')).body;
  t.notMatch(metrics + service.svcc.stdout, /_svc/, 'metrics and logs do not count the page');
});

t.test('full of threads', async (t) => {
  const service = await Service.start(t);
  await get(service.port, '/many');
  for (let i = 0; i < 500; i++) leave(t, service.port, '/slow/x');
  const data = await until('2,000 threads', async () => {
    const now = await service.data();
    return now.threads.total === 2000 ? now : null;
  });
  t.match(await get(service.port, '/steps/1'), { status: 503 });
  t.equal(data.threads.shown.length, 100);
  t.equal(data.requests.shown.length, 50);
  t.ok(data.requests.underWay > 50);
  t.ok(JSON.stringify(data).length < 100_000);
});

t.test('only a developer sees it', async (t) => {
  const service = await Service.start(t);
  const { port } = service;
  const own = { Host: `localhost:${port}` };
  const seen = await get(port, '/_svc', own);
  t.match(seen, { status: 200, headers: { 'content-type': /^text\/html/, 'cache-control': 'no-store' } });
  t.match(
    seen.headers['content-security-policy'],
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
  );
  t.notMatch(seen.body, /https?:\/\//, 'nothing is loaded from elsewhere');
  t.match(await get(port, '/_svc', { ...own, Origin: `http://localhost:${port}` }), { status: 200 });
  const refused: Record<string, string>[] = [
    { Host: 'evil.example' },
    { Host: `evil.example:${port}` },
    { ...own, 'X-Forwarded-For': '203.0.113.9' },
    { ...own, Via: '1.1 proxy' },
    { ...own, Origin: 'http://evil.example' },
    { ...own, Origin: 'http://localhost:1' },
    { ...own, Origin: 'null' },
    { ...own, 'Sec-Fetch-Site': 'cross-site' },
    { ...own, 'Sec-Fetch-Site': 'same-site' },
  ];
  for (const headers of refused)
    for (const path of ['/_svc', '/_svc/data'])
      t.match(await get(port, path, headers), { status: 404, body: 'Not Found' }, JSON.stringify(headers));
  t.equal(service.svcc.stderr.match(/warning: the page of app\.inspect answers only/g)?.length, 1);
  for (const address of addresses())
    t.match(await get(port, '/_svc', own, address), { status: 404 }, 'another address of the machine');
});

t.test('a new version of the program', async (t) => {
  const service = await Service.start(t);
  await get(service.port, '/steps/5');
  await until('the request', async () => (await service.data()).requests.total === 1);
  const path = join(service.folder, 'app.svc');
  const become = (text: string): void => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  become(`${PROGRAM}# changed\n`);
  await until('the new version', async () => (await service.data()).requests.total === 0);
  become('app = web_app()\napp.get("/") { |req| "plain" }\napp.run(0)\n');
  await until('a version without it', async () => (await get(service.port, '/_svc/data')).status === 404);
  t.equal((await get(service.port, '/')).body, 'plain');
});

t.test('inspect after run', async (t) => {
  const program = `app = web_app()
app.get("/") { |req| begin; app.inspect; rescue RuntimeError => e; e.message; end }
app.run(0)
`;
  const { port } = await Service.start(t, program, []);
  t.equal((await get(port, '/')).body, 'SvcApp.inspect(): the server is running; call inspect before app.run');
});

t.test('the page in a browser', { skip: WITHOUT_BROWSER }, async (t) => {
  const service = await Service.start(t);
  const { port } = service;
  for (const path of ['/steps/1000', '/steps/100', '/fail', '/nowhere']) await get(port, path);
  for (const path of ['/loop', '/slow/x', '/deep']) leave(t, port, path);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/1`);
  socket.on('error', () => {});
  t.teardown(() => socket.terminate());
  await until('the WebSocket', async () => (await service.data()).sockets.open === 1);
  const browser = await browserFor(t);
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  const textOf = (id: string): Promise<string> =>
    page.evaluate(`document.getElementById('${id}').textContent`) as Promise<string>;
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const width of [360, 1280]) {
      await page.setViewport({ width, height: 900 });
      await page.goto(`http://localhost:${port}/_svc`);
      await page.waitForFunction("document.getElementById('state').textContent === 'live'");
      await checkPage(t, page, `inspector-${scheme}`);
    }
  }
  t.match(await textOf('routes'), /GET \/steps\/:n.*GET \/fail/);
  t.match(await textOf('requests'), /GET \/loop.*runs/);
  t.match(await textOf('rooms'), /<b>room<\/b>1/, 'names are texts');
  t.match(await textOf('resources'), /memory/);

  // With the keyboard: `/` goes to the filter, details of a thread open and stay open.
  await page.keyboard.press('/');
  t.equal(await page.evaluate('document.activeElement.id'), 'filter');
  await page.keyboard.type('slow');
  await page.waitForFunction("document.querySelectorAll('#threads details').length === 1");
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY');
  await page.keyboard.press('Enter');
  t.match(await page.evaluate("document.querySelector('#threads details[open] pre').textContent"), /in slow\n/);
  const before = await textOf('process');
  await page.waitForFunction(`document.getElementById('process').textContent !== ${JSON.stringify(before)}`);
  t.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY', 'updates keep the focus');
  t.equal(await page.evaluate("document.querySelectorAll('#threads details[open]').length"), 1);

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('p');
  t.equal(await textOf('state'), 'paused');
  await page.keyboard.press('p');
  await page.waitForFunction("document.getElementById('state').textContent === 'live'");
  t.strictSame(complaints, []);
  service.svcc.child.kill('SIGKILL');
  await page.waitForFunction("document.getElementById('state').textContent === 'no answer'");
});
