import { close, open, write } from 'node:fs';
import { promisify } from 'node:util';
import { ENDINGS, onReopen } from '../core/ending.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Backlog, Host, Output } from '../../vm/host.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { OutputHandle } from '../core/output.js';
import { failIo } from '../io/errors.js';
import { reasonOf } from '../reasons.js';

/** Where lines of a log go. */
export interface Sink {
  /** Takes whole lines; never waits. */
  write(lines: string): void;
  /** Resolves when everything that was taken has been written, or has failed. */
  flush(): Promise<void>;
}

/** Maximum characters that wait for a file, or bytes for a reader; further lines are dropped and counted. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Maximum characters of one write: converting them to bytes takes less than a millisecond. */
const MAX_WRITE = 256 * 1024;
/** Milliseconds between two attempts to write to a file that cannot be written. */
const RETRY_MS = 1000;

const openFile = promisify(open);

/** Appends lines to a file in the background. */
class FileSink implements Sink {
  private lines: string[] = [];
  /** Characters in `lines`. */
  private waiting = 0;
  /** Bytes being written. */
  private current: Buffer | null = null;
  /** Number of texts that were taken, and of those that have been written. */
  private taken = 0;
  private written = 0;
  /** Texts of `current`. */
  private batch = 0;
  private flushes: { upTo: number; resolve: () => void }[] = [];
  private dropped = 0;
  private failing = false;
  private retry: NodeJS.Timeout | null = null;

  private constructor(
    readonly path: string,
    private fd: number,
    private readonly warn: (text: string) => void,
  ) {}

  /** Opens a file for appending. Rejects with the system's error. @param warn shows problems of later writes */
  static async open(path: string, warn: (text: string) => void): Promise<FileSink> {
    return new FileSink(path, await openFile(path, 'a'), warn);
  }

  write(lines: string): void {
    if (this.waiting + lines.length > MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.lines.push(lines);
    this.taken++;
    this.waiting += lines.length;
    if (this.current === null) this.next();
  }

  flush(): Promise<void> {
    if (this.written === this.taken || this.failing) return Promise.resolve();
    return new Promise((resolve) => this.flushes.push({ upTo: this.taken, resolve }));
  }

  /** Takes the next lines, at most MAX_WRITE characters unless a text is longer. */
  private take(): Buffer {
    let text = '';
    let count = 0;
    while (count < this.lines.length && (count === 0 || text.length + this.lines[count].length <= MAX_WRITE))
      text += this.lines[count++];
    this.lines = this.lines.slice(count);
    this.batch = count;
    this.waiting -= text.length;
    if (this.lines.length === 0 && this.dropped > 0) {
      text += droppedLine(this.dropped);
      this.dropped = 0;
    }
    return Buffer.from(text);
  }

  private next(): void {
    if (this.lines.length === 0) return;
    this.current = this.take();
    this.append(this.fd);
  }

  private append(fd: number): void {
    const buffer = this.current as Buffer;
    write(fd, buffer, 0, buffer.length, null, (error, written) => {
      if (error !== null) {
        this.failed(error);
        return;
      }
      this.failing = false;
      this.current = written < buffer.length ? buffer.subarray(written) : null;
      if (this.current !== null) {
        this.append(fd);
        return;
      }
      // The file was reopened during this write.
      if (fd !== this.fd) close(fd);
      this.written += this.batch;
      this.settle();
      this.next();
    });
  }

  /** Keeps what could not be written for the next attempt. */
  private failed(error: NodeJS.ErrnoException): void {
    if (!this.failing)
      this.warn(`warning: the log ${this.path} cannot be written: ${reasonOf(error)}; trying again every second\n`);
    this.failing = true;
    this.settle();
    this.retry = setTimeout(() => {
      this.retry = null;
      this.append(this.fd);
    }, RETRY_MS).unref();
  }

  private settle(): void {
    const isDone = ({ upTo }: { upTo: number }): boolean => this.failing || upTo <= this.written;
    for (const { resolve } of this.flushes.filter(isDone)) resolve();
    this.flushes = this.flushes.filter((flush) => !isDone(flush));
  }

  /** Continues in a new file of the same path; keeps the old one if that fails. */
  async reopen(): Promise<void> {
    try {
      const fd = await openFile(this.path, 'a');
      const old = this.fd;
      this.fd = fd;
      if (this.current === null || this.retry !== null) close(old);
    } catch (error) {
      this.warn(`warning: the log ${this.path} cannot be opened again: ${reasonOf(error)}; the old file is kept\n`);
    }
  }
}

function droppedLine(count: number): string {
  const message = 'lines of the log were dropped: they were written or read too slowly';
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', message, count })}\n`;
}

/** Files of this process, by path. */
const files = new Map<string, Promise<FileSink>>();

/** The sink of a file; one for all logs of the process. Rejects with the system's error if it cannot be opened. */
function fileSink(path: string, warn: (text: string) => void): Promise<FileSink> {
  let sink = files.get(path);
  if (sink === undefined) {
    sink = FileSink.open(path, warn);
    files.set(path, sink);
    sink.then(
      (file) => onReopen(() => void file.reopen()),
      () => files.delete(path),
    );
  }
  return sink;
}

/** Lines for standard output or standard error. They are lost, and counted, while too many wait for its reader. */
export class OutputSink implements Sink {
  private dropped = 0;

  constructor(
    private readonly host: Host,
    private readonly output: Output,
  ) {}

  write(lines: string): void {
    const { host, output } = this;
    if (host.backlog !== undefined && host.backlog.bytes(output) > MAX_WAITING) this.drop(host.backlog);
    else host[output](lines);
  }

  private drop(backlog: Backlog): void {
    if (this.dropped++ > 0) return;
    backlog.whenTaken(this.output, () => {
      this.host[this.output](droppedLine(this.dropped));
      this.dropped = 0;
    });
  }

  /** The process ends only when all is written. */
  flush(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * The sink of a file, or of a stream; null: standard output. The promise rejects with FileNotFoundError or IOError.
 * @throws ValueError if it is not the path of a file
 */
export function openSink(vm: NativeContext, target: string | OutputHandle | null): Sink | Promise<Sink> {
  if (target === null) return new OutputSink(vm.host, 'stdout');
  if (target instanceof OutputHandle) return new OutputSink(vm.host, target.name);
  if (target === '' || target.includes('\0'))
    fail(Errors.ValueError, `not the path of a log: ${JSON.stringify(target)}`);
  return fileSink(target, (text) => vm.host.stderr(text)).then(
    (sink) => {
      ENDINGS.of(vm).add(() => sink.flush());
      return sink;
    },
    (error: unknown) => failIo(`write the log ${target}`, error),
  );
}
