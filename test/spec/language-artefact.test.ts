import { runPrograms } from './run.js';

// Read back from the bytes of an artefact, a program is what it was.
await runPrograms('artefact');
