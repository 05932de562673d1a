import { runPrograms } from './run.js';

// Compiled to JavaScript; with the code of a run before; and suspended at every safepoint of compiled code.
await runPrograms('jit', 'kept', 'jit-slice-1');
