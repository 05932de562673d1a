/** Runs threads.svc with the requested number of threads. Argument: the repository. */
import { join, resolve } from 'node:path';
import { execute } from '../../svcc/execute.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost, processStreams } from '../../svcc/host.js';
import { loadProgram } from '../../svcc/load.js';
import { serve } from '../shared/serve.js';

const PROGRAM = join(resolve(process.argv[2] ?? '.'), 'bench/scale/threads.svc');

await serve<{ count: number }>(async ({ count }) => {
  const vm = createVm(nodeHost(processStreams()), { process: { args: [String(count)], env: {} } });
  vm.scheduler.maxFibers = 1_000_000;
  const program = await loadProgram(PROGRAM, nativeNames(vm), () => {});
  const start = performance.now();
  await execute(vm, program);
  return { ms: performance.now() - start, result: '' };
});
