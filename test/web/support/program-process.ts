import { type ChildProcess, fork } from 'node:child_process';
import { PATIENCE_MS } from '../../patience.js';
import type { Outcome } from '../../svcc/svcc.js';

/** A program to run. */
export interface ToHost {
  file: string;
  cwd: string;
  args: string[];
  slice: number;
}

/** What a program prints, and how it ended. */
export type FromHost = { stdout: string } | { stderr: string } | { exitCode: number };

/** A process that runs programs, one after the other; a program that takes its process with it gets the next one a new process. */
export class ProgramProcess {
  #child: ChildProcess | null = null;
  #outcome: Outcome = { stdout: '', stderr: '', exitCode: null };
  #ended = true;
  #wake = (): void => {};

  /** Starts a program; the last one must have ended. */
  start(program: ToHost): void {
    this.#outcome = { stdout: '', stderr: '', exitCode: null };
    this.#ended = false;
    this.#child ??= this.#fork();
    this.#child.send(program);
  }

  /** The port of the program's web server, once that runs. @throws Error with the output if the program ends before */
  async port(): Promise<number> {
    for (;;) {
      const match = /^Svc web server running on http:\/\/\S+:(\d+)\n.*\n/m.exec(this.#outcome.stdout);
      if (match !== null) return Number(match[1]);
      if (this.#ended)
        throw new Error(
          `the program ended with ${this.#outcome.exitCode}: ${this.#outcome.stdout}${this.#outcome.stderr}`,
        );
      await new Promise<void>((resume) => (this.#wake = resume));
    }
  }

  /** Sends SIGTERM and waits for the program's end; the process of one that does not end is killed. */
  async stop(): Promise<Outcome> {
    if (!this.#ended) this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.end(), PATIENCE_MS);
    await this.#over();
    clearTimeout(timer);
    return this.#outcome;
  }

  /** Ends the process of a program that still runs. */
  async kill(): Promise<void> {
    this.end();
    await this.#over();
  }

  async #over(): Promise<void> {
    while (!this.#ended) await new Promise<void>((resume) => (this.#wake = resume));
  }

  /** Ends the process, and with it a program that still runs. */
  end(): void {
    this.#child?.kill('SIGKILL');
  }

  get isRunning(): boolean {
    return !this.#ended;
  }

  #fork(): ChildProcess {
    const { PATH, HOME } = process.env;
    const child = fork(new URL('./program-host.ts', import.meta.url), {
      execArgv: ['--import=tsx'],
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // Programs print by messages: what comes here is Node's own, such as a warning of too many listeners.
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#outcome.stderr += text));
    child.on('message', (message: FromHost) => {
      if ('stdout' in message) this.#outcome.stdout += message.stdout;
      else if ('stderr' in message) this.#outcome.stderr += message.stderr;
      else {
        this.#outcome.exitCode = message.exitCode;
        this.#ended = true;
      }
      this.#wake();
    });
    child.on('close', () => {
      if (this.#child === child) this.#child = null;
      this.#ended = true;
      this.#wake();
    });
    return child;
  }
}
