import { playAll } from './run.js';

// Suspended at every safepoint, a program answers as it does without.
await playAll('slice-1');
