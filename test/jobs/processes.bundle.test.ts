/** Processes that end, stand still, or see their clock jump; schedules over two processes; `svcc run --jobs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { until } from '../patience.js';
import { EFFECTS, notes, onBoth, push, Site, type Test } from './support.js';

/** Notes that a job ran, and that it ended. */
const worker = (name: string, seconds: number): string => `
jobs.handle("note") do |job|
  db.insert("effects", {n: job.data, worker: "${name} begins #{job.attempt}"})
  sleep(${seconds})
  db.insert("effects", {n: job.data, worker: "${name} ends"})
end
jobs.start()
puts "ready"
`;

t.jobs = 2;

t.test('SIGTERM: running jobs get drain_seconds, then others have them at once', { buffered: true }, (t) => {
  onBoth(t as Test, async (t, site) => {
    await site.exec(EFFECTS[site.engine]);
    const first = site.start('first', worker('first', 600));
    await first.printed(/ready/);
    await site.start('pusher', push(1)).ended;
    await site.reaches('the job', 'SELECT count(*) FROM effects', 1);
    const second = site.start('second', worker('second', 0));
    await second.printed(/ready/);
    first.child.kill('SIGTERM');
    t.match(await first.ended, { stdout: 'ready\n', stderr: '', exitCode: 0 });
    await site.runsOut();
    t.strictSame(await notes(site), ['1 first begins 1', '1 second begins 1', '1 second ends']);
    second.child.kill('SIGTERM');
    t.equal((await second.ended).exitCode, 0);
    t.equal(await site.value('SELECT count(*) FROM svc_jobs_workers'), 0, 'no lease is left');
  });
  t.end();
});

t.test('a program that ends by exit gives back the jobs that run', { buffered: true }, (t) => {
  onBoth(t as Test, async (t, site) => {
    await site.exec(EFFECTS[site.engine]);
    const ends = `jobs.push("note", 1)
sleep(0.02) while db.value("SELECT count(*) FROM effects") == 0
exit(0)
`;
    t.match(await site.start('first', worker('first', 600) + ends).ended, { stderr: '', exitCode: 0 });
    t.strictSame(await site.rows('SELECT state, attempt FROM svc_jobs'), [['waiting', 0]]);
    t.equal(await site.value('SELECT count(*) FROM svc_jobs_workers'), 0, 'no lease is left');
  });
  t.end();
});

t.test('a process that stood still leaves its jobs to others, and begins again', { buffered: true }, (t) => {
  onBoth(t as Test, async (t, site) => {
    await site.exec(EFFECTS[site.engine]);
    const first = site.start('first', worker('first', 60));
    await first.printed(/ready/);
    await site.start('pusher', push(1)).ended;
    await site.reaches('the job', 'SELECT count(*) FROM effects', 1);
    first.child.kill('SIGSTOP');
    const second = site.start('second', worker('second', 0));
    await site.runsOut();
    first.child.kill('SIGCONT');
    await until('the loss to be noticed', () => /lost its lease/.test(first.stderr));
    t.match(
      first.stderr,
      /^warning: jobs of .*: this process lost its lease, .*; running jobs that are left to others: 1\n$/,
    );
    t.strictSame(await notes(site), ['1 first begins 1', '1 second begins 1', '1 second ends']);
    second.child.kill('SIGTERM');
    await second.ended;
    await site.start('pusher', push(2)).ended;
    await site.reaches('another job of the first process', 'SELECT count(*) FROM effects', 4);
    t.equal((await notes(site))[3], '2 first begins 1');
  });
  t.end();
});

t.test('a clock that jumps by an hour ends no lease', { buffered: true }, (t) => {
  onBoth(t as Test, async (t, site) => {
    await site.exec(EFFECTS[site.engine]);
    const jump = join(site.folder, 'jump.mjs');
    writeFileSync(
      jump,
      'const now = Date.now; let shift = 0;\nDate.now = () => now() + shift;\n' +
        "process.on('SIGUSR2', () => { shift = shift === 0 ? 3_600_000 : -3_600_000; });\n",
    );
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(jump).href}` };
    const both = ['first', 'second'].map((name) => site.start(name, worker(name, 14), [], env));
    for (const process of both) await process.printed(/ready/);
    await site.start('pusher', push(1, 2, 3)).ended;
    await site.reaches('the jobs', 'SELECT count(*) FROM effects', 3);
    for (const { child } of both) child.kill('SIGUSR2');
    await site.reaches('some beats', 'SELECT min(beat) FROM svc_jobs_workers', 2);
    // One of them an hour after, the other one an hour before the time of day.
    both[0].child.kill('SIGUSR2');
    await site.runsOut();
    t.equal(await site.value('SELECT count(*) FROM effects'), 6, 'each job ran once');
    t.equal(await site.value("SELECT count(*) FROM effects WHERE worker LIKE '%ends'"), 3);
  });
  t.end();
});

t.test('a tick runs once over two processes, and a missed one later', { buffered: true }, (t) => {
  onBoth(t as Test, async (t, site) => {
    await site.exec(EFFECTS[site.engine]);
    const scheduled = (name: string): string => `
jobs.every("tick", "* * * * * *") { |job| db.insert("effects", {n: job.due_at.to_i, worker: "${name}"}) }
jobs.start()
puts "ready"
`;
    const both = ['first', 'second'].map((name) => site.start(name, scheduled(name)));
    for (const process of both) await process.printed(/ready/);
    await site.reaches('some ticks', 'SELECT count(*) FROM effects', 5);
    for (const { child } of both) child.kill('SIGTERM');
    for (const process of both) t.match(await process.ended, { stderr: '', exitCode: 0 });
    const ticks = Number(await site.value('SELECT count(*) FROM effects'));
    t.equal(await site.value('SELECT count(DISTINCT n) FROM effects'), ticks, 'none ran twice');
    // A tick of yesterday.
    await site.exec('UPDATE svc_jobs_schedules SET next_at = next_at - 86400000');
    const missed = await site.value('SELECT next_at / 1000 FROM svc_jobs_schedules');
    site.start('third', scheduled('third'));
    await site.reaches('later ticks', 'SELECT count(*) FROM effects', ticks + 3);
    const [first, second] = await site.rows(`SELECT n FROM effects ORDER BY id LIMIT 2 OFFSET ${ticks}`);
    t.equal(first[0], missed, 'it is made up for');
    t.ok(Number(second[0]) - Number(first[0]) > 80_000, 'once');
  });
  t.end();
});

t.test('svcc run --jobs serves nothing and works until SIGTERM', { buffered: true }, async (t) => {
  const site = await Site.sqlite(t as Test);
  await site.exec(EFFECTS.sqlite);
  const app = `
jobs.handle("note") { |job| db.insert("effects", {n: job.data, worker: "app"}) }
app = web_app()
app.get("/") { |req| "hello" }
app.run(0)
puts "after the server"
`;
  const service = site.start('app', app, ['--jobs']);
  await site.start('pusher', push(1, 2)).ended;
  await site.reaches('the jobs', 'SELECT count(*) FROM effects', 2);
  service.child.kill('SIGTERM');
  t.strictSame(await service.ended, { stdout: 'after the server\n', stderr: '', exitCode: 0 });

  const script = site.start('script', 'jobs.handle("note") { |job| puts "ran" }\nputs "main ends"', ['--jobs']);
  await script.printed(/main ends/);
  await site.start('pusher', push(3)).ended;
  await script.printed(/ran/);
  script.child.kill('SIGTERM');
  t.strictSame(await script.ended, { stdout: 'main ends\nran\n', stderr: '', exitCode: 0 });

  const none = site.start('none', 'puts "no handler"', ['--jobs']);
  t.match(await none.ended, { stderr: /^RuntimeError: the queue has no handlers/, exitCode: 1 });
});
