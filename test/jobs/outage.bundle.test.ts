/** A restart of PostgreSQL while jobs run: workers wait for it, and no job is lost. */
import t from 'tap';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { EFFECTS, Site, type Test } from './support.js';

const JOBS = 400;

const programs = findPostgres();

t.test('a restart', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  const site = await Site.postgres(t as Test, server);
  await site.exec(EFFECTS.postgres);
  await site.start('pusher', `${JOBS}.times { |n| jobs.push("note", n) }`).ended;
  const worker = site.start(
    'worker',
    `
jobs.handle("note", concurrency: 5) do |job|
  sleep(0.02)
  db.insert("effects", {n: job.data, worker: "one"})
end
jobs.start()
`,
  );
  await site.reaches('the first jobs', 'SELECT count(*) FROM effects', JOBS / 10);
  await server.restart('immediate');
  await site.runsOut();
  t.equal(await site.value('SELECT count(DISTINCT n) FROM effects'), JOBS, 'no job was lost');
  t.equal(await site.value('SELECT count(*) FROM svc_jobs'), 0, 'none is dead');
  worker.child.kill('SIGTERM');
  t.equal((await worker.ended).exitCode, 0);
  t.notMatch(worker.stderr, /lost its lease|node:|at .*\.js/);
});
