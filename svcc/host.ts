import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Host } from '../vm/host.js';
import { boundSearches } from './searches.js';

/** Where a program's output goes. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** What V8 counts into the limit for new values alone. */
const YOUNG_BYTES = 64 * 1024 * 1024;

/** The VM's view of this Node process. */
export function nodeHost(streams: Streams): Host {
  boundSearches();
  return {
    now: () => performance.now(),
    wallClock: () => Date.now(),
    heap: () => {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return { used, limit: Math.max(limit / 2, limit - YOUNG_BYTES) };
    },
    defer: (callback) => void setImmediate(callback),
    setTimer: (ms, callback) => {
      // Node rounds delays above 2^31−1 ms down to 1.
      const timer = setTimeout(callback, Math.min(ms, 0x7fffffff));
      return () => clearTimeout(timer);
    },
    collect,
    random: () => Math.random(),
    stdout: streams.stdout,
    stderr: streams.stderr,
  };
}

let collector: (() => void) | null = null;

/** V8's collector, which a context gets that is made while the flag is set. */
function collect(): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collector();
}

/** Writes to the process's own streams; a reader that went away is no error. */
export function processStreams(): Streams {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}
