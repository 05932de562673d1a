import { readFileSync } from 'node:fs';

/** Milliseconds of processor time that the calling thread has used (proc_pid_schedstat(5)). */
function threadTime(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
}

/** Maximum milliseconds of processor time of a turn of the event loop in which a driver works. */
export const MAX_TURN_MS = 50;
/** One of this many runs has to stay below it: in the others, a turn may include a collection of the whole test's heap. */
const TRIES = 3;

/**
 * The most processor time that this thread uses in one turn of the event loop while an operation runs, in milliseconds.
 * The threads of databases do not count. The operation may run several times; the shortest of their longest turns counts.
 */
export async function longestTurn(operation: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let i = 0; i < TRIES && shortest >= MAX_TURN_MS; i++)
    shortest = Math.min(shortest, await longestTurnOf(operation));
  return shortest;
}

async function longestTurnOf(operation: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (let last = threadTime(); !isOver;) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = threadTime();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const watching = watch();
  await operation();
  isOver = true;
  await watching;
  return longest;
}
