import { setFlagsFromString } from 'node:v8';

// Loaded by each process of tests (`.taprc`). V8 optimizes a function after nine times its usual work: in tests, which run
// much code briefly, optimizing takes up to a quarter of the processor time. Later versions of V8 do not know the option.
// `svcc` processes that tests start have V8's own settings.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=600000');

// A share of the tests leaves out most of the slow ones. Other processes than those of test files must not load tap.
if (process.env.SVC_TESTS === 'share' && /\.test\.[jt]s$/.test(process.argv[1] ?? ''))
  await import('../test/skipslow.ts');
