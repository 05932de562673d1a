import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Outcome, runFile, type RunOptions } from '#embed';
import t from 'tap';
import { isInShare, RUNS_ALL } from '../share.js';
import { PATIENCE_MS } from '../patience.js';
import { svcc } from '../svcc/svcc.js';
import { collectPrograms, ROOT } from './collect.js';
import { type Expectations, readExpectations } from './program.js';
import { compare } from './report.js';

// A program meets its expectations in any order of its threads. `# only: normal, slice-1: reason` excludes programs that test an order.
const SEEDS = process.env.SVC_LONG === undefined ? (RUNS_ALL ? 4 : 2) : 200;
const FOLDER = /^spec-tests\/concurrency\//;

t.setTimeout(1_800_000);

function runWithLimit(path: string, { stdin, args }: Expectations, options: RunOptions): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`seed ${options.seed} runs longer than ${PATIENCE_MS / 1000} s`)),
      PATIENCE_MS,
    );
    runFile(join(ROOT, path), { ...options, stdin, args })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** First seed that fails, or null. */
async function firstFailure(
  path: string,
  expected: Expectations,
): Promise<{ seed: number; actual: string; expected: string } | null> {
  const programs: RunOptions['programs'] = new Map();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const comparison = compare(basename(path), expected, await runWithLimit(path, expected, { seed, programs }));
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

// Otherwise the tests above would show nothing.
t.test('seeds lead to different orders of threads', async (t) => {
  const source = '8.times { |i| spawn { print(i) } }\n';
  const path = join(t.testdir({ 'order.svc': source }), 'order.svc');
  const orders = new Set<string>();
  for (let seed = 1; seed <= 8; seed++) {
    const { stdout } = await runFile(path, { seed });
    t.equal((await runFile(path, { seed })).stdout, stdout, `seed ${seed} repeats the order`);
    orders.add(stdout);
  }
  t.ok(orders.size > 4, [...orders].join(' '));
});

/** Programs that print the order of their threads, which are interrupted in loops, calls, blocks and library calls. */
const TRACES: Record<string, string> = {
  loops: '(1..4).each { |id| spawn { i = 0\nwhile i < 300\nprint id\ni += 1\nend } }\n',
  calls:
    'def fib(n, id)\nprint id if n == 4\nn < 2 ? n : fib(n - 1, id) + fib(n - 2, id)\nend\n(1..3).each { |id| spawn { fib(12, id) } }\n',
  blocks:
    '(1..4).each { |id| spawn { 60.times { |i| v = (1..9).map { it * 1.5 }\nprint id if v.select { it > 3 }.length > i % 7 } } }\n',
  channels:
    'c = channel(2)\n(1..3).each { |id| spawn { 20.times { |i| c.send(id)\nprint id } } }\n60.times { print "<#{c.recv()}>" }\n',
  'shared values':
    's = shared(0)\nputs parallel_map((1..40).to_a) { |x| s.update { |v| v * 3 % 1009 + x }\nrand_int(0, 9) }.join\nputs s.get()\n',
  'library calls in pieces':
    '3.times { |id| spawn { 2.times { v = (1..60_000).map { it * 7 % 1000 }.sort\nprint id\nv.to_json\nprint id } } }\nspawn { 200.times { print "w" } }\n',
};

const TIERS: readonly RunOptions[] = [{ jit: null }, { jit: 0 }, {}, { jit: 3, slice: 1 }, { slice: 7 }];

/** The same as environment variables of `svcc`. */
const ENVIRONMENTS: readonly Record<string, string>[] = [
  { SVC_JIT: 'off' },
  { SVC_JIT: '0' },
  {},
  { SVC_JIT: '3', SVC_SLICE: '1' },
  { SVC_SLICE: '7' },
];

t.test('a seed leads to the same order in every tier, with every slice and with both clocks', async (t) => {
  for (const [name, source] of Object.entries(TRACES).filter(([name]) => isInShare(name))) {
    const path = join(t.testdir({ 'trace.svc': source }), 'trace.svc');
    const programs: RunOptions['programs'] = new Map();
    const outputs = new Set<string>();
    for (const tier of TIERS) {
      const { stdout, stderr, exitCode } = await runFile(path, { ...tier, seed: 5, programs });
      t.same([stderr, exitCode], ['', 0]);
      outputs.add(stdout);
    }
    t.equal(outputs.size, 1, `${name}, virtual clock`);
    // Processes take long: one program in all tiers, the others in one.
    for (const env of name === 'loops' ? ENVIRONMENTS : ENVIRONMENTS.slice(-1)) {
      for (const SVC_CLOCK of name === 'loops' ? ['virtual', 'real'] : ['real']) {
        const { stdout, stderr, exitCode } = await svcc(['run', path], { env: { ...env, SVC_SEED: '5', SVC_CLOCK } });
        t.same([stderr, exitCode], ['', 0]);
        outputs.add(stdout);
      }
    }
    t.equal(outputs.size, 1, `${name}, other processes`);
  }
});

t.test('the error of a task that is not awaited is reported at every end of a program', async (t) => {
  for (const [end, exitCode] of [
    ['', 0],
    ['exit(3)', 3],
    ['raise "end"', 1],
  ] as const) {
    const path = join(
      t.testdir({ 'held.svc': `held = spawn { raise "held" }\nsleep(0.01)\nputs held.done?\n${end}\n` }),
      'held.svc',
    );
    for (const seed of [undefined, 1]) {
      const outcome = await runFile(path, { seed });
      t.match(outcome.stderr, /^RuntimeError: held$/m, `${end}, seed ${seed}`);
      t.equal(outcome.exitCode, exitCode);
    }
  }
});
