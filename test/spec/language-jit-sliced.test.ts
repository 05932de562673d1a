import { runPrograms } from './run.js';

// Suspended at every safepoint of compiled code, a program does what it does without.
await runPrograms('jit-slice-1');
