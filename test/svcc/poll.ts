import { setTimeout as sleep } from 'node:timers/promises';

/** The value of `look` once it is neither null nor false. @throws Error with `what` when that takes too long, however busy the machine is */
export async function until<T>(what: string, look: () => T | null | false | Promise<T | null | false>, limit = 15_000): Promise<T> {
  const end = Date.now() + limit;
  for (;;) {
    const value = await look();
    if (value !== null && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await sleep(15);
  }
}
