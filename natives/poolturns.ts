/**
 * Turns for work on the threads of node's pool, of which there are four for files, compression, passwords and host names:
 * a request with a thousand of such operations must not delay the one of another.
 */
import { Turns } from './turns.js';

/** Large reads and writes of files, of a few megabytes at most: enough that no thread waits for the main one. */
export const fileTurns = new Turns(8);

/** Operations that compute or copy for long. They leave one thread to the others. */
export const longTurns = new Turns(3);
