import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ConnectionSettings, FromConnection, ThreadSettings } from './protocol.js';

/** Limit of a thread's heap, in MiB. It holds a few pieces of rows at a time. */
const HEAP_MB = 256;

/** Whether libsql has opened a connection in this process. */
let hasOpened = false;

/** In the bundle, `import.meta.url` is a path: that of a chunk, in the folder of the program or in one below it. */
function bundled(chunk: string): string {
  const folders = [dirname(chunk), dirname(dirname(chunk))];
  const paths = folders.map((folder) => join(folder, 'sqlite-worker.js'));
  return paths.find((path) => existsSync(path)) ?? paths.join(' or ');
}

/** Loads a source by tsx. Node.js 20 does not pass loaders on to threads. */
function loading(path: string): string {
  const from = JSON.stringify(path);
  return `const load = require('node:module').createRequire(${from}); load('tsx/cjs'); load(${from});`;
}

/** Starts a thread with the program that is beside this file among the sources, or in the bundle. */
export function startThread(settings: ConnectionSettings): Worker {
  const here = import.meta.url;
  const data: ThreadSettings = { ...settings, isFirst: !hasOpened };
  const options: WorkerOptions = {
    workerData: data,
    // Node.js 22 warns that node:sqlite is experimental.
    execArgv: settings.library === 'node:sqlite' ? ['--disable-warning=ExperimentalWarning'] : [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    name: 'sqlite',
  };
  const thread = start(here, options);
  if (settings.library === 'libsql' && !hasOpened)
    thread.once('message', ({ opened }: FromConnection) => (hasOpened ||= opened?.fault === null));
  return thread;
}

function start(here: string, options: WorkerOptions): Worker {
  if (!here.startsWith('file:')) return new Worker(bundled(here), options);
  const source = fileURLToPath(here);
  const path = join(dirname(source), `worker${extname(source)}`);
  return path.endsWith('.ts') ? new Worker(loading(path), { ...options, eval: true }) : new Worker(path, options);
}
