import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Svcc } from '../../svcc/svcc.js';
import { happens } from '../../patience.js';
import { isInShare } from '../../share.js';
import { processorTime } from '../../clock.js';
import { get, serve } from '../support/serve.js';
import { ALIVE, attack, count, HEAD, LONG, open, Probe } from './attack.js';

// Each bomb is a program that misbehaves TIMES times, while another client uses a route that must answer.
const TIMES = LONG ? 100 : 2;
/** Heap of the servers in MB: small, so that it is filled quickly. */
const HEAP = 160;

interface Bomb {
  name: string;
  /** Lines of the program. */
  program: string;
  /** Path of the request; by default `/bomb`. */
  path?: string;
  headers?: string;
  /** Matches the response; null: the client disconnects after "started" is printed. */
  answers: RegExp | null;
  /** Matches the line that stderr has for each request. */
  logs?: RegExp;
  /** Milliseconds between two requests. */
  pause?: number;
}

async function explode(
  t: Test,
  { name, program, path = '/bomb', headers = 'Connection: close\r\n', answers, logs, pause = 0 }: Bomb,
): Promise<void> {
  const { server, port } = await serve(
    t,
    `app = web_app()\napp.set("threads", 2000)\napp.set("drain_seconds", 1)\n${ALIVE}${program}\napp.run(0)\n`,
    { env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` } },
  );
  const probe = new Probe(port);
  const others = new Set<string>();
  for (let n = 0; n < TIMES; n++) {
    const request = `GET ${path} ${HEAD}${headers}\r\n`;
    if (answers === null) {
      const socket = await open(port, request);
      if (!(await happens(() => count(server.stdout, 'started') > n))) others.add('not started');
      socket.destroy();
    } else {
      const { text } = await attack(port, request, { enough: (text) => answers.test(text) });
      if (!answers.test(text)) others.add(text);
    }
    await sleep(pause);
  }
  if (logs !== undefined)
    t.ok(await happens(() => logged(server, logs) >= TIMES), `${name}: each is logged: ${logged(server, logs)}`);
  await probe.end();
  t.strictSame([...others], [], `${name}: what it answers`);
  t.strictSame(probe.wrong, [], `${name}: the others are answered`);
  t.ok(probe.latencies.length >= 1);
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0, `${name}: the server stops with exit code 0`);
  t.notMatch(stderr, /internal error|\.[jt]s:\d/, `${name}: no words of the implementation`);
}

function logged(server: Svcc, text: RegExp): number {
  const counted = [...server.stderr.matchAll(/^\(the same error (\d+) more times\)$/gm)].map(([, count]) =>
    Number(count),
  );
  return (server.stderr.match(new RegExp(text, 'g'))?.length ?? 0) + counted.reduce((sum, count) => sum + count, 0);
}

function bombs(title: string, all: Bomb[]): void {
  t.test(title, async (t) => {
    for (const bomb of all) if (isInShare(bomb.name)) await explode(t, bomb);
  });
}

const ERROR = /^HTTP\/1\.1 500 /;
const handler = (body: string): string => `app.get("/bomb") do |req|\n${body}\nend`;
const DOWN = 'def down(n)\n  1 + down(n + 1)\nend\n';

t.setTimeout(3_600_000);
t.jobs = 2;

// prettier-ignore
bombs('endless loops and recursion', [
  { name: 'loop', program: handler('puts "started"\nwhile true\nend'), answers: null },
  { name: 'recursion', program: DOWN + handler('down(0)'), answers: ERROR, logs: /StackError/ },
  { name: 'recursion through blocks', program: `def down(n)\n  [n].each { |x| down(x + 1) }\nend\n${handler('down(0)')}`, answers: ERROR, logs: /StackError/ },
  { name: 'mutual recursion', program: `def ping(n) pong(n + 1) + 1 end\ndef pong(n) ping(n + 1) + 1 end\n${handler('ping(0)')}`, answers: ERROR, logs: /StackError/ },
  { name: 'recursion that is rescued', program: DOWN + handler('begin\n  down(0)\nrescue StackError => e\n  "rescued"\nend'), answers: /\r\n\r\nrescued$/ },
  { name: 'recursion in a filter', program: `${DOWN}app.before { |req| down(0) if req.path == "/bomb" }\n${handler('"never"')}`, answers: ERROR, logs: /StackError/ },
  { name: 'recursion in a thread', program: DOWN + handler('spawn { down(0) }\n"spawned"'), answers: /spawned$/, logs: /StackError/ },
  { name: 'next_fn that calls itself', program: `app.use do |req, next_fn|\n  if req.path == "/bomb"\n    again = nil\n    again = ->(n) { again.(n + 1) + 1 }\n    again.(0)\n  end\n  next_fn.(req)\nend\n${handler('"never"')}`, answers: ERROR, logs: /StackError/ },
  { name: 'a long chain of middleware', program: `2000.times { app.use { |req, next_fn| next_fn.(req) } }\n${handler('"through"')}`, answers: /through$/ },
]);

// prettier-ignore
bombs('unlimited values', [
  { name: 'a text', program: handler('s = "x" * 1000\nwhile true\n  s = s + s\nend'), answers: ERROR, logs: /MemoryError/ },
  { name: 'texts', program: handler('all = []\nn = 0\nwhile true\n  all.push("line #{n += 1} of many lines that are kept")\nend'), answers: ERROR, logs: /MemoryError/ },
  { name: 'a vector', program: handler('all = []\nwhile true\n  all.push([1])\nend'), answers: ERROR, logs: /MemoryError/ },
  { name: 'a hash', program: handler('all = {}\nn = 0\nwhile true\n  all["k#{n += 1}"] = n\nend'), answers: ERROR, logs: /MemoryError/ },
  { name: 'backtracking', program: handler('("a" * 28 + "!").match?(/^(a+)+$/) ? "yes" : "no"'), answers: /no$/ },
  { name: 'backtracking on a long text', program: handler('("a" * 100_000 + "!").match?(/^(a+)+$/) ? "yes" : "no"'), answers: /no$/ },
]);

// prettier-ignore
bombs('unlimited threads and timers', [
  { name: 'a thread that starts two', program: `def fork_bomb()\n  spawn { fork_bomb() }\n  spawn { fork_bomb() }\n  sleep(0.2)\nend\n${handler('spawn { fork_bomb() }\n"started"')}`, answers: /started$|^HTTP\/1\.1 500 /, logs: /too many threads/, pause: 300 },
  { name: 'a million threads', program: handler('begin\n  1_000_000.times { spawn { sleep(0.2) } }\nrescue => e\n  e.message\nend'), answers: /too many threads: 1800 are running; .*$/, pause: 300 },
  { name: 'timers', program: handler('tasks = (1..1000).map { |i| spawn { sleep(0.1) } }\nawait tasks\n"slept"'), answers: /slept$/ },
  { name: 'timeout(0)', program: handler('begin\n  timeout(0) { while true\n  end }\nrescue ArgumentError\n  "refused"\nend'), answers: /refused$/ },
  { name: 'nested timeouts', program: `def nest(n)\n  timeout(0.05) { n == 0 ? (loop { 1 }) : nest(n - 1) }\nend\n${handler('begin\n  nest(500)\nrescue TimeoutError\n  "ended"\nend')}`, answers: /ended$/ },
  { name: 'timeout around a loop', program: handler('begin\n  timeout(0.05) { while true\n  end }\nrescue TimeoutError\n  "ended"\nend'), answers: /ended$/ },
]);

// prettier-ignore
bombs('errors that are not rescued', [
  { name: 'in a thread', program: handler('spawn { raise "lost" }\n"spawned"'), answers: /spawned$/, logs: /RuntimeError: lost/ },
  { name: 'in a filter', program: `app.before { |req| raise "lost" if req.path == "/bomb" }\n${handler('"never"')}`, answers: ERROR, logs: /RuntimeError: lost/ },
  { name: 'in an after filter', program: `app.after { |req, res| raise "lost" if req.path == "/bomb" }\n${handler('"made"')}`, answers: /^HTTP\/1\.1 (200|500) /, logs: /RuntimeError: lost/ },
  { name: 'in not_found', program: 'app.not_found { |req| raise "lost" }', path: '/no/such', answers: ERROR, logs: /RuntimeError: lost/ },
  { name: 'in app.error', program: `app.error { |e, req| raise "lost" }\n${handler('raise "first"')}`, answers: ERROR, logs: /RuntimeError: lost/ },
  { name: 'in await', program: handler('task = spawn { raise "lost" }\nawait task'), answers: ERROR, logs: /RuntimeError: lost/ },
  { name: 'after a channel', program: handler('ch = channel(0)\nspawn { ch.recv()\n raise "lost" }\nch.send(1)\n"sent"'), answers: /sent$/, logs: /RuntimeError: lost/ },
  { name: 'in a WebSocket handler', program: 'app.websocket("/bomb") { |req, ws| raise "lost" }', answers: /^HTTP\/1\.1 101 /, headers: `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`, logs: /RuntimeError: lost/ },
]);

t.test('requests do not wait for the thousands of threads that another one starts', async (t) => {
  const loop = 'h = {}\nn = 0\nloop { h["key #{n % 50}"] = n += 1 }';
  const program = `${handler(`5000.times { spawn { ${loop} } }\n"started"`)}
app.get("/work") do |req|
  await(spawn { sleep(0.001) })
  1_000_000.times { |n| n + 1 }
  "worked"
end`;
  const { server, port } = await serve(
    t,
    `app = web_app()\napp.set("drain_seconds", 1)\n${ALIVE}${program}\napp.run(0)\n`,
  );
  const { text } = await attack(port, `GET /bomb ${HEAD}Connection: close\r\n\r\n`);
  t.match(text, /started$/);
  const probe = new Probe(port, server.child.pid ?? null);
  await happens(() => probe.latencies.length >= 5);
  await probe.end();
  t.strictSame(probe.wrong, []);
  const slowest = Math.max(...probe.latencies);
  t.ok(slowest < 500, `slowest short answer: ${slowest.toFixed(0)} ms of processor time`);
  const before = processorTime(server.child);
  t.match(await get(port, '/work'), { status: 200, body: 'worked' });
  const taken = processorTime(server.child) - before;
  t.ok(taken < 1000, `an answer that takes work, waits and has a thread: ${taken} ms of processor time`);
  const { exitCode } = await server.stop();
  t.equal(exitCode, 0);
});
