/** 10,000 jobs over several processes, of which two are killed: none is lost, and only those in flight run twice. */
import t from 'tap';
import { EFFECTS, onBoth, type Site, type Test } from './support.js';

const JOBS = 10_000;
const PUSHERS = 20;
const CONCURRENCY = 10;

/** Notes each run of a job with the name of its process. */
const worker = (name: string): string => `
jobs.handle("count", concurrency: ${CONCURRENCY}) do |job|
  db.insert("effects", {n: job.data, worker: "${name}"})
end
jobs.start()
`;

const PUSHER = `
def push_part(part)
  ${JOBS / PUSHERS}.times { |i| jobs.push("count", part * ${JOBS / PUSHERS} + i) }
end
await (0...${PUSHERS}).map { |part| spawn { push_part(part) } }
puts "pushed"
`;

async function crash(t: Test, site: Site): Promise<void> {
  await site.exec(EFFECTS[site.engine]);
  const effects = 'SELECT count(*) FROM effects';
  const [a, b] = ['a', 'b', 'c'].map((name) => site.start(name, worker(name)));
  const pusher = site.start('pusher', PUSHER);
  await site.reaches('the first jobs', effects, JOBS / 10);
  a.child.kill('SIGKILL');
  await site.reaches('a third of the jobs', effects, JOBS / 3);
  b.child.kill('SIGKILL');
  site.start('d', worker('d'));
  t.match(await pusher.ended, { stdout: 'pushed\n', stderr: '', exitCode: 0 });
  await site.runsOut();
  t.equal(await site.value('SELECT count(DISTINCT n) FROM effects'), JOBS, 'no job was lost');
  const twice = await site.rows(
    'SELECT one.worker FROM effects one JOIN effects other ON one.n = other.n AND one.id < other.id',
  );
  t.ok(
    twice.every(([name]) => name === 'a' || name === 'b'),
    'only jobs of killed processes ran again',
  );
  // Those that ran, and those whose end was not stored yet.
  t.ok(twice.length <= 2 * 2 * CONCURRENCY, `${twice.length} jobs ran twice, at most those in flight`);
}

t.test('killed processes', (t) => {
  onBoth(t as Test, crash);
  t.end();
});
