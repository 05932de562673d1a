import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import t from 'tap';

/** The tests may run as JavaScript: `npm run coverage`, `npm run mutate`. */
const ENDING = `.unit${extname(import.meta.url)}`;

/** Maximum milliseconds for all units of a process. Each of their tests has the usual limit as well. */
const LIMIT_MS = 1_800_000;

/** Whether the name of a test says that it runs the bundle. */
function runsBundle(name: string): boolean {
  return /\.bundle\.(test|unit)\.[jt]s$/.test(name);
}

/**
 * Runs the files `*.unit.ts` of folders, by default the folder of the calling test, in one process: starting a process
 * takes longer than most of them. A file `*.bundle.test.ts` runs the units `*.bundle.unit.ts`, any other test the rest.
 * `npx tap test/natives/core/format.unit.ts` runs a single unit.
 */
export async function runUnits(url: string, folders: readonly string[] = ['.']): Promise<void> {
  t.setTimeout(LIMIT_MS);
  for (const folder of folders) {
    const place = new URL(`${folder}/`, url);
    const names = readdirSync(place)
      .filter((name) => name.endsWith(ENDING) && runsBundle(name) === runsBundle(url))
      .sort();
    if (names.length === 0) throw new Error(`no units in ${place.pathname}`);
    for (const name of names) {
      await import(new URL(name, place).href);
      if (t.ended)
        throw new Error(`the tests of ${name} do not run: a unit before it calls teardown outside of its tests`);
    }
  }
}
