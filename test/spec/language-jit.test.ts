import { runPrograms } from './run.js';

// Compiled to JavaScript; and suspended at every safepoint of compiled code.
await runPrograms('jit', 'jit-slice-1');
