import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundledSvcc } from '../bundle.js';
import { PATIENCE_MS } from '../patience.js';

export const ROOT = resolve(import.meta.dirname, '../..');
/** The cache of compiled programs that tests share, apart from the user's. */
const CACHE = join(ROOT, '.tap/svc-cache');

/** Output and exit code of a process. */
export interface Outcome {
  stdout: string;
  stderr: string;
  /** Null if a signal ended the process. */
  exitCode: number | null;
}

export interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** Maximum number of open files (`ulimit -n`). */
  files?: number;
  /** The executable of Node. */
  node?: string;
  /** Device that receives the output. The output is not read then. */
  stdoutTo?: string;
  stderrTo?: string;
}

/** A running `svcc`. */
export class Svcc {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  /** Resolves after the process has ended and its output is read. */
  readonly ended: Promise<Outcome>;
  #wake = (): void => {};

  constructor(
    args: string[],
    { cwd = ROOT, env = {}, files, node = process.execPath, stdoutTo, stderrTo }: Options = {},
  ) {
    // Remove NODE_OPTIONS with `env`: tap's options make each Node process start 0.2 s later.
    const { NODE_OPTIONS, ...others } = env;
    const options = NODE_OPTIONS === undefined ? ['-u', 'NODE_OPTIONS'] : [`NODE_OPTIONS=${NODE_OPTIONS}`];
    const limited = files === undefined ? ['env'] : ['sh', '-c', `ulimit -n ${files} && exec env "$@"`, 'sh'];
    const [command, ...before] = limited;
    const stdio = [undefined, stdoutTo, stderrTo].map((path) => (path === undefined ? 'pipe' : openSync(path, 'w')));
    this.child = spawn(command, [...before, ...options, node, bundledSvcc(), ...args], {
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
    // A process may end without reading its input.
    this.child.stdin?.on('error', () => {});
    this.ended = new Promise((done) => {
      this.child.on('close', (exitCode) => {
        this.#wake();
        done({ stdout: this.stdout, stderr: this.stderr, exitCode });
      });
    });
  }

  /** Waits until stdout matches. @throws Error with the output if the process ends first */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`svcc ended with ${this.child.exitCode}: ${this.stdout}${(await this.ended).stderr}`);
      await new Promise<void>((resume) => (this.#wake = resume));
    }
  }

  /** Waits for the web server and returns its port. */
  async port(): Promise<number> {
    return Number((await this.printed(/^Svc web server running on http:\/\/\S+:(\d+)\n.*\n/m))[1]);
  }

  /** Sends a signal and waits until the process ends. */
  stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<Outcome> {
    this.child.kill(signal);
    return this.finished();
  }

  /** Waits until the process ends. Kills one that does not; it has no exit code. */
  async finished(): Promise<Outcome> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
    const outcome = await this.ended;
    clearTimeout(timer);
    return outcome;
  }
}

/** Runs `svcc` until it ends. */
export function svcc(
  args: string[],
  { stdin = '', ...options }: Options & { stdin?: string | Buffer } = {},
): Promise<Outcome> {
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
