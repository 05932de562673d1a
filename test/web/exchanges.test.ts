import { playAll } from './support/run.js';

// Suspended at every safepoint, a program sends what it sends without.
await playAll('normal', 'slice-1');
