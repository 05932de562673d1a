/** Virtual machines whose threads run when a benchmark asks for it, without a turn of the event loop. */
import { compile } from '../../compiler/index.js';
import type { ExecuteOptions } from '../../svcc/execute.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost } from '../../svcc/host.js';
import type { LinkedProgram } from '../../vm/calls/link.js';
import type { Fiber } from '../../vm/fibers/fiber.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';

/** A VM with the whole library, and what runs its threads until all have ended or wait. */
export interface Machine {
  vm: VM;
  settle(): void;
}

/** A machine on the real clock whose output is dropped. `jit` as in `VmOptions`. */
export function machine(options: Omit<ExecuteOptions, 'process'> = {}): Machine {
  const due: (() => void)[] = [];
  const host = {
    ...nodeHost({ stdout: () => {}, stderr: () => {} }),
    defer: (callback: () => void) => void due.push(callback),
  };
  const vm = createVm(host, { ...options, process: { args: [], env: {} } });
  vm.report = (_fiber, error) => {
    throw new Error(
      `a program under measurement failed: ${String('value' in error ? error.value.message : error.kind)}`,
    );
  };
  const settle = (): void => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) next();
  };
  return { vm, settle };
}

/** Compiles and links a program, and runs it until it has ended or waits. @throws Error when it does not compile */
export function load({ vm, settle }: Machine, text: string): LinkedProgram {
  const { program, diagnostics } = compile('bench.svc', text, {
    natives: nativeNames(vm),
    builtinModules: new Set(['svcauth']),
    load: () => null,
  });
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const linked = vm.link(program);
  vm.spawn('main', vm.closureOf(linked.entry), []);
  settle();
  return linked;
}

/** A function of a linked program as a JavaScript one, which runs it in a thread of its own and returns its value. */
export function callable({ vm, settle }: Machine, linked: LinkedProgram, name: string): (...args: Value[]) => Value {
  const fn = linked.functions.find((candidate) => candidate.name === name);
  if (fn === undefined) throw new Error(`no function ${name}`);
  const closure = vm.closureOf(fn);
  return (...args) => {
    const fiber = vm.spawn('bench', closure, args);
    settle();
    return valueOf(fiber);
  };
}

function valueOf({ outcome }: Fiber): Value {
  if (outcome?.ok !== true) throw new Error('the thread has not ended with a value');
  return outcome.value;
}
