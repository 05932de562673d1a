import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { type Outcome, Svcc, svcc } from '../svcc.js';

t.jobs = 2;

const PROGRAM = `app = web_app()
app.compress
app.set("body_bytes", 2_000_000)
hits = [0]
app.get("/hello/:name") { |req| "hello #{req.params["name"]} #{hits[0] += 1}" }
app.post("/login") do |req|
  halt(401, "wrong") unless req.json["password"] == "hunter2"
  res = json_response({token: "t0psecret", user: req.json["name"], big: req.json["n"]})
  res.set_cookie("session", "abc")
  res
end
app.post("/form") { |req| req.form["a"] + req.form["password"] }
app.post("/upload") { |req| "#{req.files["f"]["filename"]} #{req.files["f"]["size"]} #{req.form["title"]} #{req.form["pin"]}" }
app.post("/long") { |req| req.body.length.to_s }
app.get("/big") { |req| "x" * 3_000_000 }
app.get("/me") { |req| "#{(req.cookies["session"] or "").length} #{(req.headers["authorization"] or "").length}" }
app.get("/boom") { |req| nil.foo }
app.get("/slow") { |req| sleep(3600); "late" }
app.get("/events") { |req| sse_response { |s| 3.times { |i| s.send("tick #{i}"); sleep(0.01) } } }
app.get("/text") { |req| "a long text " * 500 }
app.get("/now") { |req| clock_ms() // 86_400_000 }
app.websocket("/chat") { |ws| ws.send("hi") }
app.websocket("/live/:id") { |ws| ws.send("hi") }
app.run(0)
`;

interface Stored {
  version: string;
  route: string;
  request: { target: string; fields: string[]; body: { data: string } | null; missing: string | null };
  masked: { kind: string; name: string }[];
  response: { status: number; body: { data: string } | null; missing: string | null };
}

/** A folder with a program, which records what it is sent. */
class Recorded {
  readonly folder: string;

  constructor(
    private readonly test: Test,
    text = PROGRAM,
  ) {
    this.folder = test.testdir({ 'app.svc': text });
  }

  get files(): string[] {
    return readdirSync(join(this.folder, '.svc/recordings')).sort((a, b) => parseInt(a) - parseInt(b));
  }

  stored(i: number): Stored {
    return JSON.parse(readFileSync(join(this.folder, '.svc/recordings', this.files[i]), 'utf8')) as Stored;
  }

  /** Runs the program while `use` sends requests; resolves with what it printed. */
  async serve(use: (site: string, server: Svcc) => Promise<void>): Promise<Outcome> {
    const server = new Svcc(['run', '--dev', '--record', 'app.svc'], { cwd: this.folder });
    this.test.teardown(() => server.child.kill('SIGKILL'));
    await use(`http://127.0.0.1:${await server.port()}`, server);
    const outcome = await server.stop();
    this.test.equal(outcome.exitCode, 0, outcome.stderr);
    return outcome;
  }

  /** Sends requests one after another. */
  async send(...requests: [path: string, init?: RequestInit][]): Promise<Outcome> {
    return this.serve(async (site) => {
      for (const [path, init] of requests)
        await (await fetch(site + path, { ...init, headers: { ...init?.headers, Connection: 'close' } })).text();
    });
  }

  replay(...args: string[]): Promise<Outcome> {
    return svcc(['replay', ...args], { cwd: this.folder });
  }
}

const json = { 'Content-Type': 'application/json' };

t.test('requests are listed and run again', async (t) => {
  const it = new Recorded(t);
  const body = '{"name": "ann", "password": "hunter2", "n": 12345678901234567890}';
  const { stderr } = await it.send(
    ['/hello/ann?x=1&token=abc'],
    ['/login', { method: 'POST', headers: { ...json, 'X-Api-Key': 'k' }, body }],
    ['/nothing'],
    ['/me', { headers: { Cookie: 'session=s3; theme=dark', Authorization: 'Bearer x' } }],
  );
  t.match(stderr, 'svcc: recording requests in .svc/recordings, except WebSockets: /chat, /live/:id\n');
  t.equal(it.files.length, 3, 'requests without a route are not recorded');
  const all = it.files.map((name) => readFileSync(join(it.folder, '.svc/recordings', name), 'utf8')).join('');
  for (const secret of ['abc', 'hunter2', 't0psecret', '"k"', 's3', 'dark', 'Bearer']) t.notMatch(all, secret);
  for (const name of it.files) t.equal(statSync(join(it.folder, '.svc/recordings', name)).mode & 0o777, 0o600);
  t.equal(statSync(join(it.folder, '.svc/recordings')).mode & 0o777, 0o700);

  const list = await it.replay();
  t.equal(list.exitCode, 0);
  t.match(
    list.stdout,
    /^NUMBER +TIME +REQUEST +STATUS +TOOK +ROUTE\n1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +GET \/hello\/ann\?x=1&token=\[redacted\] +200 +\d+ ms +GET \/hello\/:name\n2 .*POST \/login +200.*\n3 .*GET \/me/,
  );

  const hello = await it.replay('1');
  t.equal(hello.exitCode, 0);
  t.match(hello.stdout, /^HTTP 200 OK\nContent-Type: text\/plain; charset=utf-8\n[^]*\n\nhello ann 1\n$/);
  t.match(hello.stderr, "not recorded, because they are secret: field token\nto supply them: --field 'token=…'\n");
  t.match(hello.stderr, 'same status and body as recorded');

  const login = await it.replay('2');
  t.equal(login.exitCode, 1);
  t.match(login.stdout, 'HTTP 401 Unauthorized');
  t.match(login.stderr, "--header 'X-Api-Key: …' --field 'password=…'");
  t.match(login.stderr, 'the status differs: recorded 200, now 401\nthe body differs: - recorded, + now\n');
  t.match(login.stderr, '-  "user": "ann",');
  const supplied = await it.replay('2', '--field', 'password=hunter2', '--header', 'X-Api-Key: z');
  t.equal(supplied.exitCode, 0, supplied.stderr);
  t.match(supplied.stdout, '{"token":"t0psecret","user":"ann","big":12345678901234567890}');
  t.notMatch(supplied.stderr, 'secret:');

  const me = await it.replay('3', '--header', 'Cookie: session=s3', '--header', 'Authorization: Bearer x');
  t.equal(me.exitCode, 0, me.stderr);
  t.match(me.stdout, '\n\n2 8\n');
});

t.test('requests of the inspector are not recorded', async (t) => {
  const it = new Recorded(
    t,
    `app = web_app()
app.inspect("/look")
app.get("/hello") { |req| "hello" }
app.health("/health")
app.run(0)
`,
  );
  await it.send(['/look'], ['/look/data'], ['/hello'], ['/look/data'], ['/health']);
  t.strictSame(
    it.files.map((_, i) => it.stored(i).route),
    ['GET /hello', 'GET /health'],
  );
});

t.test('forms, uploads, long bodies', async (t) => {
  const it = new Recorded(t);
  const upload = new FormData();
  upload.set('title', 'T');
  upload.set('pin', '1234');
  upload.set('f', new Blob([Buffer.from([0, 255, 13, 10])]), 'f.bin');
  await it.send(
    ['/form', { method: 'POST', body: new URLSearchParams({ a: 'ä b', password: 'p&w' }) }],
    ['/upload', { method: 'POST', body: upload }],
    ['/long', { method: 'POST', body: 'x'.repeat(1_048_577) }],
    ['/big'],
    ['/long', { method: 'POST', body: 'x'.repeat(3_000_000) }],
    ['/text', { headers: { 'Accept-Encoding': 'gzip' } }],
  );
  const form = await it.replay('1', '--field', 'password=p&w');
  t.equal(form.exitCode, 0, form.stderr);
  t.match(form.stdout, '\n\nä bp&w\n');
  t.equal((await it.replay('2', '--field', 'pin=1234')).exitCode, 0);
  const other = await it.replay('2');
  t.match([other.exitCode, other.stdout], [1, '\n\nf.bin 4 T [redacted]\n']);
  const long = await it.replay('3');
  t.match(
    [long.exitCode, long.stderr],
    [2, 'svcc: the body of request 3 is not recorded (too long), so it cannot run again\n'],
  );
  const big = await it.replay('4');
  t.match([big.exitCode, big.stderr], [0, 'the recorded body is longer than 1 MB: only the status is compared']);
  t.match((await it.replay('5')).stderr, 'is not recorded (too long)', 'a request that was refused');
  const text = await it.replay('6');
  t.equal(text.exitCode, 0, text.stderr);
  t.match(it.stored(5).response.body?.data, /^(a long text ){500}$/, 'bodies are stored decoded');
});

t.test('errors, streams, clients that leave, times', async (t) => {
  const it = new Recorded(t);
  await it.serve(async (site) => {
    await (await fetch(`${site}/boom`)).text();
    await (await fetch(`${site}/events`)).text();
    const leaving = request(`${site}/slow`).on('error', () => {});
    leaving.end();
    await fetch(`${site}/now`);
    leaving.destroy();
    await until('four recordings', () => it.files.length === 4);
  });
  const boom = await it.replay('1');
  t.equal(boom.exitCode, 0, 'the status is the same');
  t.match(boom.stderr, "AttributeError: nil has no method 'foo'");
  t.match(boom.stderr, 'the recorded body is the error page of --dev: only the status is compared');
  const numbers = Object.fromEntries(it.files.map((name, i) => [it.stored(i).route, String(parseInt(name))]));
  t.equal((await it.replay(numbers['GET /events'])).exitCode, 0);
  const slow = await it.replay(numbers['GET /slow']);
  t.match([slow.exitCode, slow.stdout], [0, '\n\nlate\n'], 'an hour takes no time');
  t.match(slow.stderr, 'the client left before it was answered: there is no response to compare with');
  const now = await it.replay(numbers['GET /now']);
  t.equal(now.exitCode, 0, 'the clock begins at the time of the recording');
});

t.test('a program that has changed', async (t) => {
  const it = new Recorded(t);
  await it.send(['/hello/ann']);
  t.notMatch((await it.replay('1')).stderr, 'changed');
  const write = (text: string): void => writeFileSync(join(it.folder, 'app.svc'), text);
  write(PROGRAM.replace('"hello', '"good day'));
  const changed = await it.replay('1');
  t.equal(changed.exitCode, 1);
  t.match(changed.stderr, 'the program has changed since\n');
  t.match(changed.stderr, '-hello ann 1\n+good day ann 1\n');
  write(PROGRAM.replace('/hello/:name', '/bye/:name'));
  t.match((await it.replay('1')).stderr, 'the status differs: recorded 200, now 404');
  write('puts "nothing"');
  t.match(
    (await it.replay('1')).stderr,
    'svcc: app.svc ended with exit code 0 before it called app.run, so the request cannot run',
  );
  write('def (');
  const broken = await it.replay('1');
  t.match([broken.exitCode, broken.stderr], [2, 'app.svc:1:']);
  rmSync(join(it.folder, 'app.svc'));
  t.match((await it.replay('1')).stderr, 'cannot read app.svc: ');
});

t.test('the last hundred requests of each route stay', async (t) => {
  const it = new Recorded(t);
  await it.serve(async (site) => {
    await (await fetch(`${site}/text`)).text();
    for (let i = 0; i < 105; i++) await (await fetch(`${site}/hello/n${i}`)).text();
  });
  t.equal(it.files.length, 101);
  t.match(it.stored(0).route, 'GET /text');
  t.match(it.stored(1).request.target, '/hello/n5');
  t.match(it.stored(100).request.target, '/hello/n104');
  await it.send(['/hello/again']);
  t.match([it.files.length, parseInt(it.files[100])], [101, 107], 'numbers go on');
  const list = await it.replay();
  t.match(list.stdout, /\nthe latest 30 of 101; --all lists all\n$/);
  t.equal((await it.replay('--all')).stdout.split('\n').length, 103);
});

t.test('wrong use', async (t) => {
  const it = new Recorded(t);
  const cases: [string[], string][] = [
    [[], 'svcc: no requests are recorded in .svc/recordings: svcc run --dev --record FILE records them\n'],
    [['7'], 'svcc: no request 7 is recorded here; svcc replay lists them\n'],
    [['seven'], "svcc: the request to run again must be a number, got 'seven'; svcc replay lists them\n"],
    [['7', '--header', 'x'], "svcc: --header must be 'Name: value', got 'x'\n"],
    [['7', '--header', 'a b: x'], 'svcc: --header: "a b" is not a valid header name\n'],
    [['7', '--field', '=x'], "svcc: --field must be 'name=value', got '=x'\n"],
  ];
  for (const [args, message] of cases) {
    const { exitCode, stderr, stdout } = await it.replay(...args);
    t.strictSame([exitCode, stderr, stdout], [2, message, '']);
  }
  const { exitCode, stderr } = await svcc(['run', '--record', 'app.svc'], { cwd: it.folder });
  t.strictSame([exitCode, stderr], [2, 'svcc: --record needs --dev: requests are recorded during development only\n']);
});

t.test('a folder that cannot be written stops recording, not the server', async (t) => {
  const it = new Recorded(t);
  writeFileSync(join(it.folder, '.svc'), 'a file');
  const { stderr } = await it.send(['/hello/a'], ['/hello/b']);
  t.equal(stderr.match(/svcc: cannot write recordings to \.svc\/recordings: /g)?.length, 1, stderr);
});
