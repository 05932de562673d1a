import { disassemble } from '../vm/bytecode/disassemble.js';
import { createVm, nativeNames } from './execute.js';
import { nodeHost, processStreams } from './host.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';

/** `svcc disasm`: prints the bytecode of a program; the exit code. */
export async function disasm(file: string): Promise<number> {
  const host = nodeHost(processStreams());
  const vm = createVm(host, { process: { args: [], env: {} } });
  try {
    host.stdout(disassemble(await loadProgram(file, nativeNames(vm), host.stderr)));
    return 0;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}
