import { playAll } from './run.js';

// The other modes are in files beside this one, so that tap runs them at the same time.
await playAll('normal');
