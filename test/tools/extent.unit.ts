import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { PARTS, partOf } from '../share.js';
import { isFileInShare, isTestInShare, TIMES } from '../slowtests.js';
import { ROOT } from '../svcc/svcc.js';

// Which tests run: every unit belongs to a test, and `npm test` runs a share of the cases unless all are asked for.

const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });

/** Folders whose units a test runs, and whether it runs those of the bundle. */
function foldersOf(test: string): string[] {
  const text = readFileSync(join(ROOT, 'test', test), 'utf8');
  const [, list] = /^await runUnits\(import\.meta\.url(?:, \[([^\]]*)\])?\);$/m.exec(text) ?? [];
  const folders = list === undefined ? ['.'] : [...list.matchAll(/'([^']*)'/g)].map(([, name]) => name);
  return folders.map(
    (folder) => `${normalize(join(dirname(test), folder))}${test.includes('.bundle.') ? ' bundle' : ''}`,
  );
}

t.test('every unit belongs to a test', async (t) => {
  const run = new Set(files.filter((name) => /(^|\/)units(\.bundle)?\.test\.ts$/.test(name)).flatMap(foldersOf));
  const units = files.filter((name) => name.endsWith('.unit.ts'));
  t.ok(units.length > 100, `${units.length} units`);
  t.strictSame(
    units.filter((name) => !run.has(`${dirname(name)}${name.endsWith('.bundle.unit.ts') ? ' bundle' : ''}`)),
    [],
  );
});

t.test('parts are of similar size, and a name stays in its part', async (t) => {
  const sizes = new Array<number>(PARTS).fill(0);
  for (const name of files) sizes[partOf(name)]++;
  t.ok(
    sizes.every((size) => size > files.length / 10),
    sizes.join(', '),
  );
  t.strictSame(['basic', 'api', 'pages', 'grüße'].map(partOf), [5, 7, 7, 0]);
});

t.test('a share contains the quick tests and some of the slow ones, of all lengths', async (t) => {
  const slow = Object.entries(TIMES).flatMap(([file, times]) =>
    Object.entries(times?.slow ?? {}).map(([name, seconds]) => ({ seconds, runs: isTestInShare(file, name) })),
  );
  const run = slow.filter(({ runs }) => runs);
  const seconds = (tests: typeof slow): number => tests.reduce((sum, test) => sum + test.seconds, 0);
  t.ok(run.length > slow.length / 20, `${run.length} of ${slow.length} slow tests`);
  t.ok(seconds(run) < seconds(slow) / 10, `${seconds(run)} of ${seconds(slow)} seconds`);
  for (const limit of [1, 4])
    t.ok(
      run.some(({ seconds }) => seconds >= limit),
      `some tests take ${limit} s`,
    );
  t.ok(isTestInShare('test/tools/extent.unit.ts', 'a quick test'));
  t.ok(isFileInShare('test/new.test.ts'), 'a file whose times are unknown');
  const known = files.map((name) => `test/${name}`).filter((file) => TIMES[file] !== undefined);
  t.ok(known.some(isFileInShare) && !known.every(isFileInShare));
});

t.test('the files whose times are known exist', async (t) => {
  t.strictSame(
    Object.keys(TIMES).filter((file) => !existsSync(join(ROOT, file))),
    [],
    'npm run slow-tests writes the names',
  );
});

t.test('tests outside of the share do not run, and their file passes', async (t) => {
  const [file] = Object.entries(TIMES).find(([file]) => !isFileInShare(file)) ?? [''];
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--import=tap', '--import=tsx', '--import=./tools/test-options.js', file],
    { cwd: ROOT, env: { PATH: process.env.PATH, SVC_TESTS: 'share' }, encoding: 'utf8' },
  );
  t.strictSame([status, stdout.includes('# Subtest')], [0, false], `${file}: ${stdout}`);
});

t.test(
  'npm test runs a share of the tests, and all with names of files, CI=true, SVC_LONG=1 or SVC_TESTS=all',
  async (t) => {
    const folder = t.testdir({ tap: '#!/bin/sh\necho "$SVC_TESTS $*"\nexit 3\n' });
    const ran = (args: string[], env: Record<string, string> = {}): string => {
      const { stdout, status } = spawnSync(process.execPath, ['--import=tsx', 'tools/test.ts', ...args], {
        cwd: ROOT,
        env: { PATH: `${folder}:${process.env.PATH}`, ...env },
        encoding: 'utf8',
      });
      t.equal(status, 3, 'the exit code is that of tap');
      return stdout;
    };
    spawnSync('chmod', ['+x', join(folder, 'tap')]);
    const names = files.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
    const share = names.filter(isFileInShare).sort().join(' ');
    const NOTE = 'a share of the tests ran; SVC_TESTS=all npm test runs all, as .ci/run does\n';
    t.equal(ran([]), `share ${share}\n${NOTE}`);
    t.equal(ran(['--jobs=2']), `share --jobs=2 ${share}\n${NOTE}`);
    t.equal(ran(['test/a.test.ts']), 'all test/a.test.ts\n');
    for (const env of [{ CI: 'true' }, { SVC_LONG: '1' }, { SVC_TESTS: 'all' }] as Record<string, string>[])
      t.equal(ran([], env), 'all \n');
  },
);
