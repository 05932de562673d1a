import type { Host } from '../vm/host.js';

/** Where a program's output goes. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** The VM's view of this Node process. */
export function nodeHost(streams: Streams): Host {
  return {
    now: () => performance.now(),
    defer: (callback) => void setImmediate(callback),
    setTimer: (ms, callback) => {
      // Node rounds delays above 2^31−1 ms down to 1.
      const timer = setTimeout(callback, Math.min(ms, 0x7fffffff));
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    stdout: streams.stdout,
    stderr: streams.stderr,
  };
}

/** Writes to the process's own streams; a reader that went away is no error. */
export function processStreams(): Streams {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}
