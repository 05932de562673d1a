import { writeSync } from 'node:fs';
import type { Backlog, Host, Output } from '../vm/host.js';
import { builtin } from '../natives/builtin.js';
import { wasToldToEnd } from '../natives/core/ending.js';
import { reasonOf } from '../natives/reasons.js';
import { mustGoOn } from './internalerror.js';

/** Destinations of a program's output. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Absent if nothing waits for a reader. */
  backlog?: Backlog;
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
    backlog: streams.backlog,
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
  const writers = { stdout: new Writer('stdout'), stderr: new Writer('stderr') };
  return {
    stdout: (text) => writers.stdout.write(text),
    stderr: (text) => writers.stderr.write(text),
    backlog: {
      bytes: (output) => writers[output].waiting,
      whenTaken: (output, callback) => writers[output].whenTaken(callback),
    },
  };
}

/** Streams that were written to. */
const used = new Set<NodeJS.WriteStream>();
/** Streams that cannot be written to any more. */
const broken = new Set<NodeJS.WriteStream>();
/** Who waits until all that was written to a stream is taken. */
const untaken = new Map<NodeJS.WriteStream, (() => void)[]>();
/** Whether output was lost that had a reader. */
let lost = false;

/** Bytes of messages that may wait for the reader of standard error. */
const MAX_WAITING_MESSAGES = 64 * MB;

/** Milliseconds that a process told to end waits for a reader that reads nothing. */
const UNREAD_MS = 2000;

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
 * Writes to a stream of the process. The first output goes to the file descriptor, because opening a stream takes a tenth
 * of the time of a small program.
 */
class Writer {
  private stream: NodeJS.WriteStream | null = null;
  private left = FIRST_CHARACTERS;
  /** Texts that were dropped because too much waited for the reader. */
  private dropped = 0;

  constructor(private readonly name: Output) {}

  write(text: string): void {
    let rest: string | Uint8Array = text;
    if (this.stream === null && text.length <= this.left && writesAtOnce()) {
      this.left -= text.length;
      rest = unwritten(this.name === 'stdout' ? 1 : 2, text);
      if (rest.length === 0) return;
    }
    this.stream ??= opened(this.name);
    if (broken.has(this.stream)) return;
    if (this.name === 'stderr' && this.waiting > MAX_WAITING_MESSAGES) this.drop();
    else this.stream.write(rest);
  }

  /** Bytes that the reader has not taken. */
  get waiting(): number {
    const { stream } = this;
    return stream === null || (broken.size > 0 && broken.has(stream)) ? 0 : stream.writableLength;
  }

  /** Calls back once, when nothing waits for the reader any more. */
  whenTaken(callback: () => void): void {
    const { stream } = this;
    if (stream === null || broken.has(stream) || !stream.writableNeedDrain) setImmediate(callback);
    else {
      const waiting = untaken.get(stream) ?? [];
      waiting.push(callback);
      untaken.set(stream, waiting);
    }
  }

  /** Messages of svcc itself cannot wait, as programs do. */
  private drop(): void {
    if (this.dropped++ > 0) return;
    this.whenTaken(() => {
      this.write(`svcc: ${this.dropped} messages were dropped: standard error was read too slowly\n`);
      this.dropped = 0;
    });
  }
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
    stream.on('drain', () => taken(stream));
  }
  return stream;
}

function taken(stream: NodeJS.WriteStream): void {
  const callbacks = untaken.get(stream) ?? [];
  untaken.delete(stream);
  for (const callback of callbacks) callback();
}

/** Ends the process if its output cannot be written, as other Unix tools do. A server continues without output. */
function failed(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  broken.add(stream);
  taken(stream);
  const isClosed = error.code === 'EPIPE';
  if (!isClosed) lost = true;
  // A message that a full disk lost does not end a program.
  if (stream === process.stderr && !isClosed) return;
  if (!isClosed) opened('stderr').write(`svcc: cannot write to standard output: ${reasonOf(error)}\n`);
  if (!mustGoOn()) exitWhenWritten(isClosed ? PIPE_CLOSED : 1);
}

/**
 * Ends the process after all output is written; if a signal told it to end, at most while the reader goes on reading.
 * Lost output is an error.
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
  if (wasToldToEnd()) exitUnlessRead(open);
}

/** Ends the process when `streams` have readers that have read nothing for a while. */
function exitUnlessRead(streams: readonly NodeJS.WriteStream[]): void {
  const unread = (): number => streams.reduce((sum, stream) => sum + stream.writableLength, 0);
  let before = unread();
  setInterval(() => {
    const now = unread();
    if (now === before) process.exit(1);
    before = now;
  }, UNREAD_MS);
}
