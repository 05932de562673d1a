import { runPrograms } from './run.js';

// Interpreted; suspended at every safepoint; and read back from the bytes of an artefact.
await runPrograms('normal', 'slice-1', 'artefact');
