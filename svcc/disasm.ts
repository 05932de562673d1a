import { disassemble } from '../vm/bytecode/disassemble.js';
import type { Program } from '../vm/bytecode/program.js';
import type { Jit } from '../vm/jit/jit.js';
import { listing, takeAsRun } from '../vm/jit/listing.js';
import type { Host } from '../vm/host.js';
import { nodeHost, processStreams } from './host.js';
import { installParts, libraryNames } from './library.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import { createCoreVm } from './execute.js';

export interface DisasmFlags {
  /** Also print the JavaScript that functions are compiled to. */
  jit?: boolean;
}

/**
 * `svcc disasm`: prints the bytecode of a program with its source lines, if their text is available; with `jit` also
 * the JavaScript. @returns the exit code
 */
export async function disasm(file: string, name: string | undefined, { jit = false }: DisasmFlags): Promise<number> {
  const host = nodeHost(processStreams());
  if (name !== undefined && !jit) {
    host.stderr('svcc: name a function only with --jit\n');
    return 2;
  }
  try {
    const program = await loadProgram(file, libraryNames(), host.stderr);
    if (!jit) {
      host.stdout(disassemble(program, true));
      return 0;
    }
    return await showCompiled(host, file, program, name);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}

async function showCompiled(host: Host, file: string, program: Program, name: string | undefined): Promise<number> {
  const vm = createCoreVm(host, { process: { args: [], env: {} } });
  await installParts(vm, program);
  const { functions } = vm.link(program);
  const wanted = functions.filter((fn) => name === undefined || fn.name === name);
  if (wanted.length === 0) {
    host.stderr(
      `svcc: ${file} has no function '${name}'; it has ${[...new Set(functions.map((fn) => fn.name))].join(', ')}\n`,
    );
    return 2;
  }
  for (const fn of wanted) {
    takeAsRun(fn);
    const generated = (vm.tier as Jit).source(fn, -1);
    host.stdout(
      generated === null
        ? `${fn.signature()}\n  is too large to be compiled: it stays in the interpreter\n\n`
        : `${listing(fn, generated)}\n`,
    );
  }
  return 0;
}
