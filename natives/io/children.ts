/** Processes that programs start: all are ended with the process that started them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Errors, fail, errorOf } from '../../vm/values/error.js';
import { failIo } from './errors.js';

/** Bytes that a command may print on each of its two streams. */
const MAX_OUTPUT = 16 << 20;
/** Where a process can be started as the head of a group, so that what it starts in turn can be ended with it. */
const GROUPS = process.platform !== 'win32';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Command {
  /** For the shell, or a program and its arguments. */
  command: string | readonly string[];
  input: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface Finished {
  status: number;
  stdout: string;
  stderr: string;
}

const running = new Set<ChildProcess>();

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (GROUPS) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended already.
  }
}

function killAll(): void {
  for (const child of running) kill(child);
}

/** Being in groups of their own, children do not get the signals of the terminal: they are ended where the signal ends this process. */
function signalled(signal: NodeJS.Signals): void {
  // Another listener, such as a server's, lets what is in flight come to its end.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  process.off(signal, signalled);
  process.kill(process.pid, signal);
}

function track(child: ChildProcess): void {
  if (running.size === 0) {
    process.on('exit', killAll);
    for (const signal of SIGNALS) process.on(signal, signalled);
  }
  running.add(child);
}

function untrack(child: ChildProcess): void {
  if (!running.delete(child) || running.size > 0) return;
  process.off('exit', killAll);
  for (const signal of SIGNALS) process.off(signal, signalled);
}

/** What a stream prints; `tooMuch` is called once it is more than programs may get. */
function collect(stream: NodeJS.ReadableStream, tooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let total = 0;
  stream.on('data', (chunk: Buffer) => {
    total += chunk.length;
    if (total > MAX_OUTPUT) tooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function start({ command, env }: Command): ChildProcess {
  const options = { env, detached: GROUPS, windowsHide: true };
  return typeof command === 'string'
    ? spawn(command, { ...options, shell: true })
    : spawn(command[0], command.slice(1), options);
}

/** The exit status as shells give it: 128 and the signal's number when a signal ended the process. */
function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Runs a command to its end; it is killed when `signal` is aborted. @throws FileNotFoundError, IOError, MemoryError */
export async function runCommand(command: Command, signal: AbortSignal): Promise<Finished> {
  const name = typeof command.command === 'string' ? 'a shell' : command.command[0];
  try {
    return await finished(start(command), command.input, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      fail(Errors.FileNotFoundError, `cannot run ${name}: no such program`);
    return failIo(`run ${name}`, error);
  }
}

function finished(child: ChildProcess, input: string, signal: AbortSignal): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let isTooMuch = false;
    const tooMuch = (): void => {
      isTooMuch = true;
      kill(child);
    };
    child.on('error', (error) => {
      untrack(child);
      reject(error);
    });
    // With too many open files node makes no pipes; the error follows.
    if ((child.stdout as ChildProcess['stdout'] | undefined) === undefined) return;
    const stdout = collect(child.stdout!, tooMuch);
    const stderr = collect(child.stderr!, tooMuch);
    track(child);
    signal.addEventListener('abort', () => kill(child), { once: true });
    child.on('close', (code, ended) => {
      untrack(child);
      if (isTooMuch) reject(errorOf(Errors.MemoryError, `the command prints more than ${MAX_OUTPUT} bytes`));
      else resolve({ status: statusOf(code, ended), stdout: stdout(), stderr: stderr() });
    });
    // A command need not read what it is given.
    child.stdin!.on('error', () => {}).end(input);
  });
}
