import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ENTRY, faulty, Project, TEMPORARY } from './cachefixture.js';
import { Svcc } from './svcc.js';

const LONG = process.env.SVC_LONG === '1';
const TIMEOUT = LONG ? 3_600_000 : 600_000;

t.jobs = 3;
if (LONG) t.setTimeout(TIMEOUT);

/** Two texts of the same size: only their bytes differ. */
const TEXTS = ['puts 1', 'puts 2'];
const OUTPUTS = ['1\n', '2\n'];

t.test('8 processes write the entry of a program whose text changes ', { timeout: TIMEOUT }, async (t) => {
  const project = new Project(t, { 'app.svc': TEXTS[0] });
  // Number of the version on disk. Odd versions have the second text.
  let version = 0;
  let runs = 0;
  const wrong: string[] = [];
  const writer = async (): Promise<void> => {
    for (let round = 0; round < (LONG ? 100 : 2); round++) {
      const before = version;
      const { stdout, stderr, exitCode } = await project.run();
      const allowed = new Set(Array.from({ length: version - before + 1 }, (_, i) => OUTPUTS[(before + i) % 2]));
      if (exitCode !== 0 || stderr !== '' || !allowed.has(stdout))
        wrong.push(JSON.stringify({ stdout, stderr, exitCode, allowed: [...allowed] }));
      runs++;
      // Some runs meet a change, others do not.
      if (runs % 3 === 0) project.write('app.svc', TEXTS[++version % 2]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, writer));
  t.strictSame(wrong, []);
  t.equal((await project.run()).stdout, OUTPUTS[version % 2], 'the last text');
  t.equal(project.entries().length, 1);
  t.strictSame(
    readdirSync(project.cache).filter((name) => !ENTRY.test(name)),
    [],
    'no temporary files',
  );
  t.comment(`${runs} runs, ${version} changes, ${wrong.length} wrong`);
});

t.test('kill -9 at each call for a file of the cache', { timeout: TIMEOUT }, async (t) => {
  const project = new Project(t, { 'app.svc': TEXTS[0] });
  await project.run();
  let kills = 0;
  // The first four calls read the old entry and change nothing.
  for (let dieAt = LONG ? 1 : 5; ; dieAt++) {
    const now = dieAt % 2;
    project.write('app.svc', TEXTS[now]);
    const victim = await project.run('app.svc', { env: faulty(t, { dieAt }) });
    if (victim.exitCode !== null) {
      t.strictSame(victim, { stdout: OUTPUTS[now], stderr: '', exitCode: 0 }, 'it made fewer calls');
      break;
    }
    kills++;
    t.strictSame(
      await project.run(),
      { stdout: OUTPUTS[now], stderr: '', exitCode: 0 },
      `after death at call ${dieAt}`,
    );
  }
  t.ok(kills >= 8, `${kills} calls`);
  t.equal(project.entries().length, 1);
  const rest = readdirSync(project.cache).filter((name) => !ENTRY.test(name));
  t.ok(rest.length > 0, 'killed processes left temporary files');
  for (const name of rest) t.match(name, TEMPORARY);
  const [young, ...old] = rest;
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of old) utimesSync(join(project.cache, name), longAgo, longAgo);
  project.write('app.svc', 'puts 3');
  await project.run();
  t.strictSame(
    readdirSync(project.cache).filter((name) => !ENTRY.test(name)),
    [young],
    'those older than an hour are removed',
  );
});

t.test('kill -9 of writers at random moments ', { timeout: TIMEOUT }, async (t) => {
  const project = new Project(t, { 'app.svc': TEXTS[0] });
  const started = Date.now();
  await project.run();
  // Milliseconds of the last undisturbed run.
  let span = Date.now() - started;
  let kills = 0;
  const wrong: string[] = [];
  const victim = async (expected: string): Promise<void> => {
    const running = new Svcc(['run', 'app.svc'], { cwd: project.cwd, env: { SVC_CACHE_DIR: project.cache } });
    const timer = setTimeout(() => running.child.kill('SIGKILL'), Math.random() * span);
    const { stdout, stderr, exitCode } = await running.ended;
    clearTimeout(timer);
    if (exitCode === null) kills++;
    if (stderr !== '' || !(stdout === expected || (exitCode === null && stdout === '')))
      wrong.push(JSON.stringify({ stdout, stderr, exitCode, expected }));
  };
  const wanted = LONG ? 1000 : 24;
  for (let round = 1; kills < wanted && (LONG || Date.now() - started < 8000); round++) {
    const expected = OUTPUTS[round % 2];
    project.write('app.svc', TEXTS[round % 2]);
    // Several at once save time.
    await Promise.all(Array.from({ length: LONG ? 1 : 6 }, () => victim(expected)));
    const begun = Date.now();
    const next = await project.run();
    span = Date.now() - begun;
    if (next.stdout !== expected || next.stderr !== '' || next.exitCode !== 0)
      wrong.push(JSON.stringify({ ...next, expected }));
  }
  t.strictSame(wrong, []);
  t.ok(kills > 0, `${kills} kills`);
  t.equal(project.entries().length, 1);
  t.strictSame(
    readdirSync(project.cache).filter((name) => !ENTRY.test(name) && !TEMPORARY.test(name)),
    [],
    'nothing is left but temporary files',
  );
  t.comment(`${kills} kills, ${wrong.length} wrong`);
});
