import type { Host } from '../vm/host.js';
import { builtin } from '../natives/builtin.js';

/** Where a program's output goes. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** What V8 counts into the limit for new values alone. */
const YOUNG_BYTES = 64 * 1024 * 1024;

/** Milliseconds of a clock that never goes back. Not that of `performance`: node loads it at the first use, which takes longer than most programs. */
function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** The VM's view of this Node process. */
export function nodeHost(streams: Streams): Host {
  return {
    now,
    wallClock: () => Date.now(),
    heap: () => {
      const { used_heap_size: used, heap_size_limit: limit } = builtin('node:v8').getHeapStatistics();
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
    builtin('node:v8').setFlagsFromString('--expose-gc');
    collector = builtin('node:vm').runInNewContext('gc') as () => void;
    builtin('node:v8').setFlagsFromString('--no-expose-gc');
  }
  collector();
}

/** Writes to the process's own streams, which node makes when they are first used; a reader that went away is no error. */
export function processStreams(): Streams {
  return { stdout: writer('stdout'), stderr: writer('stderr') };
}

/** Of the process's streams those that were written to. */
const used = new Set<NodeJS.WriteStream>();

function writer(name: 'stdout' | 'stderr'): (text: string) => void {
  let stream: NodeJS.WriteStream | null = null;
  return (text) => {
    if (stream === null) used.add((stream = process[name].on('error', () => {})));
    stream.write(text);
  };
}

/** Ends the process once what was written has left it: other threads may still hold timers and sockets. */
export function exitWhenWritten(code: number): void {
  let left = used.size + 1;
  const done = (): void => {
    if (--left === 0) process.exit(code);
  };
  for (const stream of used) stream.write('', done);
  done();
}
