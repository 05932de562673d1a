import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost } from '../../svcc/host.js';
import { loadProgram } from '../../svcc/load.js';
import { jitOf } from '../../svcc/execute.js';
import { describeError } from '../../svcc/report.js';

/** Compiles and links a program once. Each call runs it from the start and returns its output. */
export async function svcProgram(path: string, env: Record<string, string> = {}): Promise<() => Promise<string>> {
  let printed = '';
  const host = nodeHost({ stdout: (text) => (printed += text), stderr: (text) => process.stderr.write(text) });
  const vm = createVm(host, { jit: jitOf(process.env) as number | null, process: { args: [], env } });
  const program = vm.link(await loadProgram(path, nativeNames(vm), host.stderr));
  const main = vm.closureOf(program.entry);
  return () =>
    new Promise((resolve, reject) => {
      printed = '';
      vm.spawn('main', main, []).onEnd((outcome) => {
        if (outcome.ok) resolve(printed.trimEnd());
        else reject(new Error(describeError(outcome.error, () => null)));
      });
    });
}
