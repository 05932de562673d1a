/** Processes started by programs; all are ended together with this process. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail, errorOf } from '../../vm/values/error.js';
import { builtin } from '../builtin.js';
import { exitOnSignals } from '../endbysignal.js';
import { failIo } from './errors.js';

/** Maximum bytes that a command may print on each of its two streams. */
const MAX_OUTPUT = 16 << 20;
/** Whether a process can be started as the leader of a group, so that its own children can be ended with it. */
const GROUPS = process.platform !== 'win32';

export interface Command {
  /** A text for the shell, or a program and its arguments. */
  command: string | readonly string[];
  input: string | Uint8Array;
  env: Readonly<Record<string, string | undefined>>;
}

export interface Finished {
  status: number;
  stdout: Bytes;
  stderr: Bytes;
}

const running = new Set<ChildProcess>();
/** Number of commands that run, or are about to. */
let commands = 0;

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (GROUPS) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has already ended.
  }
}

function killAll(): void {
  for (const child of running) kill(child);
}

/** While children run: lets a signal that ends this process end them. In their own groups they do not receive it. */
let ignoreSignals = (): void => {};

/** Call before a command starts: it may run, and a signal may come, before `spawn` returns. */
function commandBegins(): void {
  if (commands++ > 0) return;
  process.prependListener('exit', killAll);
  ignoreSignals = exitOnSignals();
}

function commandEnds(): void {
  if (--commands > 0) return;
  process.off('exit', killAll);
  ignoreSignals();
}

/** Collects the output of a stream; calls `tooMuch` once it exceeds MAX_OUTPUT. */
function collect(stream: NodeJS.ReadableStream, tooMuch: () => void): () => Bytes {
  const chunks: Buffer[] = [];
  let total = 0;
  stream.on('data', (chunk: Buffer) => {
    total += chunk.length;
    if (total > MAX_OUTPUT) tooMuch();
    else chunks.push(chunk);
  });
  return () => Bytes.of(Buffer.concat(chunks));
}

function start({ command, env }: Command): ChildProcess {
  const { spawn } = builtin('node:child_process');
  const options = { env, detached: GROUPS, windowsHide: true };
  return typeof command === 'string'
    ? spawn(command, { ...options, shell: true })
    : spawn(command[0], command.slice(1), options);
}

/** The exit status as in shells: 128 plus the signal's number when a signal ended the process. */
function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Runs a command until it ends; kills it when `signal` is aborted. @throws FileNotFoundError, IOError, MemoryError */
export async function runCommand(command: Command, signal: AbortSignal): Promise<Finished> {
  const name = typeof command.command === 'string' ? 'a shell' : command.command[0];
  commandBegins();
  try {
    return await finished(start(command), command.input, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      fail(Errors.FileNotFoundError, `cannot run ${name}: no such program`);
    return failIo(`run ${name}`, error);
  } finally {
    commandEnds();
  }
}

function finished(child: ChildProcess, input: string | Uint8Array, signal: AbortSignal): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let isTooMuch = false;
    const tooMuch = (): void => {
      isTooMuch = true;
      kill(child);
    };
    running.add(child);
    child.on('error', (error) => {
      running.delete(child);
      reject(error);
    });
    // With too many open files node creates no pipes; the error event follows.
    if ((child.stdout as ChildProcess['stdout'] | undefined) === undefined) return;
    const stdout = collect(child.stdout!, tooMuch);
    const stderr = collect(child.stderr!, tooMuch);
    signal.addEventListener('abort', () => kill(child), { once: true });
    child.on('close', (code, ended) => {
      running.delete(child);
      if (isTooMuch) reject(errorOf(Errors.MemoryError, `the command printed more than ${MAX_OUTPUT} bytes`));
      else resolve({ status: statusOf(code, ended), stdout: stdout(), stderr: stderr() });
    });
    // Ignore errors: a command need not read its input.
    child.stdin!.on('error', () => {}).end(input);
  });
}
