import { writeSync } from 'node:fs';
import type { Host } from '../vm/host.js';
import { builtin } from '../natives/builtin.js';
import { reasonOf } from '../natives/reasons.js';
import { mustGoOn } from './internalerror.js';

/** Destinations of a program's output. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Exit code when the reader of the output has gone: that of a process killed by SIGPIPE. */
const PIPE_CLOSED = 141;

const MB = 1024 * 1024;

/** Bytes of the heap's limit that are left free, for what V8 and natives allocate between two looks at the heap. */
const SPARE_BYTES = 16 * MB;

/** The largest size of V8's semi-spaces in MB, by V8's major version. Later ones: the largest, so that no heap overflows. */
const SEMI_SPACE_MB: Partial<Record<number, number>> = { 11: 16, 12: 16, 13: 64, 14: 32 };
const LATER_SEMI_SPACE_MB = 64;

/** Bytes of the heap's limit that V8 reserves for young objects: three semi-spaces of the largest size. */
function youngBytes(): number {
  const options = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
  const given = Number(/--max[-_]semi[-_]space[-_]size[= ](\d+)/.exec(options)?.[1] ?? 0);
  const usual = SEMI_SPACE_MB[parseInt(process.versions.v8)] ?? LATER_SEMI_SPACE_MB;
  return 3 * (given > 0 ? given : usual) * MB;
}

let young: number | null = null;

/** Bytes that values of programs may take, of a heap with this limit. */
function valueBytes(limit: number): number {
  const old = limit - (young ??= youngBytes());
  // `--max-heap-size` makes the young generation smaller as well.
  return Math.max(limit / 4, old - SPARE_BYTES);
}

/**
 * Milliseconds of a monotonic clock. Not `performance.now`: node loads that on first use, which takes longer than most
 * programs.
 */
function now(): number {
  // Not destructured: that takes an iterator, which is slow until V8 optimises it.
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

/** The VM's host for this Node process. */
export function nodeHost(streams: Streams): Host {
  return {
    now,
    wallClock: () => Date.now(),
    heap: () => {
      const { used_heap_size, external_memory, heap_size_limit: limit } = builtin('node:v8').getHeapStatistics();
      // The content of Bytes lies outside of V8's heap.
      return { used: used_heap_size + external_memory, limit: valueBytes(limit) };
    },
    defer: (callback) => void setImmediate(callback),
    setTimer: (ms, callback) => {
      // Node changes delays above 2^31−1 ms to 1 ms.
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

/** Runs V8's garbage collector. Only a context created while the flag is set has `gc`. */
function collect(): void {
  if (collector === null) {
    builtin('node:v8').setFlagsFromString('--expose-gc');
    collector = builtin('node:vm').runInNewContext('gc') as () => void;
    builtin('node:v8').setFlagsFromString('--no-expose-gc');
  }
  collector();
}

/** Writes to the streams of the process. Node creates those on first use, so they are opened lazily. */
export function processStreams(): Streams {
  return { stdout: writer('stdout'), stderr: writer('stderr') };
}

/** Streams that were written to. */
const used = new Set<NodeJS.WriteStream>();
/** Streams that cannot be written to any more. */
const broken = new Set<NodeJS.WriteStream>();
/** Whether output was lost that had a reader. */
let lost = false;

/** Characters that a writer writes without a stream: a pipe takes them at once, even if each takes three bytes. */
const FIRST_CHARACTERS = 1365;
/** Seconds from the start of the process: later, a reader that is not reading must not stop other threads. */
const FIRST_SECONDS = 0.5;

/**
 * Variable of the environment of a thread whose streams another thread reads: their descriptors are those of the process.
 * To ask `node:worker_threads` would take a millisecond of each start.
 */
export const IN_THREAD = 'SVC_IN_THREAD';

/**
 * A writer to a stream of the process. The first output goes to the file descriptor, because opening a stream takes a
 * tenth of the time of a small program.
 */
function writer(name: 'stdout' | 'stderr'): (text: string) => void {
  let stream: NodeJS.WriteStream | null = null;
  let left = FIRST_CHARACTERS;
  return (text) => {
    let rest: string | Uint8Array = text;
    if (stream === null && text.length <= left && writesAtOnce()) {
      left -= text.length;
      rest = unwritten(name === 'stdout' ? 1 : 2, text);
      if (rest.length === 0) return;
    }
    stream ??= opened(name);
    if (!broken.has(stream)) stream.write(rest);
  };
}

/** Whether output may go to the descriptors of the process without waiting for their readers. */
function writesAtOnce(): boolean {
  return process.uptime() < FIRST_SECONDS && process.env[IN_THREAD] === undefined;
}

/** Writes to a file descriptor. Returns what it did not take; a stream then writes that, or reports why it cannot. */
function unwritten(fd: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  try {
    return bytes.subarray(writeSync(fd, bytes));
  } catch {
    return bytes;
  }
}

/** Opens one of the process's streams, with a handler for write errors. */
function opened(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name];
  if (!used.has(stream)) {
    used.add(stream);
    // Node adds listeners for each worker thread, of which a program with many databases has more than Node's limit of 10.
    stream.setMaxListeners(0);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!broken.has(stream)) failed(stream, error);
    });
  }
  return stream;
}

/** Ends the process if its output cannot be written, as other Unix tools do. A server continues without output. */
function failed(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  broken.add(stream);
  const isClosed = error.code === 'EPIPE';
  if (!isClosed) lost = true;
  if (stream === process.stderr) return;
  if (!isClosed) opened('stderr').write(`svcc: cannot write to standard output: ${reasonOf(error)}\n`);
  if (!mustGoOn()) exitWhenWritten(isClosed ? PIPE_CLOSED : 1);
}

/**
 * Ends the process after all output is written. Other threads may still hold timers and sockets. Lost output is an
 * error.
 */
export function exitWhenWritten(code: number): void {
  const open = [...used].filter((stream) => !broken.has(stream));
  let left = open.length + 1;
  const done = (error?: Error | null): void => {
    // The stream reports a write error only after this callback.
    if (error != null) setImmediate(done);
    else if (--left === 0) process.exit(code === 0 && lost ? 1 : code);
  };
  for (const stream of open) stream.write('', done);
  done();
}
