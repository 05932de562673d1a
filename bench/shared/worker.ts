import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What a worker answers: milliseconds for one run, and what else it has to say. */
export interface Measurement {
  ms: number;
  result: string;
}

/** A process that measures when asked: one line of JSON in, one out. Each contestant has its own, so that none disturbs another's optimisations. */
export class Worker {
  private readonly child: ChildProcess;
  private readonly answers: AsyncIterator<string>;

  constructor(
    private readonly command: string,
    private readonly args: readonly string[],
  ) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    // A worker that died shows in the missing answer.
    (this.child.stdin as Writable).on('error', () => {});
    this.answers = createInterface({ input: this.child.stdout as Readable })[Symbol.asyncIterator]();
  }

  async ask(request: object): Promise<Measurement> {
    (this.child.stdin as Writable).write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.answers.next();
    if (done === true) throw new Error(`no answer from ${this.command} ${this.args.join(' ')}`);
    return JSON.parse(value) as Measurement;
  }

  close(): void {
    (this.child.stdin as Writable).end();
  }
}

/** The version that a command tells of itself: what the group of the pattern finds; null if it is not installed or nothing is found. */
export function versionOf(command: string, args: readonly string[], pattern: RegExp): string | null {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  // Lua 5.1 tells it on standard error.
  return status === 0 ? (pattern.exec(stdout + stderr)?.[1] ?? null) : null;
}

/** The version of CPython that is installed, or null. */
export function pythonVersion(): string | null {
  return versionOf('python3', ['--version'], /Python (\S+)/);
}
