import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { partOf } from '../share.js';
import { ROOT } from '../svcc/svcc.js';

// Which tests run: every unit belongs to a test, and `npm test` runs a share of the cases unless all are asked for.

const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });

/** Folders whose units a test runs, and whether it runs those of the bundle. */
function foldersOf(test: string): string[] {
  const text = readFileSync(join(ROOT, 'test', test), 'utf8');
  const [, list] = /^await runUnits\(import\.meta\.url(?:, \[(.*)\])?\);$/m.exec(text) ?? [];
  const folders = list?.split(', ').map((name) => name.slice(1, -1)) ?? ['.'];
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
  const sizes = [0, 0, 0, 0];
  for (const name of files) sizes[partOf(name)]++;
  t.ok(
    sizes.every((size) => size > files.length / 5),
    sizes.join(', '),
  );
  t.strictSame(['basic', 'api', 'pages', 'grüße'].map(partOf), [1, 3, 3, 0]);
});

t.test(
  'npm test runs a share of the cases, and all with names of files, CI=true, SVC_LONG=1 or SVC_TESTS=all',
  async (t) => {
    const folder = t.testdir({ tap: '#!/bin/sh\necho "$SVC_TESTS $*"\nexit 3\n' });
    const ran = (args: string[], env: Record<string, string> = {}): string => {
      const { stdout, status } = spawnSync(process.execPath, [join(ROOT, 'tools/test.js'), ...args], {
        env: { PATH: `${folder}:${process.env.PATH}`, ...env },
        encoding: 'utf8',
      });
      t.equal(status, 3, 'the exit code is that of tap');
      return stdout;
    };
    spawnSync('chmod', ['+x', join(folder, 'tap')]);
    const NOTE = 'a share of the cases ran; SVC_TESTS=all npm test runs all, as .ci/run does\n';
    t.equal(ran([]), `share \n${NOTE}`);
    t.equal(ran(['--jobs=2']), `share --jobs=2\n${NOTE}`);
    t.equal(ran(['test/a.test.ts']), 'all test/a.test.ts\n');
    for (const env of [{ CI: 'true' }, { SVC_LONG: '1' }, { SVC_TESTS: 'all' }] as Record<string, string>[])
      t.equal(ran([], env), 'all \n');
  },
);
