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

  constructor(private readonly command: string, private readonly args: readonly string[]) {
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

/** The version of CPython that is installed, or null. */
export function pythonVersion(): string | null {
  const { status, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
