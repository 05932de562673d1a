/** Processes that use a database and that tests kill: `client.ts`, bundled. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Test } from 'tap';
import { until } from '../../patience.js';
import { rounds } from '../../rounds.js';

/** Times that a process is killed while it writes. */
const KILLS = rounds(20, 200);

/** Starts the client with arguments, until the test ends. */
export type Start = (...args: string[]) => ChildProcess;

/** Builds the client as JavaScript, which starts several times faster than by tsx. */
export async function builtClient(t: Test): Promise<Start> {
  const folder = join(t.testdir(), 'programs');
  await build({
    entryPoints: { client: 'support/client.ts', worker: '../../natives/data/sqlite/worker.ts' },
    absWorkingDir: join(import.meta.dirname, '..'),
    outdir: folder,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
  });
  return (...args) => {
    const child = spawn(process.execPath, [join(folder, 'client.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  };
}

/** What a client prints, line by line, until it is killed. */
export function printed(child: ChildProcess): { lines: () => string[]; ended: Promise<unknown> } {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return { lines: () => text.split('\n').slice(0, -1), ended: once(child, 'close') };
}

/** Kills a client after a random number of inserts. Returns the ids of the rows whose inserts were acknowledged. */
async function acknowledged(child: ChildProcess): Promise<string[]> {
  const { lines, ended } = printed(child);
  const enough = 100 + Math.random() * 2000;
  await until('acknowledged rows', () => lines().length > enough);
  child.kill('SIGKILL');
  await ended;
  return lines();
}

/**
 * Kills clients KILLS times, on two databases at once.
 * @param start a client that inserts into an empty database
 * @param stored the ids of the rows in that database
 */
export async function killClients(
  t: Test,
  start: (side: number) => Promise<{ child: ChildProcess; stored: () => Promise<readonly unknown[]> }>,
): Promise<void> {
  const numbers = Array.from({ length: KILLS }).keys();
  let rows = 0;
  const side = async (index: number): Promise<void> => {
    for (const round of numbers) {
      const { child, stored } = await start(index);
      const ids = await acknowledged(child);
      const kept = new Set((await stored()).map(String));
      const lost = ids.filter((id) => !kept.has(id));
      if (lost.length > 0) t.fail(`round ${round} lost ${lost.length} of ${ids.length}`);
      rows += ids.length;
    }
  };
  await Promise.all([side(0), side(1)]);
  t.ok(rows > KILLS * 100, `${KILLS} rounds, ${rows} acknowledged rows`);
}
