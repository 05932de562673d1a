/** What a worker sends to the first process before its program uses rooms. The test stands for the first process. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { CHANNEL_DESCRIPTOR, WORKER_VARIABLE } from '../../natives/cluster/firstprocess.js';
import { Services } from '../../natives/cluster/services.js';
import { bundledSvcc } from '../bundle.js';
import { until } from '../patience.js';
import { Peer } from '../web/websocket/peers.js';

type Test = typeof t;

/** A worker and the messages that its bus has sent. */
interface Worker {
  readonly port: number;
  readonly sent: unknown[];
}

async function startWorker(t: Test, handler: string): Promise<Worker> {
  const source = `app = web_app()\napp.websocket("/echo") do |ws|\n${handler}\nend\napp.run(0)\n`;
  const stdio: ('pipe' | 'ipc' | 'ignore')[] = ['ignore', 'pipe', 'pipe', 'ipc'];
  stdio[CHANNEL_DESCRIPTOR] = 'pipe';
  const child: ChildProcess = spawn(process.execPath, [bundledSvcc(), 'run', 'app.svc'], {
    cwd: t.testdir({ 'app.svc': source }),
    env: { PATH: process.env.PATH, SVC_CACHE_DIR: t.testdirName, [WORKER_VARIABLE]: 'first' },
    stdio,
  });
  t.teardown(() => child.kill('SIGKILL'));
  const sent: unknown[] = [];
  const bus = { receive: (message: unknown) => void sent.push(message), left: () => {} };
  const services = new Services({ bus: () => Promise.resolve(bus) });
  services.attach(child.stdio[CHANNEL_DESCRIPTOR] as Duplex, child.pid ?? 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const port = await until('the server', () => /http:\/\/\S+:(\d+)/.exec(output)?.[1] ?? null);
  return { port: Number(port), sent };
}

async function echo(t: Test, { port }: Worker): Promise<string> {
  const peer = await Peer.open(t, port, '/echo');
  peer.send('hello');
  return peer.next();
}

t.test('a program without rooms and broadcasts subscribes to nothing', async (t) => {
  const worker = await startWorker(t as Test, '  ws.send(ws.recv)');
  t.equal(await echo(t as Test, worker), 'hello');
  t.strictSame(worker.sent, []);
});

t.test('a program with rooms is subscribed before it listens', async (t) => {
  const worker = await startWorker(t as Test, '  ws.join("a") if ws.query["room"]\n  ws.send(ws.recv)');
  const subscribed = worker.sent.flatMap((message) => (message as { subscribe?: string[] }).subscribe ?? []);
  t.strictSame(subscribed.sort(), ['!lost', 'broadcast0', 'presence0']);
  t.equal(await echo(t as Test, worker), 'hello');
});

for (const use of ['app.broadcast("/echo", "x")', 'app.rooms["a"].send("x")'])
  t.test(`${use} counts as use of rooms`, async (t) => {
    const worker = await startWorker(t as Test, `  ${use} if ws.query["x"]\n  ws.send(ws.recv)`);
    t.not(worker.sent.length, 0);
  });
