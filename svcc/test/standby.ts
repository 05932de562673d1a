import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Job } from './protocol.js';

/** Index in `stdio` of the pipe on which a process that waits gets its job. */
export const JOBS = 4;

/** Starts `svcc test` with arguments, in a process group of its own, so that commands which tests have started end with it. */
function startProcess(args: string[], ...jobs: 'pipe'[]): ChildProcess {
  const [, script] = process.argv;
  return spawn(process.execPath, [...process.execArgv, script, 'test', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...jobs],
    detached: true,
  });
}

/** Starts a process that runs a job. */
export function startJob(job: Job): ChildProcess {
  return startProcess(['--child', JSON.stringify(job)]);
}

/** Ends a process and those that it has started. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** One process that has loaded what tests need, and waits for its job: a start takes longer than most tests. */
export class Standby {
  private waiting: ChildProcess | null = null;
  private isClosed = false;

  /** Starts a process for tests like those of `file`, unless one waits. */
  prepare(file: string): void {
    if (this.isClosed || this.waiting !== null) return;
    const child = startProcess(['--standby', file], 'pipe');
    // Whoever takes the process detects its end; a job that it does not read is lost with it.
    child.on('error', () => {});
    child.stdio[JOBS]?.on('error', () => {});
    child.on('exit', () => {
      if (this.waiting === child) this.waiting = null;
    });
    this.waiting = child;
  }

  /** The process for a job: the one that waits, else a new one. */
  start(job: Job): ChildProcess {
    const child = this.waiting;
    if (child === null) return startJob(job);
    this.waiting = null;
    (child.stdio[JOBS] as Writable).end(JSON.stringify(job));
    return child;
  }

  close(): void {
    this.isClosed = true;
    if (this.waiting !== null) killGroup(this.waiting);
    this.waiting = null;
  }
}
