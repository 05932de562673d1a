import { runPrograms } from './run.js';

// Compiled to JavaScript, a program does what it does interpreted.
await runPrograms('jit');
