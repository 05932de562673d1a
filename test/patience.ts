import { setTimeout as sleep } from 'node:timers/promises';
import { processorTime } from './clock.js';

/**
 * Milliseconds that a test waits for an event before it fails. Only a failure takes this long. Speed is measured as
 * processor time (`clock.ts`) or by the order of events.
 */
export const PATIENCE_MS = 90_000;

/** Milliseconds between two checks. */
const PAUSE_MS = 10;

type Look<T> = () => T | null | false | Promise<T | null | false>;

/** Returns the first value of `look` that is neither null nor false, or null if there is none in PATIENCE_MS. */
async function awaited<T>(look: Look<T>): Promise<T | null> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(PAUSE_MS)) {
    const value = await look();
    if (value !== null && value !== false) return value;
  }
  return null;
}

/** Waits until the value of `look` is neither null nor false, and returns it. @throws Error with `what` if it stays so */
export async function until<T>(what: string, look: Look<T>): Promise<T> {
  const value = await awaited(look);
  if (value === null) throw new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`);
  return value;
}

/** Waits for a condition. Returns whether it became true. */
export async function happens(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return (await awaited<boolean>(condition)) !== null;
}

/** Milliseconds without processor time after which a process is taken for idle. */
const QUIET_MS = 200;

/** Waits until another process uses no processor time. */
export async function comesToRest(child: { pid?: number }): Promise<void> {
  let before = -1;
  await until('a process that waits', async () => {
    const now = processorTime(child);
    const rests = now === before;
    before = now;
    if (!rests) await sleep(QUIET_MS);
    return rests;
  });
}
