/** Programs whose output is read slowly, or not at all. */
import t, { type Test } from 'tap';
import { until } from '../patience.js';
import { jsonLines } from '../web/support/jsonlines.js';
import { get, serve } from '../web/support/serve.js';
import { Svcc } from './svcc.js';

/** Lines of 1,000 bytes. */
const LINE = 'x'.repeat(999);

/** Starts a program with one of its outputs unread. */
function started(t: Test, source: string, unread: 'stdout' | 'stderr'): Svcc {
  const program = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  program.child[unread]?.pause();
  t.teardown(() => program.child.kill('SIGKILL'));
  return program;
}

t.test('a program prints as fast as its reader reads', async (t) => {
  const program = started(
    t,
    `printed = shared(0)
spawn do
  loop do
    sleep(0.05)
    warn printed.get
  end
end
50_000.times do
  puts "${LINE}"
  printed.update { |n| n + 1 }
end
warn "end"
exit(0)
`,
    'stdout',
  );
  const seen = await until('a program that waits', () => {
    const counts = program.stderr.trimEnd().split('\n').slice(-4);
    return counts.length === 4 && counts[0] !== '0' && new Set(counts).size === 1 && counts[0];
  });
  t.ok(Number(seen) < 4000, `${seen} of 50,000 lines printed before the first is read`);
  program.child.stdout?.resume();
  const { stdout, stderr, exitCode } = await program.finished();
  t.equal(stdout.length, 50_000_000, 'nothing is lost');
  t.match(stderr, /\nend\n$/);
  t.equal(exitCode, 0);
});

t.test('a thread that waits for a reader can be ended', async (t) => {
  const program = started(
    t,
    `def print_all
  loop { puts "${LINE}" }
end
begin
  timeout(0.3) { print_all() }
rescue TimeoutError
  warn "too late"
end
task = spawn { print_all() }
sleep(0.2)
task.cancel()
sleep(0.1)
warn task.done?
`,
    'stdout',
  );
  await until('both ends', () => /^too late\n.*\n/.test(program.stderr));
  program.child.stdout?.resume();
  const { stderr, exitCode } = await program.finished();
  t.same([stderr, exitCode], ['too late\ntrue\n', 0]);
});

t.test('requests take turns to print', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.get("/many") do |req|
  300.times { spawn { loop { puts "${LINE}" } } }
  "started"
end
app.get("/one") do |req|
  10.times do
    print "${LINE}\n" * 2000
    puts "one"
  end
  "printed"
end
app.run(0)
`,
  );
  let read = 0;
  server.child.stdout?.removeAllListeners('data').on('data', (text: string) => (read += text.length));
  await get(port, '/many');
  await until('a full pipe', () => read > 5_000_000);
  const before = read;
  t.equal((await get(port, '/one')).body, 'printed');
  t.ok(read - before < 80_000_000, `${((read - before) / 1e6).toFixed(0)} MB read until 20 MB were printed`);
});

t.test('a server whose output nobody reads', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("drain_seconds", 1)
app.get("/loud") do |req|
  warn "prints"
  loop { puts "${LINE}" }
end
app.get("/quiet") { |req| "quiet" }
app.run(0)
`,
  );
  server.child.stdout?.pause();
  const loud = Promise.allSettled([get(port, '/loud'), get(port, '/loud')]);
  await until('both', () => server.stderr === 'prints\nprints\n');
  for (let i = 0; i < 20; i++) t.equal((await get(port, '/quiet')).body, 'quiet');
  server.child.kill();
  await new Promise((ended) => server.child.once('exit', ended));
  t.equal(server.child.exitCode, 1, 'it ends, and output is lost');
  await loud;
});

t.test('a log drops lines when its reader does not read', async (t) => {
  const program = started(t, `40_000.times { |i| log.info("${LINE}") }\nputs "logged"\n`, 'stderr');
  await program.printed(/logged\n/);
  program.child.stderr?.resume();
  const { stderr, exitCode } = await program.finished();
  const entries = jsonLines<{ level: string; message: string; count?: number }>(stderr);
  const last = entries[entries.length - 1];
  t.match(last, { level: 'warn', message: 'lines of the log were dropped: they were written or read too slowly' });
  t.equal(entries.length - 1 + Number(last.count), 40_000, 'all others are there');
  t.ok(entries.length > 10_000, `${entries.length} lines kept`);
  t.equal(exitCode, 0);
});

t.test('messages of svcc are dropped when nobody reads them', async (t) => {
  const program = started(
    t,
    `600.times { |i| spawn { raise "#{i} " + "x" * 1_000_000 } }\nsleep(0.5)\nputs "raised"\n`,
    'stderr',
  );
  await program.printed(/raised\n/);
  program.child.stderr?.resume();
  const { stderr } = await program.finished();
  const dropped = /^svcc: (\d+) messages were dropped: standard error was read too slowly$/m.exec(stderr)?.[1];
  t.equal((stderr.match(/^RuntimeError: /gm)?.length ?? 0) + Number(dropped), 600);
});
