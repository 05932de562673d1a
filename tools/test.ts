import { spawnSync } from 'node:child_process';

// `npm test`. Without names of files, tests with many cases of a kind run a share of them (test/share.ts).
const words = process.argv.slice(2);
// Every node process would read the certificates of NODE_EXTRA_CA_CERTS at its start, which takes longer than all else there.
const { CI, SVC_LONG, SVC_TESTS = 'share', NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
const isWhole = CI === 'true' || SVC_LONG === '1' || words.some((word) => !word.startsWith('-'));
const tests = isWhole ? 'all' : SVC_TESTS;
const { status, error } = spawnSync('tap', words, {
  stdio: 'inherit',
  env: { ...others, CI, SVC_LONG, SVC_TESTS: tests },
});
if (error !== undefined) console.error(`tap does not start: ${error.message}; run the tests with npm test`);
else if (tests === 'share') console.log('a share of the cases ran; SVC_TESTS=all npm test runs all, as .ci/run does');
process.exitCode = status ?? 1;
