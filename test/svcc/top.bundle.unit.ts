import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../patience.js';
import { get } from '../web/support/serve.js';
import { HAS_TMUX, TerminalSession } from './repl/tmux.js';
import { type Outcome, Svcc, svcc } from './svcc.js';

const PROGRAM = `app = web_app()
app.set("drain_seconds", 1)
app.inspect
app.get("/") { |req| "ok" }
app.get("/fail") { |req| raise "no" }
app.get("/loop", finish: true) do |req|
  spawn { loop { } }
  "loops"
end
app.get("/many", finish: true) do |req|
  8000.times { spawn { sleep(1000) } }
  "many"
end
app.run(0)
`;

/** A folder in which services announce themselves, instead of the user's. */
class Machine {
  /** Not the test's folder: the path of a socket is limited. */
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-top-'));
  readonly env = { XDG_RUNTIME_DIR: this.folder, TMPDIR: this.folder };
  private readonly services: Svcc[] = [];

  constructor(t: Test) {
    writeFileSync(join(this.folder, 'app.svc'), PROGRAM);
    t.teardown(async () => {
      for (const service of this.services) service.child.kill('SIGKILL');
      await Promise.all(this.services.map(({ ended }) => ended));
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  async start(...flags: string[]): Promise<{ service: Svcc; port: number; pid: number }> {
    const service = new Svcc(['run', ...flags, 'app.svc'], { cwd: this.folder, env: this.env });
    this.services.push(service);
    return { service, port: await service.port(), pid: service.child.pid ?? 0 };
  }

  top(...args: string[]): Promise<Outcome> {
    return svcc(['top', ...args], { cwd: this.folder, env: this.env });
  }

  /** Names of the sockets of announced processes. */
  sockets(): string[] {
    return readdirSync(join(this.folder, 'svc'));
  }
}

t.test('one service', async (t) => {
  const machine = new Machine(t);
  const { port, pid, service } = await machine.start();
  for (let i = 0; i < 3; i++) await get(port, '/');
  await get(port, '/fail');
  const { stdout, stderr, exitCode } = await machine.top();
  t.match(
    stdout,
    new RegExp(`^app\\.svc: process ${pid}, port ${port}, up [\\d.]+ m?s\nrequests: [\\d.]+ /s, 4 answered, 0`),
  );
  t.match(stdout, /^threads: 1 of at most 10,000, 0 ready; waiting for: 1 server$/m);
  t.match(stdout, /^GET \/ +[\d.]+ +3 +0 .* 0$/m);
  t.match(stdout, /^GET \/fail +[\d.]+ +1 +0 .* 1$/m);
  t.match(stdout, /^ +1 +main .* has waited [\d.]+ m?s for server +app\.svc:\d+ in main$/m);
  t.notMatch(stdout, '\u001b', 'no colours outside of a terminal');
  t.strictSame([stderr, exitCode], ['', 0]);
  for (const target of [port, pid])
    t.match((await machine.top(String(target), '--once')).stdout, new RegExp(`^app\\.svc: process ${pid}, `));

  await get(port, '/loop');
  await get(port, '/many');
  const full = await machine.top();
  t.match(full.stdout, /^threads: 8,002 of at most 10,000, 1 ready; waiting for: 8,000 sleep, 1 server$/m);
  t.match(full.stdout, /^ *\d+ +spawn of GET \/loop .* ready +app\.svc:\d+ in block$/m);
  t.match(full.stdout, /^… 7,98\d more threads$/m);
  t.ok(full.stdout.split('\n').length < 60);

  await service.stop();
  t.strictSame(machine.sockets(), [], 'the socket is removed');
});

t.test('messages', async (t) => {
  const machine = new Machine(t);
  const fails = async (args: string[], message: RegExp, code = 1): Promise<void> => {
    const { stdout, stderr, exitCode } = await machine.top(...args);
    t.match(stderr, message);
    t.strictSame([stdout, exitCode], ['', code]);
  };
  await fails([], /^svcc top: no service with app\.inspect runs\n\(call app\.inspect before app\.run, /);
  const own = String(process.pid);
  await fails([own], new RegExp(`^svcc top: process ${own} shows nothing, because it has not called app\\.inspect\n`));
  const first = await machine.start();
  const second = await machine.start();
  const list = [first, second].map(({ pid, port }) => `  process ${pid}, port ${port}\n`);
  const { stderr } = await machine.top();
  t.match(stderr, /^svcc top: several services run; name the process\n/);
  for (const line of list) t.match(stderr, line);
  await fails(
    ['4294967295'],
    /^svcc top: no service with app\.inspect has the process number or the port 4294967295\n {2}process/,
  );
  await fails(['app.svc'], /^svcc top: expected the number of a process or a port, got 'app\.svc'\n {2}process/, 2);
  first.service.child.kill('SIGKILL');
  await first.service.ended;
  t.match((await machine.top()).stdout, new RegExp(`^app\\.svc: process ${second.pid}, `), 'killed ones do not count');
  t.equal(machine.sockets().length, 1);
});

t.test('a process that does not answer', async (t) => {
  const machine = new Machine(t);
  const { service, pid } = await machine.start();
  service.child.kill('SIGSTOP');
  const { stderr, exitCode } = await machine.top(String(pid));
  service.child.kill('SIGCONT');
  t.match(stderr, `svcc top: process ${pid} does not answer; it may be stopped, or very busy\n`);
  t.equal(exitCode, 1);
});

t.test('workers', async (t) => {
  const machine = new Machine(t);
  const { port, pid } = await machine.start('--workers', '2');
  await until('two workers', () => machine.sockets().length === 2);
  for (let i = 0; i < 10; i++) await get(port, '/');
  const workers = machine.sockets().map((name) => name.split('.')[1]);
  for (const target of [port, pid, workers[0]]) {
    const { stdout } = await machine.top(String(target));
    t.match(stdout, new RegExp(`^app\\.svc: process ${pid}, 2 workers: \\d+, \\d+, port ${port}, `));
    for (const worker of workers) t.match(stdout, `main (process ${worker})`);
    t.match(stdout, /^GET \/ +[\d.]+ +10 +0 /m, 'the requests of both');
  }
});

t.test('a folder that cannot be used', async (t) => {
  const machine = new Machine(t);
  writeFileSync(join(machine.folder, 'svc'), 'a file');
  const other = mkdtempSync(join(tmpdir(), 'svc-top-other-'));
  t.teardown(() => rmSync(other, { recursive: true, force: true }));
  machine.env.TMPDIR = other;
  const { port } = await machine.start();
  t.match((await machine.top()).stdout, `port ${port}`, 'the next one is used');
  machine.env.TMPDIR = join(other, 'x'.repeat(80));
  const { service } = await machine.start();
  t.match(
    service.stderr,
    /^warning: svcc top cannot show this process, because \S+ cannot be made: the path is too long\n$/,
  );
});

t.test('a socket that is not a service', async (t) => {
  const machine = new Machine(t);
  const { port } = await machine.start();
  const server = await listening(join(machine.folder, 'svc', '4000000.4000000.1.sock'));
  t.teardown(() => server.close());
  const { stdout } = await machine.top();
  t.match(stdout, `port ${port}`);
});

function listening(path: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.end('no JSON')).listen(path, () => resolve(server));
  });
}

t.test('in a terminal', { skip: !HAS_TMUX && 'tmux is not installed' }, async (t) => {
  const machine = new Machine(t);
  const { port, pid, service } = await machine.start();
  await get(port, '/fail');
  const session = await TerminalSession.run(['top', String(port)], machine.folder, machine.env);
  t.teardown(() => session.close());
  await session.shows(new RegExp(`^app\\.svc: process ${pid}, port ${port}, `));
  await session.shows(/^q quits$/m);
  t.match(await session.colours(), /7m\S*ROUTE/);
  await get(port, '/');
  await session.shows(/^GET \/ +[\d.]+ +1 /m);
  await get(port, '/many');
  await session.shows(/^… 7,9\d\d more threads$/m);
  await session.resize(60, 12);
  await session.shows(/^q quits$/m);
  await until('a smaller screen', async () => {
    const rows = (await session.screen()).split('\n');
    return rows.length === 12 && rows.every((row) => row.length <= 60) && rows[0].startsWith('app.svc');
  });
  await session.press('q');
  await session.shows(/^ended: 0$/m);

  const plain = await TerminalSession.run(['top', String(pid)], machine.folder, { ...machine.env, NO_COLOR: '1' });
  t.teardown(() => plain.close());
  await plain.shows(/^ROUTE/m);
  t.notMatch(await plain.colours(), /\[(7|1|31)m/);
  await service.stop();
  await plain.shows(new RegExp(`^svcc top: process ${pid} has ended\nended: 0`, 'm'));

  const dumb = await TerminalSession.run(['top'], machine.folder, { ...machine.env, TERM: 'dumb' });
  t.teardown(() => dumb.close());
  await dumb.shows(/^svcc top: no service with app\.inspect runs[^]*ended: 1/m);
});
