import { runPrograms } from './run.js';

// Suspended at every safepoint, a program does what it does without.
await runPrograms('slice-1');
