import type { Host } from '../vm/host.js';
import { builtin } from '../natives/builtin.js';
import { reasonOf } from '../natives/reasons.js';
import { mustGoOn } from './internalerror.js';

/** Where a program's output goes. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Exit code after the reader of the output has gone: that of a process that SIGPIPE ends. */
const PIPE_CLOSED = 141;

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

/** Writes to the process's own streams, which node makes when they are first used. */
export function processStreams(): Streams {
  return { stdout: writer('stdout'), stderr: writer('stderr') };
}

/** Those of the process's streams that were written to. */
const used = new Set<NodeJS.WriteStream>();
/** Those that cannot be written to. */
const broken = new Set<NodeJS.WriteStream>();
/** Whether output was lost that somebody would have read. */
let lost = false;

function writer(name: 'stdout' | 'stderr'): (text: string) => void {
  let stream: NodeJS.WriteStream | null = null;
  return (text) => {
    stream ??= opened(name);
    if (!broken.has(stream)) stream.write(text);
  };
}

/** One of the process's streams, with what happens when it cannot be written to. */
function opened(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name];
  if (!used.has(stream)) {
    used.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!broken.has(stream)) failed(stream, error);
    });
  }
  return stream;
}

/** Ends the process when its output cannot be written, as other Unix tools do; a server goes on without. */
function failed(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  broken.add(stream);
  const isClosed = error.code === 'EPIPE';
  if (!isClosed) lost = true;
  if (stream === process.stderr) return;
  if (!isClosed) opened('stderr').write(`svcc: cannot write to standard output: ${reasonOf(error)}\n`);
  if (!mustGoOn()) exitWhenWritten(isClosed ? PIPE_CLOSED : 1);
}

/** Ends the process once what was written has left it: other threads may still hold timers and sockets. Lost output is an error of its own. */
export function exitWhenWritten(code: number): void {
  const open = [...used].filter((stream) => !broken.has(stream));
  let left = open.length + 1;
  const done = (error?: Error | null): void => {
    // The stream tells of an error only after this.
    if (error != null) setImmediate(done);
    else if (--left === 0) process.exit(code === 0 && lost ? 1 : code);
  };
  for (const stream of open) stream.write('', done);
  done();
}
