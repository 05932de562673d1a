import type { Program } from '../vm/bytecode/program.js';
import type { CodeShelf } from '../vm/interpreter/tier.js';
import type { VM } from '../vm/vm.js';
import { readArtefact, writeArtefact } from './artefact.js';
import { execute } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { nodeHost } from './host.js';
import { loadCovered, loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import { Simulation } from './simulation.js';

/** Options for running a program inside another Node program. */
export interface RunOptions {
  args?: string[];
  /** Encode and decode the program as an artefact first. */
  artefact?: boolean;
  /** Compile the program so that it counts what runs, as `svcc test --coverage` does. */
  coverage?: boolean;
  /** Safepoints per slice; 0 follows the clock. */
  slice?: number;
  /** Seed for the order of threads; implies a virtual clock. */
  seed?: number;
  /** Use a virtual clock. */
  virtual?: boolean;
  /** Calls before a function is compiled to JavaScript; null: never. About thirty by default. */
  jit?: number | null;
  /** Text that `input()` reads. */
  stdin?: string;
  env?: Record<string, string>;
  /** Compiled programs by path: runs that share the map compile a file once. */
  programs?: Map<string, Program>;
  /** Where generated code is kept. */
  shelf?: CodeShelf;
}

export interface Outcome {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Compiles and runs one program file, and captures its output. */
export async function runFile(path: string, options: RunOptions = {}): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const host = nodeHost({ stdout: (text) => (out.stdout += text), stderr: (text) => (out.stderr += text) });
  const lines = (options.stdin ?? '').split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const simulation =
    options.seed === undefined && options.virtual !== true ? undefined : new Simulation(true, options.seed ?? null);
  const vm = createVm(host, {
    slice: options.slice ?? simulation?.slice,
    simulation,
    jit: options.jit,
    process: { args: options.args ?? [], env: options.env ?? process.env },
    stdin: { readLine: () => Promise.resolve(lines.shift() ?? null) },
  });
  try {
    const exitCode = await execute(vm, await programOf(path, vm, options), { shelf: options.shelf });
    vm.tier?.store();
    const outcome = { exitCode, ...out };
    // The threads that `exit` leaves would keep this process.
    for (const fiber of [...vm.scheduler.live]) vm.scheduler.cancel(fiber);
    return outcome;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { exitCode: error.exitCode, stdout: out.stdout, stderr: `${error.message}\n` };
  }
}

/** Compiles a file unless an earlier run did. */
async function programOf(path: string, vm: VM, { programs, artefact, coverage }: RunOptions): Promise<Program> {
  const natives = nativeNames(vm);
  let warned = false;
  const warn = (text: string): void => {
    warned = true;
    vm.host.stderr(text);
  };
  const load = async (): Promise<Program> =>
    coverage === true ? (await loadCovered(path, natives, warn)).program : loadProgram(path, natives, warn);
  const program = programs?.get(path) ?? (await load());
  // Every run must print the warnings.
  if (!warned) programs?.set(path, program);
  return artefact === true ? readArtefact(path, writeArtefact(program, true), natives) : program;
}
