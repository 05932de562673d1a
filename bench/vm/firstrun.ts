/** First runs of programs in processes as users start them, not in those that wait for work. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withoutCertificates } from '../shared/environment.js';

const SVCC = resolve(import.meta.dirname, '../../dist/svcc.js');
const env = withoutCertificates();

/** Runs of `svcc` that fill the cache before one is measured. */
const CACHING = 2;

/** Runs node; returns the number of milliseconds that it prints. */
function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): number {
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...env, ...more }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`);
  return Number(stderr);
}

/** Milliseconds of the first call of `run` in `programs/NAME.mjs`, in each of several processes. */
export function firstRunsOfJavaScript(name: string, processes: number): number[] {
  const module = pathToFileURL(join(import.meta.dirname, 'programs', `${name}.mjs`)).href;
  const text = `const { run } = await import('${module}'); const started = performance.now(); await run(); console.error(performance.now() - started);`;
  return Array.from({ length: processes }, () => run(['--input-type=module', '-e', text]));
}

/**
 * Milliseconds, with a resolution of one, from the first statement of `programs/NAME.svc` to its last, in each of
 * several processes that find the program and its generated code in the cache.
 */
export function firstRuns(name: string, processes: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-first-'));
  try {
    const path = join(folder, `${name}.svc`);
    const source = readFileSync(join(import.meta.dirname, 'programs', `${name}.svc`), 'utf8');
    writeFileSync(path, `_started = clock_ms()\n${source}\nwarn "#{clock_ms() - _started}"\n`);
    const times = Array.from({ length: CACHING + processes }, () =>
      run([SVCC, 'run', path], { SVC_CACHE_DIR: join(folder, 'cache') }),
    );
    return times.slice(CACHING);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
