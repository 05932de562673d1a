import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { copyAsJavaScript, TRANSLATION } from '../javascriptcopy.js';
import { mutated, type Mutation } from './mutation.js';

/** A hanging test, which counts as failed, is stopped after this many seconds and 5 times its duration without a mutation. */
const LIMIT_S = 60;

/** Which test caught a mutation, or null, and the duration of its tests. */
export interface Verdict {
  by: string | null;
  seconds: number;
}

interface Run {
  passes: boolean;
  seconds: number;
}

/** Environment and test file of `file`, `file#text`, `spec:text` and `web:text`. */
function commandsOf(test: string): { file: string; env: Record<string, string> }[] {
  const [, kind, text] = /^(spec|web):(.*)/.exec(test) ?? [];
  if (kind === 'web') return [{ file: 'test/web/exchanges.test.ts', env: { SVC_SPEC: text } }];
  if (kind === 'spec')
    return ['language', 'language-jit'].map((name) => ({ file: `test/spec/${name}.test.ts`, env: { SVC_SPEC: text } }));
  const [file, only = ''] = test.split('#');
  return [{ file, env: { SVC_ONLY: only } }];
}

/** A folder with the sources as JavaScript, in which one mutation at a time is made. */
export class MutantCopy {
  /** Runs without a mutation, by test; they are shared by all copies. */
  static readonly #sound = new Map<string, Promise<Run>>();
  #running: number | null = null;

  constructor(
    private readonly root: string,
    private readonly folder: string,
  ) {}

  fill(): Promise<void> {
    return copyAsJavaScript(this.root, this.folder);
  }

  /** Makes a mutation and runs its tests until one fails. @throws Error if a test fails without the mutation */
  async judge(mutation: Mutation): Promise<Verdict> {
    // The copy, not the working tree, which may change during the run.
    const path = join(this.folder, mutation.file);
    if (!existsSync(path)) throw new Error(`${mutation.name}: there is no ${mutation.file}`);
    const changed = mutated(readFileSync(path, 'utf8'), mutation);
    if (changed === null)
      throw new Error(`${mutation.name}: ${mutation.file} must hold exactly once: ${mutation.from}`);
    const limits = new Map<string, number>();
    for (const test of mutation.tests) limits.set(test, LIMIT_S + 5 * (await this.#soundRun(test)).seconds);
    const target = join(this.folder, mutation.file.replace(/\.ts$/, '.js'));
    const original = readFileSync(target);
    let seconds = 0;
    try {
      writeFileSync(target, (await transform(changed, { ...TRANSLATION, loader: 'ts' })).code);
      for (const [test, limit] of limits) {
        const run = await this.#run(test, limit);
        seconds += run.seconds;
        if (!run.passes) return { by: test, seconds };
      }
      return { by: null, seconds };
    } finally {
      writeFileSync(target, original);
    }
  }

  /** Stops a running test and removes the folder. */
  end(): void {
    this.#killGroup();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A test that fails without a mutation would catch everything. Whole files are run, not each of their parts. */
  async #soundRun(test: string): Promise<Run> {
    const whole = test.replace(/#.*/, '');
    let run = MutantCopy.#sound.get(whole);
    if (run === undefined) {
      run = this.#run(whole, Infinity);
      MutantCopy.#sound.set(whole, run);
    }
    if (!(await run).passes) throw new Error(`${whole} fails without any mutation`);
    return run;
  }

  async #run(test: string, limit: number): Promise<Run> {
    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1000;
    for (const { file, env } of commandsOf(test))
      if (!(await this.#succeeds(file, env, limit))) return { passes: false, seconds: seconds() };
    return { passes: true, seconds: seconds() };
  }

  /** Whether a test file passes. It runs in a process group of its own, which ends with it. */
  #succeeds(file: string, env: Record<string, string>, limit: number): Promise<boolean> {
    return new Promise((done) => {
      const child = spawn(process.execPath, ['--import=tap', file.replace(/\.ts$/, '.js')], {
        cwd: this.folder,
        env: { ...process.env, CI: 'true', TAP_BAIL: '1', TAP_TIMEOUT: '600', ...env },
        stdio: 'ignore',
        detached: true,
      });
      this.#running = child.pid ?? null;
      const timer = limit === Infinity ? undefined : setTimeout(() => this.#killGroup(), limit * 1000);
      child.on('close', (code) => {
        clearTimeout(timer);
        this.#killGroup();
        this.#running = null;
        done(code === 0);
      });
    });
  }

  #killGroup(): void {
    if (this.#running === null) return;
    try {
      process.kill(-this.#running, 'SIGKILL');
    } catch {
      // All processes of the group have ended.
    }
  }
}
