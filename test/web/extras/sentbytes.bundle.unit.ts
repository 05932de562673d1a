import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { jsonLines } from '../support/jsonlines.js';
import { get } from '../support/serve.js';
import { attack, HEAD, open } from '../threats/attack.js';

const SIZE = 30_000_000;

/** Bytes that the kernel may hold for a client that does not read them. */
const KERNEL = 12_000_000;

const PROGRAM = `app = web_app()
app.log(:access)
app.metrics("/metrics")
app.set("write_seconds", 1)
BIG = "x" * ${SIZE}
app.get("/small") { |req| "hello" }
app.get("/big") { |req| BIG }
app.static("/files", "public")
app.get("/stream") { |req| stream_response("text/plain") { |out| 3.times { out.write("äbc") } } }
app.get("/long") { |req| stream_response("text/plain") { |out| 3000.times { out.write("x" * 10000) } } }
app.get("/events") do |req|
  sse_response do |out|
    out.send("one")
    sleep(60)
  end
end
app.post("/upload", stream_body: true) do |req|
  req.each_chunk(1000000) { |part| part }
  "done"
end
app.run(0)
`;

interface Line {
  path: string;
  status: number;
  bytes: number;
  cut?: boolean;
}

class Logged {
  private constructor(
    readonly server: Svcc,
    readonly port: number,
  ) {}

  static async start(test: Test): Promise<Logged> {
    const folder = test.testdir({ 'app.svc': PROGRAM, public: {} });
    writeFileSync(join(folder, 'public', 'big.txt'), Buffer.alloc(SIZE));
    const server = new Svcc(['run', 'app.svc'], { cwd: folder });
    test.teardown(() => server.child.kill('SIGKILL'));
    return new Logged(server, await server.port());
  }

  /** Waits for the only line of a path. */
  line(path: string): Promise<Line> {
    const find = (): Line | false => jsonLines<Line>(this.server.stdout).find((line) => line.path === path) ?? false;
    return until(`the line of ${path}`, find) as Promise<Line>;
  }

  /** Requests a path, reads `bytes` bytes and until `text` has come, and closes the connection. */
  async abort(path: string, bytes: number, text = ''): Promise<void> {
    const socket = await open(this.port, `GET ${path} ${HEAD}\r\n`);
    let count = 0;
    await new Promise<void>((done) => {
      socket.on('data', (data) => (count += data.length) >= bytes && data.includes(text) && done());
      socket.resume();
    });
    socket.destroy();
  }
}

t.test('the access log has the bytes that were sent', async (t) => {
  const logged = await Logged.start(t);
  const { port } = logged;
  // Three answers on one connection, and one without a body.
  const paths = ['/small', '/stream', '/big'];
  await attack(
    port,
    `${paths.map((path) => `GET ${path} ${HEAD}\r\n`).join('')}HEAD /files/big.txt ${HEAD}Connection: close\r\n\r\n`,
  );
  t.match(await logged.line('/small'), { status: 200, bytes: 5 });
  t.match(await logged.line('/stream'), { status: 200, bytes: 12 });
  t.match(await logged.line('/big'), { status: 200, bytes: SIZE });
  t.match(await logged.line('/files/big.txt'), { status: 200, bytes: 0 });
  t.notMatch(logged.server.stdout, '"cut"');
  await logged.server.stop();
});

t.test('answers that are cut have what was sent until then', async (t) => {
  const logged = await Logged.start(t);
  const { port } = logged;
  for (const path of ['/big', '/files/big.txt', '/long']) {
    await logged.abort(path, 1_000_000);
    const { status, bytes, cut } = await logged.line(path);
    t.same([status, cut], [200, true], path);
    t.ok(bytes > 900_000 && bytes < KERNEL, `${path}: ${bytes}`);
  }
  await logged.abort('/events', 1, 'data: one\n\n');
  t.match(await logged.line('/events'), { status: 200, bytes: 'data: one\n\n'.length, cut: true });
  const broken = `POST /upload ${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`;
  t.same((await attack(port, broken)).statuses, [400]);
  t.match(await logged.line('/upload'), { status: 400, bytes: 'Bad Request'.length });
  const { body } = await get(port, '/metrics');
  t.match(body, 'svc_responses_cut_total{route="/big"} 1\n');
  t.match(body, 'svc_responses_cut_total{route=""} 1\n', 'a file');
  t.notMatch(body, 'svc_responses_cut_total{route="/upload"}');
  await logged.server.stop();
});

t.test('the answer of a client that reads nothing is cut', async (t) => {
  const logged = await Logged.start(t);
  const socket = await open(logged.port, `GET /big ${HEAD}\r\n`);
  const { status, bytes, cut } = await logged.line('/big');
  t.same([status, cut], [200, true]);
  t.ok(bytes < KERNEL, String(bytes));
  socket.destroy();
  await logged.server.stop();
});
