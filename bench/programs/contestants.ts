import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { versionOf } from '../shared/worker.js';

const SVCC = resolve(import.meta.dirname, '../../dist/svcc.js');

export interface Contestant {
  readonly name: string;
  /** Name and version. */
  readonly label: string;
  readonly extension: string;
  readonly command: string;
  /** Arguments before the path of the program. */
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** Arguments of the smallest program. */
  readonly start: readonly string[];
}

/** Svc without its cache of compiled programs, and with it. `folder` takes the cache and the smallest program. */
export function own(folder: string): Contestant[] {
  const cache = join(folder, 'cache');
  mkdirSync(cache, { recursive: true });
  const common = { extension: '.svc', command: process.execPath, env: { SVC_CACHE_DIR: cache } };
  const cold = [SVCC, 'run', '--no-cache'];
  const second = [SVCC, 'run'];
  const empty = join(folder, 'empty.svc');
  return [
    { name: 'cold', label: 'Svc cold', ...common, args: cold, start: [...cold, empty] },
    { name: 'second', label: 'Svc second', ...common, args: second, start: [...second, empty] },
  ];
}

interface Peer {
  readonly name: string;
  readonly title: string;
  readonly extension: string;
  readonly command: string | null;
  readonly version: string | null;
  readonly args: readonly string[];
  readonly start: readonly string[];
}

/** The interpreter itself: `python3` may be a script that looks for it, which takes longer than to start it. */
function pythonCommand(): string | null {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

function allPeers(): Peer[] {
  const python = pythonCommand();
  // prettier-ignore
  return [
    { name: 'ruby', title: 'Ruby', extension: '.rb', command: 'ruby', version: versionOf('ruby', ['-v'], /ruby (\d[\d.]*)/), args: [], start: ['-e', '0'] },
    { name: 'node', title: 'node', extension: '.mjs', command: process.execPath, version: process.versions.node, args: [], start: ['-e', '0'] },
    { name: 'python', title: 'Python', extension: '.py', command: python, version: python && versionOf(python, ['--version'], /Python (\S+)/), args: [], start: ['-c', 'pass'] },
  ];
}

/** The languages with these names that are installed, and the names of those that are not. */
export function peers(wanted: readonly string[] | null): {
  installed: Contestant[];
  missing: string[];
  unknown: string[];
} {
  const installed: Contestant[] = [];
  const missing: string[] = [];
  const all = allPeers();
  for (const { title, version, command, ...peer } of all) {
    if (wanted !== null && !wanted.includes(peer.name)) continue;
    if (version === null || command === null) missing.push(title);
    else installed.push({ ...peer, command, label: `${title} ${version}`, env: {} });
  }
  const unknown = (wanted ?? []).filter((name) => !all.some((peer) => peer.name === name));
  return { installed, missing, unknown };
}
