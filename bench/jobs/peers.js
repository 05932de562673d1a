// Prints what work.svc prints, for other queues on PostgreSQL: graphile, pgboss, or statements of `pg` by hand.
import pg from 'pg';

const [which, url, countText, concurrencyText] = process.argv.slice(2);
const count = Number(countText);
const concurrency = Number(concurrencyText);
const PARTS = 20;
const SAMPLES = 50;

let left = count;
let finished = () => {};
const once = () => new Promise((resolve) => (finished = resolve));
const run = () => {
  if (--left === 0) finished();
};
const single = () => finished();

async function graphile() {
  const { Logger, makeWorkerUtils, run: work } = await import('graphile-worker');
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 10 });
  await utils.migrate();
  return {
    push: (name, data) => utils.addJob(name, data),
    start: () =>
      work({
        connectionString: url,
        concurrency,
        maxPoolSize: 10,
        noHandleSignals: true,
        logger,
        taskList: { count: async () => run(), single: async () => single() },
      }),
  };
}

async function pgboss() {
  const { default: PgBoss } = await import('pg-boss');
  const boss = new PgBoss({ connectionString: url, max: 10 });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('count');
  await boss.createQueue('single');
  return {
    push: (name, data) => boss.send(name, data),
    start: async () => {
      // The shortest interval that it allows; batches so large that it does not wait for the next one for long.
      const options = { batchSize: 1000, pollingIntervalSeconds: 0.5 };
      await boss.work('count', options, async (jobs) => jobs.forEach(run));
      await boss.work('single', options, async (jobs) => jobs.forEach(single));
    },
  };
}

/** One statement claims a job, another one removes it. */
async function hand() {
  const pool = new pg.Pool({ connectionString: url, max: Math.max(10, concurrency) });
  await pool.query(`CREATE TABLE IF NOT EXISTS hand (id bigserial PRIMARY KEY, name text, data jsonb, run_at timestamptz DEFAULT now(),
    locked_until timestamptz DEFAULT '-infinity')`);
  await pool.query('CREATE INDEX IF NOT EXISTS hand_ready ON hand (run_at)');
  const claim = `UPDATE hand SET locked_until = now() + interval '30s' WHERE id = (SELECT id FROM hand
    WHERE run_at <= now() AND locked_until < now() ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, name`;
  let pushes = 0;
  const waiting = [];
  const worker = async () => {
    for (;;) {
      const before = pushes;
      const { rows } = await pool.query({ name: 'claim', text: claim });
      if (rows.length === 0) {
        // A job that was pushed during the query wakes no other worker.
        if (pushes === before) await new Promise((resolve) => waiting.push(resolve));
        continue;
      }
      if (rows[0].name === 'count') run();
      else single();
      await pool.query({ name: 'done', text: 'DELETE FROM hand WHERE id = $1', values: [rows[0].id] });
    }
  };
  return {
    push: async (name, data) => {
      const text = 'INSERT INTO hand (name, data) VALUES ($1, $2)';
      await pool.query({ name: 'push', text, values: [name, data] });
      pushes++;
      waiting.pop()?.();
    },
    start: async () => void Array.from({ length: concurrency }, worker),
  };
}

const { push, start } = await { graphile, pgboss, hand }[which]();
const pushedAt = performance.now();
await Promise.all(
  Array.from({ length: PARTS }, async () => {
    for (let i = 0; i < count / PARTS; i++) await push('count', { i });
  }),
);
const pushing = performance.now() - pushedAt;
const startedAt = performance.now();
const all = once();
await start();
await all;
const working = performance.now() - startedAt;
const latencies = [];
for (let i = 0; i < SAMPLES; i++) {
  await new Promise((resolve) => setTimeout(resolve, 10));
  const at = performance.now();
  const done = once();
  await push('single', {});
  await done;
  latencies.push(performance.now() - at);
}
console.log(JSON.stringify([pushing, working, latencies.sort((a, b) => a - b)[SAMPLES / 2]]));
process.exit(0);
