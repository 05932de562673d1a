import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundledSvcc } from '../bundle.js';
import { PATIENCE_MS } from '../patience.js';

export const ROOT = resolve(import.meta.dirname, '../..');
/** Tests share a cache of their own. */
const CACHE = join(ROOT, '.tap/svc-cache');

/** What a process has written, and how it ended. */
export interface Outcome {
  stdout: string;
  stderr: string;
  /** Null: it had to be killed, by a signal or by us. */
  exitCode: number | null;
}

export interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** Open files that the process may have (`ulimit -n`). */
  files?: number;
  /** A device that the output goes to; it is not read then. */
  stdoutTo?: string;
  stderrTo?: string;
}

/** A running `svcc`. */
export class Svcc {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<Outcome>;
  #wake = (): void => {};

  constructor(args: string[], { cwd = ROOT, env = {}, files, stdoutTo, stderrTo }: Options = {}) {
    // Through `env`: tap gives all processes of Node options that make each take 0.2 s longer to start.
    const { NODE_OPTIONS, ...others } = env;
    const options = NODE_OPTIONS === undefined ? ['-u', 'NODE_OPTIONS'] : [`NODE_OPTIONS=${NODE_OPTIONS}`];
    const limited = files === undefined ? ['env'] : ['sh', '-c', `ulimit -n ${files} && exec env "$@"`, 'sh'];
    const [command, ...before] = limited;
    const stdio = [undefined, stdoutTo, stderrTo].map((path) => (path === undefined ? 'pipe' : openSync(path, 'w')));
    this.child = spawn(command, [...before, ...options, process.execPath, bundledSvcc(), ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, SVC_CACHE_DIR: CACHE, ...others },
      stdio,
    });
    for (const fd of stdio) if (typeof fd === 'number') closeSync(fd);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    // One that ends without reading its input is no error of ours.
    this.child.stdin?.on('error', () => {});
    this.ended = new Promise((done) => {
      this.child.on('close', (exitCode) => {
        this.#wake();
        done({ stdout: this.stdout, stderr: this.stderr, exitCode });
      });
    });
  }

  /** Waits until stdout matches. @throws Error with the output if the process ends before */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`svcc ended with ${this.child.exitCode}: ${this.stdout}${(await this.ended).stderr}`);
      await new Promise<void>((resume) => (this.#wake = resume));
    }
  }

  /** The port of its web server, once that runs. */
  async port(): Promise<number> {
    return Number((await this.printed(/^Svc web server running on http:\/\/\S+:(\d+)\n.*\n/m))[1]);
  }

  /** Sends a signal and waits for the end. */
  stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<Outcome> {
    this.child.kill(signal);
    return this.finished();
  }

  /** Waits for the end; a process that does not end is killed, and has no exit code. */
  async finished(): Promise<Outcome> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
    const outcome = await this.ended;
    clearTimeout(timer);
    return outcome;
  }
}

/** Runs `svcc` to its end. */
export function svcc(args: string[], { stdin = '', ...options }: Options & { stdin?: string } = {}): Promise<Outcome> {
  const running = new Svcc(args, options);
  running.child.stdin?.end(stdin);
  return running.finished();
}

/** Runs a task for each item, two at a time; the results in the order of the items. */
export async function inPairs<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const rest = [...items.entries()];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) results[next[0]] = await task(next[1]);
  };
  await Promise.all([work(), work()]);
  return results;
}
