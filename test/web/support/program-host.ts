import { execute } from '../../../svcc/execute.js';
import { createVm, nativeNames } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { loadProgram } from '../../../svcc/load.js';
import { LoadError } from '../../../svcc/loaderror.js';
import type { FromHost, ToHost } from './program-process.js';

// Runs programs one after the other in one process, each on its own VM: starting Node takes longer than most programs.
const tell = (message: FromHost): void => void process.send?.(message);

async function run({ file, cwd, args, slice }: ToHost): Promise<number> {
  process.chdir(cwd);
  const host = nodeHost({ stdout: (text) => tell({ stdout: text }), stderr: (text) => tell({ stderr: text }) });
  const vm = createVm(host, { slice, process: { args, env: process.env } });
  try {
    return await execute(vm, await loadProgram(file, nativeNames(vm), host.stderr));
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return 2;
  }
}

process.on('message', (message: ToHost) => void run(message).then((exitCode) => tell({ exitCode })));
