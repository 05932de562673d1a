import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import t from 'tap';

/** The tests may run as JavaScript: `npm run coverage`, `npm run mutate`. */
const ENDING = `.unit${extname(import.meta.url)}`;

/** Maximum milliseconds for all units of a process. Each of their tests has the usual limit as well. */
const LIMIT_MS = 1_800_000;

/** Milliseconds for the process to end by itself after its tests and what their teardowns do. */
const AFTER_MS = 5_000;

/** Whether the name of a test says that it runs the bundle. */
function runsBundle(name: string): boolean {
  return /\.bundle\.(test|unit)\.[jt]s$/.test(name);
}

/** Runs the tests of one unit. Waits for their end, so that a unit whose tests run side by side disturbs no other. */
async function run(url: string): Promise<void> {
  t.jobs = 1;
  await import(url);
  if (t.ended) throw new Error(`the tests of ${url} do not run: tap has ended the run before`);
  while (!t.idle) await new Promise<void>((resolve) => t.once('idle', resolve));
  // A unit may have set a limit for its own process.
  t.setTimeout(LIMIT_MS);
}

/**
 * Runs the files `*.unit.ts` of folders, by default the folder of the calling test, in one process: a process of tests
 * takes one and a half seconds of processor time to start. A file `*.bundle.test.ts` runs the units `*.bundle.unit.ts`, any other test the rest.
 * `npx tap test/natives/core/format.unit.ts` runs a single unit.
 */
export async function runUnits(url: string, folders: readonly string[] = ['.']): Promise<void> {
  t.setTimeout(LIMIT_MS);
  // A test that failed may have left a server, which keeps the process alive.
  t.once('complete', () => setTimeout(() => process.exit(), AFTER_MS).unref());
  // Once there is a teardown, tap ends the run as soon as it has no test for a moment, as between two units.
  const { teardown } = t;
  const last: (() => unknown)[] = [];
  t.teardown = (end) => (last.push(end), t);
  for (const folder of folders) {
    const place = new URL(`${folder}/`, url);
    const names = readdirSync(place)
      .filter((name) => name.endsWith(ENDING) && runsBundle(name) === runsBundle(url))
      .sort();
    if (names.length === 0) throw new Error(`no units in ${place.pathname}`);
    for (const name of names) await run(new URL(name, place).href);
  }
  t.teardown = teardown;
  for (const end of last) t.teardown(end);
  t.end();
}
