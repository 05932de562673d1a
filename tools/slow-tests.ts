import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTimes } from '../test/slowtests.js';

// Runs all tests and writes test/slow.json: which of them took long (docs/testing.md, "Shares").

const RESULTS = '.tap/test-results';
const OUTPUT = 'test/slow.json';

/** Tests that take fewer seconds run in every share. */
const SLOW_SECONDS = 0.5;

/** The tests that run all programs and exchanges have a share of cases instead. */
const WHOLE = /^test\/(spec\/language|web\/exchanges)/;

/** The times of a file's tests, by the results that tap wrote for it. */
function timesOf(tap: string): TestTimes {
  const slow: Record<string, number> = {};
  let quick = 0;
  for (const [, escaped, milliseconds] of tap.matchAll(/^ok \d+ - (.*?)(?: # time=([\d.]+)ms)?$/gm)) {
    const seconds = Math.round(Number(milliseconds ?? 0) / 100) / 10;
    const name = escaped.replace(/\\([#\\])/g, '$1');
    if (seconds < SLOW_SECONDS) quick++;
    // A name that occurs twice has the time of the longer test.
    else slow[name] = Math.max(seconds, slow[name] ?? 0);
  }
  return { quick, slow: Object.fromEntries(Object.entries(slow).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

rmSync(RESULTS, { recursive: true, force: true });
const { status } = spawnSync('npm', ['test'], { stdio: 'inherit', env: { ...process.env, SVC_TESTS: 'all' } });
if (status !== 0) {
  console.error(`${OUTPUT} stays as it is, because tests failed`);
  process.exit(1);
}

const names = readdirSync(RESULTS, { recursive: true, encoding: 'utf8' });
const files: Record<string, TestTimes> = {};
for (const result of names.filter((name) => name.endsWith('.test.ts.tap')).sort()) {
  const file = result.slice(0, -'.tap'.length);
  if (!WHOLE.test(file)) files[file] = timesOf(readFileSync(join(RESULTS, result), 'utf8'));
}
writeFileSync(OUTPUT, `${JSON.stringify(files, null, 2)}\n`);
const all = Object.values(files).flatMap(({ slow }) => Object.values(slow));
const total = all.reduce((sum, seconds) => sum + seconds, 0);
console.log(`${OUTPUT}: ${all.length} slow tests, ${Math.round(total)} seconds`);
