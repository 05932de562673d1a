import { setFlagsFromString } from 'node:v8';

// Loaded by each process of tests (`.taprc`). `svcc` processes that tests start have V8's own settings.
const version = parseInt(process.versions.v8);
// V8 optimizes a function after nine times its usual work: in tests, which run much code briefly, optimizing takes up to a
// quarter of the processor time. Later versions of V8 do not know the option.
if (version === 11) setFlagsFromString('--interrupt-budget=600000');
// The space for young objects does not grow: most tests end before they have used a larger one often enough.
if (version <= 14) setFlagsFromString('--semi-space-growth-factor=1');
