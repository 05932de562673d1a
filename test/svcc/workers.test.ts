import { connect } from 'node:net';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Connection } from '../web/support/connection.js';
import { get } from '../web/support/serve.js';
import { Peer } from '../web/websocket/peers.js';
import { PATIENCE_MS, until } from '../patience.js';
import { hasEnded } from '../processes.js';
import { FAST_CLOCK } from './fastclock.js';
import { assertNotCompiled, assertRefused } from './refusals.js';
import { Pool, program, withPort } from './pool.js';
import { Svcc, svcc } from './svcc.js';

// On a busy machine each restart takes seconds.
t.setTimeout(300_000);

// Most tests wait for processes to start.
t.jobs = 3;

// /proc lists the processes of a pool.
const ON_LINUX = { skip: process.platform !== 'linux' && 'needs /proc' };

/** A stuck process is killed four seconds after its drain time. */
const DRAINING_BRIEFLY = program('old').replace('"drain_seconds", 2', '"drain_seconds", 1');

/** The error is in its second line. */
const UNCOMPILED = 'x = 1\ny = = 2\n';

/** Clients that send one request after another until they are stopped. */
class Load {
  readonly failures: string[] = [];
  readonly bodies = new Set<string>();
  count = 0;
  private running = true;
  private readonly loops: Promise<void>[];

  constructor(port: number, path: string, clients: number) {
    this.loops = Array.from({ length: clients }, async () => {
      while (this.running) {
        try {
          const { status, body } = await get(port, path);
          if (status !== 200) this.failures.push(`${status} ${body}`);
          this.bodies.add(body);
          this.count++;
        } catch (error) {
          this.failures.push((error as Error).message);
        }
        // Leave time for the other processes on a small machine.
        await sleep(2);
      }
    });
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
  }
}

t.test('all processes serve the port, which is announced once', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  t.equal((await pool.marks(2)).size, 2);
  t.equal(pool.pids().length, 2);
  const { stdout, stderr, exitCode } = await pool.server.stop('SIGINT');
  t.match(stdout, /^Svc web server running on http:\/\/127\.0\.0\.1:\d+\nPress Ctrl\+C to stop\n$/);
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('a process that is killed is replaced', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = await pool.marks(2);
  const [victim, other] = pool.pids();
  process.kill(victim, 'SIGKILL');
  await until('another process', () => pool.pids().length === 2 && !pool.pids().includes(victim));
  t.ok(pool.pids().includes(other), 'the other process continues');
  const mark = await until('an answer of the new process', async () => {
    // The primary may still pass a connection to the killed process.
    const { body } = await get(pool.port, '/me').catch(() => ({ body: null }));
    return body !== null && !before.has(body) && body;
  });
  t.type(mark, 'string');
  t.match(pool.server.stderr, `svcc: worker ${victim} died (SIGKILL); starting another\n`);
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('processes that die soon after each other are replaced after growing pauses', ON_LINUX, async (t) => {
  const dying = 'spawn do\n  sleep(0.02) until app.port\n  exit(7) if file_exists("crash")\nend\napp.run';
  const pool = await Pool.start(t, (await withPort()).replace('app.run', dying));
  const { server } = pool;
  // Time for those that live long: the first death of one is replaced at once.
  await sleep(5500);
  writeFileSync(join(pool.folder, 'crash'), '');
  const [victim] = pool.pids();
  process.kill(victim, 'SIGKILL');
  const pauses = (): string[] =>
    [...server.stderr.matchAll(/; starting another(?: in (\d+) s)?$/gm)].map(([, s]) => s ?? '0');
  await until('five deaths', () => pauses().length >= 5);
  t.same(pauses().slice(0, 5), ['0', '0', '1', '2', '4'], { stderr: server.stderr });
  t.match(server.stderr, `svcc: worker ${victim} died (SIGKILL); starting another\n`);
  t.match(
    server.stderr,
    /^svcc: worker \d+ died \(exit code 7\) soon after it listened, as one before; starting another in 1 s$/m,
  );
  t.equal((await get(pool.port, '/version')).body, 'old', 'the other process continues');
  rmSync(join(pool.folder, 'crash'));
  await until('two processes', () => pool.pids().length === 2);
  await pool.marks(2);
  t.equal((await server.stop()).exitCode, 0);
});

t.test('a worker for which the system has no process is started later', ON_LINUX, async (t) => {
  const pool = await Pool.start(t, await withPort());
  const { server } = pool;
  const [first, second] = pool.pids();
  const pid = String(server.child.pid);
  const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
  const before = descriptors();
  const limit = (files: number): void => void execFileSync('prlimit', ['--pid', pid, `--nofile=${files}:`]);
  const failure = /svcc: cannot start a worker: too many files are open; trying again\n/g;
  limit(8);
  process.kill(first, 'SIGKILL');
  await until('the report', () => failure.test(server.stderr));
  server.child.kill('SIGHUP');
  await until('the report of SIGHUP', () => server.stderr.includes('the old ones keep running, SIGHUP tries again\n'));
  process.kill(second, 'SIGKILL');
  await until('the end of both', () => pool.pids().length === 0);
  await sleep(1500);
  t.equal(server.child.exitCode, null, 'the first process waits');
  t.equal(server.stderr.match(failure)?.length, 1, 'attempts that fail again are not reported', {
    stderr: server.stderr,
  });
  limit(256);
  await until('two processes', () => pool.pids().length === 2);
  await until('an answer', async () => (await get(pool.port, '/version').catch(() => null))?.body === 'old');
  await until('the same descriptors', () => descriptors() <= before);
  t.equal((await server.stop()).exitCode, 0);
});

t.test('without a program to start, workers are started later', ON_LINUX, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-node-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  const pool = await Pool.start(t, await withPort(), node);
  const { server } = pool;
  const descriptors = (): number => readdirSync(`/proc/${server.child.pid}/fd`).length;
  const before = descriptors();
  renameSync(node, `${node}.away`);
  for (const pid of pool.pids()) process.kill(pid, 'SIGKILL');
  await until('the report', () => /cannot start a worker: .*; trying again\n/.test(server.stderr));
  await until('the end of both', () => pool.pids().length === 0);
  renameSync(`${node}.away`, node);
  await until('two processes', () => pool.pids().length === 2);
  await until('an answer', async () => (await get(pool.port, '/version').catch(() => null))?.body === 'old');
  await until('the same descriptors', () => descriptors() <= before);
  t.equal((await server.stop()).exitCode, 0);
});

t.test('SIGHUP loads new code without a failed request', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  const load = new Load(pool.port, '/version', 4);
  await until('answers', () => load.count > 20);
  pool.save(program('new'));
  pool.server.child.kill('SIGHUP');
  await until('other processes', () => pool.pids().length === 2 && !pool.pids().some((pid) => before.includes(pid)));
  const soFar = load.count;
  await until('more answers', () => load.count > soFar + 20);
  await load.stop();
  t.same(load.failures, [], `none of ${load.count} requests fails`);
  t.same([...load.bodies].sort(), ['new', 'old']);
  for (let i = 0; i < 6; i++) t.equal((await get(pool.port, '/version')).body, 'new', 'no process has the old code');
  const { stderr, exitCode } = await pool.server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('SIGHUP with a program that fails at its start keeps the old one', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  pool.save('raise "no start"\n');
  pool.server.child.kill('SIGHUP');
  await until('the message', () =>
    pool.server.stderr.includes('svcc: the new version does not start; the old one keeps running\n'),
  );
  t.match(pool.server.stderr, /^RuntimeError: no start\n/);
  t.same(pool.pids(), before, 'the same processes', { stderr: pool.server.stderr });
  t.equal((await get(pool.port, '/version')).body, 'old');
  pool.save(program('new'));
  pool.server.child.kill('SIGHUP');
  await until('the new code', async () => (await get(pool.port, '/version')).body === 'new');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('SIGHUP with a program that does not compile keeps the old one', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  const refusals = (): number =>
    pool.server.stderr.match(/^svcc: the new version does not start; the old one keeps running$/gm)?.length ?? 0;
  pool.save(UNCOMPILED);
  const load = new Load(pool.port, '/version', 2);
  for (const attempt of [1, 2]) {
    pool.server.child.kill('SIGHUP');
    await until(`message ${attempt}`, () => refusals() === attempt);
    await until('the end of the failed process', () => pool.pids().length === 2);
    t.same(pool.pids(), before, 'the same processes', { stderr: pool.server.stderr });
    t.equal(pool.server.stderr.match(/^app\.svc:2:5: error: /gm)?.length, attempt, 'one error for each attempt', {
      stderr: pool.server.stderr,
    });
  }
  const soFar = load.count;
  await until('more answers', () => load.count > soFar + 20);
  await load.stop();
  t.same([load.failures, [...load.bodies]], [[], ['old']]);
  pool.save(program('new'));
  pool.server.child.kill('SIGHUP');
  await until('the new code', async () => (await get(pool.port, '/version')).body === 'new');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('SIGHUP with one process missing and a program that does not compile: one error', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const [victim, other] = pool.pids();
  pool.save(UNCOMPILED);
  process.kill(victim, 'SIGKILL');
  await until('the message', () =>
    /svcc: worker \d+ did not start \(exit code 2\); SIGHUP tries again\n/.test(pool.server.stderr),
  );
  const before = pool.server.stderr.length;
  pool.server.child.kill('SIGHUP');
  await until('the refusal', () =>
    pool.server.stderr.includes('svcc: the new version does not start; the old one keeps running\n'),
  );
  // A second attempt of the first signal would end before the attempt of the second.
  pool.server.child.kill('SIGHUP');
  await until('the second refusal', () => pool.server.stderr.match(/the old one keeps running\n/g)?.length === 2);
  t.equal(pool.server.stderr.slice(before).match(/error: /g)?.length, 2, 'one error for each signal', {
    stderr: pool.server.stderr,
  });
  t.same(pool.pids(), [other]);
  t.equal((await get(pool.port, '/version')).body, 'old');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('a process that dies while the file is broken is not replaced; the others continue', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const [victim, other] = pool.pids();
  pool.save('raise "no start"\n');
  process.kill(victim, 'SIGKILL');
  await until('the message', () =>
    /svcc: worker \d+ did not start \(exit code 1\); SIGHUP tries again\n/.test(pool.server.stderr),
  );
  t.equal(pool.server.stderr.match(/no start/g)?.length, 2, 'one attempt: its message, its source line', {
    stderr: pool.server.stderr,
  });
  t.same(pool.pids(), [other]);
  t.equal((await get(pool.port, '/version')).body, 'old');
  pool.save(program('new'));
  pool.server.child.kill('SIGHUP');
  await until('two new processes', () => pool.pids().length === 2 && !pool.pids().includes(other));
  await pool.marks(2);
  t.equal((await get(pool.port, '/version')).body, 'new');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('SIGTERM lets requests finish', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const connections = await Promise.all([1, 2].map(() => Connection.open(pool.port)));
  for (const connection of connections) connection.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await until('both handlers', () => pool.server.stdout.match(/^waits$/gm)?.length === 2);
  const workers = pool.pids();
  pool.server.child.kill('SIGTERM');
  await until('a closed port', () => isClosed(pool.port));
  t.same(pool.pids(), workers, 'the processes still run');
  writeFileSync(join(pool.folder, 'go'), '');
  for (const connection of connections) {
    const { status, headers, body } = await connection.response('GET');
    t.same([status, body.toString()], [200, 'done']);
    t.ok(
      headers.some(([name, value]) => name === 'Connection' && value === 'close'),
      'the connection ends',
    );
    connection.socket.destroy();
  }
  const { stderr, exitCode } = await pool.server.finished();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('a signal to all processes, as from a terminal or systemd, lets requests finish', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const connections = await Promise.all([1, 2].map(() => Connection.open(pool.port)));
  for (const connection of connections) connection.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await until('both handlers', () => pool.server.stdout.match(/^waits$/gm)?.length === 2);
  for (const pid of [pool.server.child.pid as number, ...pool.pids()]) process.kill(pid, 'SIGINT');
  await until('a closed port', () => isClosed(pool.port));
  writeFileSync(join(pool.folder, 'go'), '');
  for (const connection of connections) {
    t.equal((await connection.response('GET')).body.toString(), 'done');
    connection.socket.destroy();
  }
  t.equal((await pool.server.finished()).exitCode, 0);
});

t.test('SIGQUIT prints the threads of all processes', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  pool.server.child.kill('SIGQUIT');
  await until('both lists', () => pool.server.stderr.match(/thread/gi) !== null);
  t.equal((await get(pool.port, '/me')).status, 200, 'the processes continue');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('SIGQUIT does not reach a process that starts', ON_LINUX, async (t) => {
  const cwd = t.testdir({ 'app.svc': `sleep(1)\n${program('old')}` });
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd });
  t.teardown(() => server.child.kill('SIGKILL'));
  const children = `/proc/${server.child.pid}/task/${server.child.pid}/children`;
  const workers = (): string[] => readFileSync(children, 'utf8').split(' ').slice(0, -1);
  await until('the first process', () => workers().length === 1);
  server.child.kill('SIGQUIT');
  await server.port();
  const before = await until('the second process', () => workers().length === 2 && workers());
  server.child.kill('SIGQUIT');
  await until('the threads of the first process', () => /thread 1 main/.test(server.stderr));
  server.child.kill('SIGHUP');
  await until('a new process', () => workers().some((pid) => !before.includes(pid)));
  server.child.kill('SIGQUIT');
  await until('new processes alone', () => workers().length === 2 && !workers().some((pid) => before.includes(pid)));
  t.notMatch(server.stderr, 'svcc:');
  t.equal((await server.stop()).exitCode, 0);
});

t.test('a process that is killed at its start is named', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  pool.save(`sleep(100)\n${program('new')}`);
  pool.server.child.kill('SIGHUP');
  const fresh = await pool.starts(before);
  process.kill(fresh, 'SIGKILL');
  const report = `svcc: worker ${fresh} was killed at its start (SIGKILL); the old one keeps running, SIGHUP tries again\n`;
  await until('the report', () => pool.server.stderr === report);
  t.same(pool.pids(), before);
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('a pool whose first process is killed at its start says so', ON_LINUX, async (t) => {
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': 'sleep(100)\n' }) });
  const { pid } = server.child;
  const [first] = await until('the first process', () =>
    /\d+/.exec(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')),
  );
  process.kill(Number(first), 'SIGKILL');
  const { stderr, exitCode } = await server.finished();
  t.equal(stderr, `svcc: worker ${first} ended before it listened (SIGKILL), and no other one runs\n`);
  t.equal(exitCode, 1);
});

t.test('a second signal ends all processes at once', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const slow = await Connection.open(pool.port);
  t.teardown(() => slow.socket.destroy());
  slow.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await pool.server.printed(/waits\n/);
  const workers = pool.pids();
  pool.server.child.kill('SIGTERM');
  await until('a closed port', () => isClosed(pool.port));
  pool.server.child.kill('SIGTERM');
  t.not((await pool.server.finished()).exitCode, null);
  for (const pid of workers) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `${pid} has ended`);
});

t.test('a second signal ends the commands of all processes', ON_LINUX, async (t) => {
  const shell = 'app.get("/shell") { shell("echo $$ > pid; mv pid began; exec sleep 1000").status }\n';
  const pool = await Pool.start(t, program('old').replace('app.get("/me")', `${shell}$&`));
  const slow = await Connection.open(pool.port);
  t.teardown(() => slow.socket.destroy());
  slow.send('GET /shell HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  const began = join(pool.folder, 'began');
  await until('the command', () => existsSync(began));
  pool.server.child.kill('SIGTERM');
  await until('a closed port', () => isClosed(pool.port));
  pool.server.child.kill('SIGINT');
  await pool.server.finished();
  await until('the end of the command', () => hasEnded(readFileSync(began, 'utf8').trim()));
});

t.test('SIGHUP kills a stuck process after its drain time', ON_LINUX, async (t) => {
  const pool = await Pool.start(t, DRAINING_BRIEFLY);
  const before = pool.pids();
  process.kill(before[0], 'SIGSTOP');
  pool.save(program('new'));
  pool.server.child.kill('SIGHUP');
  await until(
    'two other processes',
    () => pool.pids().length === 2 && !pool.pids().some((pid) => before.includes(pid)),
  );
  t.equal(pool.server.stderr, `svcc: worker ${before[0]} does not end; killing it\n`);
  t.equal((await get(pool.port, '/version')).body, 'new');
  t.equal((await pool.server.stop()).exitCode, 0);
});

t.test('SIGTERM kills a stuck process after its drain time', ON_LINUX, async (t) => {
  const pool = await Pool.start(t, DRAINING_BRIEFLY);
  const [stuck] = pool.pids();
  process.kill(stuck, 'SIGSTOP');
  const { stderr, exitCode } = await pool.server.stop('SIGTERM');
  t.equal(stderr, `svcc: worker ${stuck} does not end; killing it\n`);
  t.equal(exitCode, 1);
});

t.test('SIGTERM that cuts off work gives exit code 1', ON_LINUX, async (t) => {
  const endless = `app.get("/endless") do |req|
  begin
    puts "waits"
    sleep(100)
  ensure
    loop { }
  end
end
`;
  const pool = await Pool.start(t, DRAINING_BRIEFLY.replace('app.get("/me")', `${endless}$&`));
  const connection = await Connection.open(pool.port);
  t.teardown(() => connection.socket.destroy());
  connection.send('GET /endless HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await pool.server.printed(/waits\n/);
  const { stderr, exitCode } = await pool.server.stop('SIGTERM');
  t.equal(stderr, 'svcc: threads are still running after the time limit; ending the process\n');
  t.equal(exitCode, 1);
});

t.test('SIGTERM while processes start gives exit code 0', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  pool.save(`sleep(100)\n${program('new')}`);
  pool.server.child.kill('SIGHUP');
  await pool.starts(before);
  const { stderr, exitCode } = await pool.server.stop('SIGTERM');
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('SIGHUP kills a new process that does not listen within its time, and says so', ON_LINUX, async (t) => {
  const cwd = t.testdir({ 'app.svc': program('old') });
  const server = new Svcc(['run', '--workers', '1', 'app.svc'], { cwd, env: FAST_CLOCK });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = await server.port();
  writeFileSync(join(cwd, 'app.svc'), 'sleep(100_000)\n');
  server.child.kill('SIGHUP');
  await until('the report', () => server.stderr !== '');
  t.equal(
    server.stderr,
    'svcc: the new version did not listen within 60 s and was killed; the old one keeps running\n',
  );
  t.equal((await get(port, '/version')).body, 'old');
});

t.test('SIGHUP closes WebSockets with 1012, SIGTERM with 1001', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const peers = await Promise.all(Array.from({ length: 4 }, () => Peer.open(t, pool.port, '/ws')));
  pool.server.child.kill('SIGHUP');
  for (const peer of peers) t.same([await peer.closed(), peer.reason], [1012, 'the server restarts']);
  const last = await Peer.open(t, pool.port, '/ws');
  const stopped = pool.server.stop('SIGTERM');
  const code = await last.closed();
  t.ok([1001, 1012].includes(code), `1012 if the restart has not ended: ${code}`);
  t.equal((await stopped).exitCode, 0);
});

t.test('SIGHUP during a restart starts another restart', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  const before = pool.pids();
  pool.save(program('first'));
  pool.server.child.kill('SIGHUP');
  // This process keeps the first version.
  await until('a new version', async () => (await get(pool.port, '/version')).body === 'first');
  pool.save(program('second'));
  pool.server.child.kill('SIGHUP');
  await until('the end of the first restart', () => !pool.pids().some((pid) => before.includes(pid)));
  let row = 0;
  await until('the second version alone', async () => {
    row = (await get(pool.port, '/version')).body === 'second' ? row + 1 : 0;
    return row >= 6;
  });
  t.equal((await pool.server.stop('SIGTERM')).exitCode, 0);
});

/** Deaths during a rolling restart. The new version takes a second to start. */
const DEATHS: Record<string, (test: Test, pool: Pool, before: number[]) => Promise<void>> = {
  'of the process whose successor starts': async (_, pool, before) => {
    const [first] = before;
    await pool.starts(before);
    process.kill(first, 'SIGKILL');
    await until('the report', () =>
      pool.server.stderr.includes(`svcc: worker ${first} died (SIGKILL); its successor is starting\n`),
    );
  },
  'of a process whose turn is to come': async (_, pool, before) => {
    const [, second] = before;
    await pool.starts(before);
    process.kill(second, 'SIGKILL');
  },
  'of a process and then of its successor': async (_, pool, before) => {
    const [first] = before;
    const fresh = await pool.starts(before);
    process.kill(first, 'SIGKILL');
    await until('the end of the process', () => !pool.pids().includes(first));
    process.kill(fresh, 'SIGKILL');
    await until('the report', () =>
      pool.server.stderr.includes(`svcc: worker ${fresh} was killed at its start (SIGKILL); starting another\n`),
    );
    pool.server.child.kill('SIGHUP');
  },
  'and another signal': async (_, pool, before) => {
    const [first, second] = before;
    await pool.starts(before);
    process.kill(first, 'SIGKILL');
    pool.server.child.kill('SIGHUP');
    process.kill(second, 'SIGKILL');
  },
  'and a version that does not start': async (t, pool, before) => {
    const [first] = before;
    const source = readFileSync(join(pool.folder, 'app.svc'), 'utf8');
    pool.save('sleep(1)\nraise "no start"\n');
    pool.server.child.kill('SIGHUP');
    await pool.starts(before);
    process.kill(first, 'SIGKILL');
    await until('the message', () =>
      /svcc: worker \d+ did not start \(exit code 1\); SIGHUP tries again\n/.test(pool.server.stderr),
    );
    t.equal((await get(pool.port, '/version')).body, 'old', 'the other process continues');
    pool.save(source);
    pool.server.child.kill('SIGHUP');
  },
};

for (const [name, act] of Object.entries(DEATHS)) {
  t.test(`a death during a restart leaves the same number of processes: ${name}`, ON_LINUX, async (t) => {
    const source = (await withPort()).replace('app.run', 'app.metrics()\napp.run');
    const pool = await Pool.start(t, source);
    const before = pool.pids();
    pool.save(`sleep(1)\n${source.replace('"old"', '"new"')}`);
    if (!name.includes('does not start')) pool.server.child.kill('SIGHUP');
    await act(t, pool, before);
    await until('new processes alone', () => !pool.pids().some((pid) => before.includes(pid)));
    await until('two processes', async () => {
      const { body } = await get(pool.port, '/metrics').catch(() => ({ body: '' }));
      return pool.pids().length === 2 && /^svc_workers 2$/m.test(body);
    });
    // One that is too many would have been started by now, and would listen soon.
    await sleep(2000);
    t.match((await get(pool.port, '/metrics')).body, /^svc_workers 2$/m);
    t.equal(pool.pids().length, 2);
    t.equal((await get(pool.port, '/version')).body, 'new');
    t.equal((await pool.server.stop()).exitCode, 0);
  });
}

t.test('the end of the only process and of its successor ends the pool with their exit code', ON_LINUX, async (t) => {
  const pool = await Pool.start(t, program('old'), process.execPath, 1);
  const before = pool.pids();
  pool.save('sleep(1)\nexit(3)\n');
  pool.server.child.kill('SIGHUP');
  await pool.starts(before);
  process.kill(before[0], 'SIGKILL');
  const { stderr, exitCode } = await pool.server.finished();
  t.match(stderr, /^svcc: worker \d+ ended before it listened \(exit code 3\), and no other one runs$/m);
  t.equal(exitCode, 3);
});

t.test('metrics are the sums of all processes, also of those that have ended', ON_LINUX, async (t) => {
  const pool = await Pool.start(
    t,
    `${program('old').replace('app.run', 'app.metrics()\napp.get("/die") { |req| exit(3) }\napp.run')}`,
  );
  const scrape = async (): Promise<string> => (await get(pool.port, '/metrics')).body;
  const countOf = (text: string): number =>
    Number(/svc_requests_total\{method="GET",route="\/version",status="200"\} (\d+)/.exec(text)?.[1]);
  // Node passes connections to the processes in turn.
  for (let i = 0; i < 20; i++) await get(pool.port, '/version');
  t.equal(countOf(await scrape()), 20);
  t.match(await scrape(), /^svc_workers 2$/m);
  const before = pool.pids();
  await get(pool.port, '/die').catch(() => {});
  // A process that is about to end may still accept a connection.
  await until('the end of the process', () => !before.every((pid) => pool.pids().includes(pid)));
  await pool.marks(2);
  await until('metrics of the new process', async () => /^svc_workers 2$/m.test(await scrape()));
  t.equal(countOf(await scrape()), 20, 'sums do not fall');
});

t.test('a process that drains reports what it has counted since the last scrape', ON_LINUX, async (t) => {
  const pool = await Pool.start(t, program('old').replace('app.run', 'app.metrics()\napp.run'));
  const scrape = async (): Promise<number> =>
    Number(/route="\/version",status="200"\} (\d+)/.exec((await get(pool.port, '/metrics')).body)?.[1]);
  await get(pool.port, '/version');
  t.equal(await scrape(), 1);
  for (let i = 0; i < 20; i++) await get(pool.port, '/version');
  const before = pool.pids();
  pool.server.child.kill('SIGHUP');
  await until('other processes', () => pool.pids().length === 2 && !pool.pids().some((pid) => before.includes(pid)));
  t.equal(await scrape(), 21);
  t.equal((await pool.server.stop()).exitCode, 0);
});

/**
 * Whether the port is closed. A connection that arrives while the last worker stops may be accepted without a response.
 */
function isClosed(port: number): Promise<boolean> {
  return Promise.race([
    get(port, '/me').then(
      () => false,
      () => true,
    ),
    sleep(500).then(() => false),
  ]);
}

/** Programs that never serve. */
const BROKEN: Record<string, [source: string, message: RegExp, lines: number]> = {
  'that fails at its start': ['raise "no start"\n', /^RuntimeError: no start\n/, 4],
  'that has no port': ['app = web_app()\napp.run(0, "192.0.2.1")\n', /192\.0\.2\.1/, 1],
};

for (const [name, [source, message, lines]] of Object.entries(BROKEN)) {
  t.test(`a program ${name} ends the pool with one message`, async (t) => {
    assertRefused(
      t,
      await svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) }),
      1,
      message,
      { lines },
    );
  });
}

/** Sends a request on a connection of its own. Resolves with the response, or '' if the connection was closed without one. */
function answerOf(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('connect', () => socket.write('GET /version HTTP/1.1\r\nHost: svc.test\r\nConnection: close\r\n\r\n'));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

t.test('no connection hangs when processes are killed under load', ON_LINUX, async (t) => {
  const pool = await Pool.start(t);
  let isRunning = true;
  let [answered, lost] = [0, 0];
  const clients = Array.from({ length: 20 }, async () => {
    while (isRunning) {
      if ((await answerOf(pool.port)).startsWith('HTTP/1.1 200')) answered++;
      else lost++;
    }
  });
  for (let round = 0; round < 5; round++) {
    const before = answered;
    await until('answers', () => answered > before + 50);
    process.kill(pool.pids()[0], 'SIGKILL');
    await until('another process', () => pool.server.stderr.split('starting another').length > round + 1);
    await pool.marks(2);
  }
  isRunning = false;
  const ended = Promise.all(clients).then(() => true);
  t.ok(
    await Promise.race([ended, sleep(PATIENCE_MS, false, { ref: false })]),
    'every connection is answered or closed',
  );
  t.ok(lost <= 5 * clients.length, `only those that a killed process had accepted are lost: ${lost} of ${answered}`);
});

t.test('temporary files of a process that is killed are removed, and no others', ON_LINUX, async (t) => {
  const source = 'app.post("/upload") do |req|\n  puts req.files["f"]["path"]\n  sleep(100)\nend\napp.run';
  const cwd = t.testdir({ 'app.svc': program('old').replace('app.run', source), temp: {} });
  const temp = join(cwd, 'temp');
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd, env: { TMPDIR: temp } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = await server.port();
  const file = `--B\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n${'x'.repeat(200_000)}\r\n--B--\r\n`;
  const post = async (): Promise<string> => {
    const before = server.stdout.length;
    const connection = await Connection.open(port);
    t.teardown(() => connection.socket.destroy());
    connection.send(
      `POST /upload HTTP/1.1\r\nHost: svc.test\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: ${file.length}\r\n\r\n${file}`,
    );
    const path = await until(
      'the handler',
      () => /\S+svc-upload\S+(?=\n)/.exec(server.stdout.slice(before))?.[0] ?? null,
    );
    return path.slice(temp.length + 1);
  };
  const pidOf = (name: string): number => Number(name.split('-')[2]);
  const names = [await post()];
  await until(
    'an upload to each process',
    async () => names.push(await post()) && new Set(names.map(pidOf)).size === 2,
  );
  const [killed, other] = [...new Set(names.map(pidOf))];
  // Of another process with the same number, and of the program.
  const foreign = [`svc-upload-${killed}-${'0'.repeat(16)}-${'0'.repeat(32)}`, 'report.txt'];
  for (const name of foreign) writeFileSync(join(temp, name), '');
  const kept = [...foreign, ...names.filter((name) => pidOf(name) === other)].sort();
  const left = (): string[] =>
    readdirSync(temp)
      .filter((name) => /^svc-upload|txt$/.test(name))
      .sort();
  process.kill(killed, 'SIGKILL');
  await until('the removal', () => left().length === kept.length);
  t.same(left(), kept);
  // The last ones are killed while the service stops.
  server.child.kill('SIGTERM');
  process.kill(other, 'SIGKILL');
  t.equal((await server.finished()).exitCode, 1);
  t.same(left(), foreign.sort());
});

t.test('a warning names state that the processes do not share', async (t) => {
  const source = 'app = web_app()\nn = 0\napp.get("/") { |req| n += 1 }\napp.run(0, "127.0.0.1")\n';
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  t.teardown(() => server.child.kill('SIGKILL'));
  await until('a warning', () => server.stderr.includes('\n'));
  t.equal(
    server.stderr,
    "svcc: app.svc:3:22: each process has a 'n' of its own; keep it in a key store, as `store.update(…)` does, or in a database: all processes share those\n",
  );
  await server.stop('SIGTERM');
});

t.test('a program that ends by itself ends the pool', async (t) => {
  t.same(await svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': 'x = 1\n' }) }), {
    stdout: '',
    stderr: '',
    exitCode: 0,
  });
});

t.test('a program that does not compile ends the pool with one error', async (t) => {
  assertNotCompiled(
    t,
    await svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': UNCOMPILED }) }),
    '2',
    /error: /,
  );
});

t.test('a missing program ends the pool with one message', async (t) => {
  assertRefused(
    t,
    await svcc(['run', '--workers', '2', 'none.svc'], { cwd: t.testdir({}) }),
    2,
    /^cannot read none\.svc: no such file or directory\n$/,
  );
});
