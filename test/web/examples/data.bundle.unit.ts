import { cpSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, Svcc, svcc } from '../../svcc/svcc.js';
import { parseExchanges } from '../support/exchange.js';
import { play } from '../support/play.js';
import { get } from '../support/serve.js';

t.test('notes/app.svc: all routes', async (t) => {
  const cwd = t.testdir();
  cpSync(join(ROOT, 'examples/notes'), cwd, { recursive: true });
  const server = new Svcc(['run', '--port', '0', 'app.svc'], { cwd, env: { DATABASE_URL: 'test.db' } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const exchanges = parseExchanges(await readFile(join(import.meta.dirname, 'notes_database.http'), 'utf8'));
  for (const { actual, expected } of await play(await server.port(), exchanges)) t.equal(actual, expected);
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
  const tested = await svcc(['test', '--reporter', 'tap'], { cwd });
  t.match(tested.stdout, /^TAP version 14\n(ok .*\n){6}1\.\.6\n$/);
  t.same([tested.stderr, tested.exitCode], ['', 0]);
});

t.test('jobs/: its tests; the service with its page, and SIGTERM', async (t) => {
  const cwd = t.testdir();
  cpSync(join(ROOT, 'examples/jobs'), cwd, { recursive: true });
  const tested = await svcc(['test', '--reporter', 'tap'], { cwd });
  t.match(tested.stdout, /^TAP version 14\n(ok .*\n){4}1\.\.4\n$/);
  t.same([tested.stderr, tested.exitCode], ['', 0]);
  const server = new Svcc(['run', '--port', '0', 'app.svc'], { cwd, env: { DATABASE_URL: 'test.db' } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = await server.port();
  t.equal((await get(port, '/jobs')).status, 401);
  t.match((await get(port, '/metrics')).body, /^# TYPE svc_jobs gauge$/m);
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
});

t.test('report.svc: all rows, or those of a city', async (t) => {
  const server = new Svcc(['run', '--port', '0', 'examples/report.svc'], { env: { REPORT_ROWS: '2000' } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = await server.port();
  const { body } = await get(port, '/report.csv');
  const lines = body.trimEnd().split('\n');
  t.same([lines.length, lines[0], lines[1], lines[2000]], [2001, 'id,city,cents', '1,Oslo,37', '2000,Lima,4000']);
  t.equal((await get(port, '/report.csv?city=Rome')).body.trimEnd().split('\n').length, 501);
  t.equal((await get(port, '/report.csv?city=none')).body, 'id,city,cents\n');
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
});
