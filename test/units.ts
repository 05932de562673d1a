import { readdirSync } from 'node:fs';
import t from 'tap';

/** Milliseconds for all units of a process; each of their tests has the usual limit of its own. */
const LIMIT_MS = 1_800_000;

/**
 * Runs the files `*.unit.ts` of folders, the test file's own unless told, in its process: to start a process for each takes longer than most of
 * them. `npx tap test/natives/core/format.unit.ts` runs one alone.
 */
export async function runUnits(url: string, folders: readonly string[] = ['.']): Promise<void> {
  t.setTimeout(LIMIT_MS);
  for (const folder of folders) {
    const place = new URL(`${folder}/`, url);
    const names = readdirSync(place)
      .filter((name) => name.endsWith('.unit.ts'))
      .sort();
    if (names.length === 0) throw new Error(`no units in ${place.pathname}`);
    for (const name of names) await import(new URL(name, place).href);
  }
}
