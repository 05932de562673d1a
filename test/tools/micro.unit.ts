import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import type { Row } from '../../bench/micro/measure.js';

const ROOT = resolve(import.meta.dirname, '../..');

t.jobs = 2;

/** Runs the suite `micro` with the shortest measurements. */
function micro(...words: string[]): Promise<{ stdout: string; stderr: string; status: number }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'bench/micro/run.ts', ...words],
      { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', TIME: '1', ROUNDS: '1' } },
      (error, stdout, stderr) => done({ stdout, stderr, status: Number(error?.code ?? 0) }),
    );
  });
}

t.test('a group has a row for each of its functions', async (t) => {
  const { stdout, stderr, status } = await micro('json', '--json');
  t.equal(status, 0, stderr);
  const rows = JSON.parse(stdout) as Row[];
  t.equal(rows.length, 12);
  t.strictSame([...new Set(rows.map(({ group }) => group))], ['json']);
  t.strictSame(
    rows.slice(0, 2).map(({ title, name }) => `${title}: ${name}`),
    ['parse, small object (86 characters): JSON.parse', 'parse, small object (86 characters): svc'],
  );
  for (const { title, name, median, mean, p99, ratio, isEmpty } of rows) {
    t.ok(median > 10 && mean > 10 && p99 >= median && ratio > 0, `${title}: ${name}`);
    t.notOk(isEmpty, `${title}: ${name} is measured`);
  }
});

t.test('every group can be measured', async (t) => {
  const { stdout, stderr, status } = await micro('routes', 'requests', 'sessions', 'values', 'compiler');
  t.equal(status, 0, stderr);
  t.strictSame(
    [...stdout.matchAll(/^### (\w+)$/gm)].map(([, name]) => name),
    ['routes', 'requests', 'sessions', 'values', 'compiler'],
  );
});

t.test('an unknown group is refused', async (t) => {
  const { stderr, status } = await micro('nothing');
  t.equal(status, 2);
  t.match(stderr, /no such group: nothing; there are routes, /);
});
