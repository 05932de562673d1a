/** Processes that use a database and that tests kill: `client.ts`, bundled. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Test } from 'tap';
import { until } from '../../patience.js';
import { rounds } from '../../rounds.js';

/** Times that a process is killed while it writes. */
const KILLS = rounds(20, 200);

/** A user of the system; empty for the one that runs the tests. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts the client with arguments, until the test ends. */
export interface Start {
  (...args: string[]): ChildProcess;
  /** Starts it as a user whom permissions of files bind: `nobody` instead of root. Null if that user cannot read it. */
  readonly bound: ((...args: string[]) => ChildProcess) | null;
}

/** The user of `Start.bound`; null if it cannot read a file. */
function boundUser(path: string): User | null {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'nobody']).stdout.toString()));
  const { status } = spawnSync('test', ['-r', path], { uid, gid });
  return uid > 0 && status === 0 ? { uid, gid } : null;
}

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
  const program = join(folder, 'client.js');
  const startAs =
    (user: User) =>
    (...args: string[]): ChildProcess => {
      const node = [process.execPath, program, ...args];
      // tap's options of Node write to the folder of the tests, where another user may not.
      const command = user.uid === undefined ? node : ['env', '-u', 'NODE_OPTIONS', ...node];
      const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'], ...user });
      t.teardown(() => child.kill('SIGKILL'));
      return child;
    };
  const user = boundUser(program);
  return Object.assign(startAs({}), { bound: user === null ? null : startAs(user) });
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
