import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { isFileInShare } from '../test/slowtests.js';

// `npm test`. Without names of files, a share of the tests runs (test/share.ts).

/** The test files of a share: all but those of which it contains no test. */
function filesInShare(): string[] {
  const names = readdirSync('test', { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name.replaceAll('\\', '/')}`);
  return files.filter(isFileInShare).sort();
}

const words = process.argv.slice(2);
// Every node process would read the certificates of NODE_EXTRA_CA_CERTS at its start, which takes longer than all else there.
const { CI, SVC_LONG, SVC_TESTS = 'share', NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
const isWhole = CI === 'true' || SVC_LONG === '1' || words.some((word) => !word.startsWith('-'));
const tests = isWhole ? 'all' : SVC_TESTS;
const { status, error } = spawnSync('tap', tests === 'share' ? [...words, ...filesInShare()] : words, {
  stdio: 'inherit',
  env: { ...others, CI, SVC_LONG, SVC_TESTS: tests },
});
if (error !== undefined) console.error(`tap does not start: ${error.message}; run the tests with npm test`);
else if (tests === 'share') console.log('a share of the tests ran; SVC_TESTS=all npm test runs all, as .ci/run does');
process.exitCode = status ?? 1;
