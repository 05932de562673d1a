import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A worker's response: milliseconds per run, and further results. */
export interface Measurement {
  ms: number;
  result: string;
}

/**
 * A process that measures on request: one line of JSON in, one out. Each contestant has its own, so that none affects
 * another's optimisations.
 */
export class Worker {
  private readonly child: ChildProcess;
  private readonly answers: AsyncIterator<string>;

  constructor(
    private readonly command: string,
    private readonly args: readonly string[],
  ) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    // A worker that died is detected by its missing response.
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

/**
 * Version that a command prints, by the group of the pattern; null if it is not installed or the pattern does not
 * match.
 */
export function versionOf(command: string, args: readonly string[], pattern: RegExp): string | null {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  // Lua 5.1 prints it to standard error.
  return status === 0 ? (pattern.exec(stdout + stderr)?.[1] ?? null) : null;
}

/** The version of CPython that is installed, or null. */
export function pythonVersion(): string | null {
  return versionOf('python3', ['--version'], /Python (\S+)/);
}
