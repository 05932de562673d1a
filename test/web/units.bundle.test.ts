import { runUnits } from '../units.js';

// One after the other: a test takes another user's rights for a moment, which counts for the whole process.
await runUnits(import.meta.url, [
  'examples',
  'extras',
  'pages',
  'server',
  'sessions',
  'static',
  'streams',
  'uploads',
  'validation',
]);
