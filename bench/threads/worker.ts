import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { execute } from '../../svcc/execute.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost, processStreams } from '../../svcc/host.js';
import { loadProgram } from '../../svcc/load.js';
import { native } from '../../vm/calls/native.js';
import { serve } from '../shared/serve.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const PROGRAM = join(resolve(process.argv[2] ?? '.'), 'bench/threads/threads.svc');

/** The program to run, `sleepers` or `pingpong`, and its arguments. */
interface Order {
  args: string[];
}

await serve<Order>(async ({ args }) => {
  const vm = createVm(nodeHost(processStreams()), { process: { args, env: {} } });
  vm.scheduler.maxFibers = 1_000_000;
  let bytes = 0;
  let readyAt = 0;
  gc();
  const before = process.memoryUsage().heapUsed;
  vm.define([
    native('ready', '', 'Nil', 'All threads have been started.', () => {
      // After the next turns of the event loop, all threads have reached their wait.
      setTimeout(() => {
        gc();
        bytes = process.memoryUsage().heapUsed - before;
        readyAt = performance.now();
      }, 500);
      return null;
    }),
  ]);
  const start = performance.now();
  await execute(vm, await loadProgram(PROGRAM, nativeNames(vm), () => {}));
  return { ms: performance.now() - start, result: JSON.stringify({ bytes, afterReady: performance.now() - readyAt }) };
});
