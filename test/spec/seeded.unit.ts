import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Outcome, runFile } from '#embed';
import t from 'tap';
import { PATIENCE_MS } from '../patience.js';
import { collectPrograms, ROOT } from './collect.js';
import { type Expectations, readExpectations } from './program.js';
import { compare } from './report.js';

// Whatever the order of its threads, a program does what it says. `# only: normal, slice-1: reason` leaves one out whose order is the point.
const SEEDS = process.env.SVC_LONG === undefined ? 4 : 200;
const FOLDER = /^spec-tests\/concurrency\//;

t.setTimeout(1_800_000);

function runWithLimit(path: string, seed: number, { stdin, args }: Expectations): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`seed ${seed} runs longer than ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
    runFile(join(ROOT, path), { seed, stdin, args }).then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Null, or the first seed that fails: `actual` and `expected` show their difference. */
async function firstFailure(path: string, expected: Expectations): Promise<{ seed: number; actual: string; expected: string } | null> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const comparison = compare(basename(path), expected, await runWithLimit(path, seed, expected));
    if (comparison.actual !== comparison.expected) return { seed, ...comparison };
  }
  return null;
}

for (const [folder, paths] of await collectPrograms()) {
  if (!FOLDER.test(`${folder}/`)) continue;
  await t.test(`${folder} with ${SEEDS} seeds`, async (t) => {
    for (const path of paths) {
      const expected = readExpectations(await readFile(join(ROOT, path), 'utf8'));
      if (expected.skip !== null || expected.only?.includes('seeded') === false) continue;
      const failure = await firstFailure(path, expected);
      const again = `SVC_CLOCK=virtual SVC_SEED=${failure?.seed ?? 1} node dist/svcc.js run ${path}`;
      t.equal(failure?.actual, failure?.expected, failure === null ? path : `${path}; again: ${again}`);
    }
  });
}

// Guards the rest: a seed that changed nothing would prove nothing.
t.test('seeds give different orders of threads', async (t) => {
  const source = '8.times { |i| spawn { print(i) } }\n';
  const path = join(t.testdir({ 'order.svc': source }), 'order.svc');
  const orders = new Set<string>();
  for (let seed = 1; seed <= 8; seed++) {
    const { stdout } = await runFile(path, { seed });
    t.equal((await runFile(path, { seed })).stdout, stdout, `seed ${seed} gives the same again`);
    orders.add(stdout);
  }
  t.ok(orders.size > 4, [...orders].join(' '));
});
