import { disassemble } from '../vm/bytecode/disassemble.js';
import { nodeHost, processStreams } from './host.js';
import { libraryNames } from './library.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';

/** `svcc disasm`: prints the bytecode of a program, among its source lines where their text is at hand; the exit code. */
export async function disasm(file: string): Promise<number> {
  const host = nodeHost(processStreams());
  try {
    host.stdout(disassemble(await loadProgram(file, libraryNames(), host.stderr), true));
    return 0;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}
