import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../svcc/svcc.js';

const TEXT = readFileSync(join(ROOT, 'docs/web-contract.md'), 'utf8');
/** Cells of every row of every table, except heads. */
const ROWS = TEXT.split('\n')
  .filter((line) => /^\| (?!Rule \|)/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const PATH = /`((?:spec-tests|test)\/[^`]+)`/g;

t.test('every test that the contract names exists', async (t) => {
  const paths = new Set([...TEXT.matchAll(PATH)].map(([, path]) => path));
  t.ok(paths.size > 100, `${paths.size} paths`);
  for (const path of paths) {
    t.ok(existsSync(join(ROOT, path)), path);
    // A program without exchanges does not run.
    if (/^spec-tests\/web\/.*\.svc$/.test(path))
      t.ok(existsSync(join(ROOT, path.replace(/svc$/, 'http'))), `${path} has exchanges`);
  }
});

t.test('every rule has a test, or a reason why it has none', async (t) => {
  for (const [rule, ...cells] of ROWS)
    t.ok(cells.length === 1 && /^(— .+|(`(spec-tests|test)\/[^` ]+` ?)+)$/.test(cells[0]), rule);
});
