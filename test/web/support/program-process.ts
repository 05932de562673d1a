import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { PATIENCE_MS } from '../../patience.js';
import type { Outcome } from '../../svcc/svcc.js';

/** `npm run mutate` runs the tests as JavaScript. */
const EXTENSION = extname(import.meta.url);

/** A program to run. */
export interface ToHost {
  file: string;
  cwd: string;
  args: string[];
  slice: number;
}

/** What a program prints, and how it ended. */
export type FromHost = { stdout: string } | { stderr: string } | { exitCode: number };

/** A process that runs programs one after the other. If a program ends it, the next program starts a new process. */
export class ProgramProcess {
  #child: ChildProcess | null = null;
  #outcome: Outcome = { stdout: '', stderr: '', exitCode: null };
  #ended = true;
  #wake = (): void => {};

  /** Starts a program; the previous one must have ended. */
  start(program: ToHost): void {
    this.#outcome = { stdout: '', stderr: '', exitCode: null };
    this.#ended = false;
    this.#child ??= this.#fork();
    this.#child.send(program);
  }

  /** Waits for the program's web server; returns its port. @throws Error with the output if the program ends first */
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

  /** Sends SIGTERM and waits for the end of the program; kills the process if it does not end. */
  async stop(): Promise<Outcome> {
    if (!this.#ended) this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.end(), PATIENCE_MS);
    await this.#over();
    clearTimeout(timer);
    return this.#outcome;
  }

  /** Kills the process of a running program and waits for its end. */
  async kill(): Promise<void> {
    this.end();
    await this.#over();
  }

  async #over(): Promise<void> {
    while (!this.#ended) await new Promise<void>((resume) => (this.#wake = resume));
  }

  /** Kills the process and the program in it. */
  end(): void {
    this.#child?.kill('SIGKILL');
  }

  get isRunning(): boolean {
    return !this.#ended;
  }

  #fork(): ChildProcess {
    const { PATH, HOME } = process.env;
    const child = fork(new URL(`./program-host${EXTENSION}`, import.meta.url), {
      execArgv: EXTENSION === '.ts' ? ['--import=tsx'] : [],
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // Output of programs arrives in messages. These streams carry Node's own output, such as warnings.
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
