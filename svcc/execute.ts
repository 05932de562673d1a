import { whenFlushed } from '../natives/core/ending.js';
import { PROCESS } from '../natives/core/process.js';
import { STDIN } from '../natives/core/output.js';
import { installCore } from '../natives/core/index.js';
import type { ProcessInfo } from '../natives/core/process.js';
import { TASKS } from '../natives/core/tasks.js';
import { BEFORE_MOCKING, hasFailedTests } from '../natives/core/testresults.js';
import type { Program } from '../vm/bytecode/program.js';
import type { Fn } from '../vm/values/function.js';
import { watchForDeadlock } from '../vm/watch/deadlock.js';
import { watchMemory } from '../vm/watch/memory.js';
import type { Outcome as FiberOutcome } from '../vm/fibers/fiber.js';
import type { Host } from '../vm/host.js';
import { isExit, Signal, type SvcError } from '../vm/values/error.js';
import type { CodeShelf } from '../vm/interpreter/tier.js';
import { VM, type VmOptions } from '../vm/vm.js';
import { ErrorLog } from './errorlog.js';
import { errorText, PLEASE_REPORT } from './internalerror.js';
import { describeError } from './report.js';
import type { Simulation } from './simulation.js';

export interface ExecuteOptions extends VmOptions {
  process: ProcessInfo;
  /** Reads lines for `input()`. */
  stdin?: { readLine(): Promise<string | null> };
  /** Virtual clock and random source that replace the real ones. */
  simulation?: Simulation;
}

/**
 * Calls before a function is compiled to JavaScript. Few, because compiling is fast and V8 needs time to warm up as
 * well: real programs of a second take 14 % less processor time with 5 than with 30 (`bench/programs`).
 */
export const JIT_CALLS = 5;

/** The same from the environment variable SVC_JIT; null for `off`. A string is an error message. */
export function jitOf({ SVC_JIT: text }: NodeJS.ProcessEnv): number | null | string {
  if (text === undefined || text === '') return JIT_CALLS;
  if (text === 'off') return null;
  return /^\d{1,9}$/.test(text)
    ? Number(text)
    : `svcc: the environment variable SVC_JIT must be 'off' or the number of calls after which a function is compiled, got '${text}'`;
}

/** A VM with the core library. */
export function createCoreVm(real: Host, { simulation, jit = JIT_CALLS, ...options }: ExecuteOptions): VM {
  const chance = simulation?.chance;
  // A seed counts safepoints, and compiled code passes other safepoints than the interpreter.
  const vm = new VM(simulation?.host(real) ?? real, {
    ...options,
    jit: chance === undefined ? jit : null,
    chance,
    whenUncompiled: (fn, error) => real.stderr(uncompiled(fn, error)),
  });
  PROCESS.set(vm, options.process);
  if (options.stdin !== undefined) STDIN.set(vm, options.stdin);
  installCore(vm);
  watchForDeadlock(vm);
  watchMemory(vm);
  simulation?.drive(vm);
  return vm;
}

/** The warning about a function that the JIT compiler could not compile because of a mistake of its own. */
function uncompiled(fn: Fn, error: unknown): string {
  const place = fn.file === '' ? 'the library' : fn.file;
  return `warning: svcc cannot compile ${fn.name} in ${place}, which runs more slowly: ${errorText(error)}\n${PLEASE_REPORT}\n`;
}

interface Execution {
  /** Decides when the threads have ended, after the program's first one. */
  whenOver?: (then: () => void) => void;
  /** Where generated code is kept. */
  shelf?: CodeShelf | null;
  /** Receives a function that ends the program as `exit` in its first thread does. */
  endsBy?: (end: (code: number) => void) => void;
}

/** Runs a program until it and all its threads have ended; resolves with the exit code. */
export function execute(
  vm: VM,
  program: Program,
  { whenOver = (then) => vm.scheduler.whenIdle(then), shelf = null, endsBy }: Execution = {},
): Promise<number> {
  const log = new ErrorLog(vm.host);
  const show = (error: SvcError | Signal): void => log.tell(describeError(error, (path) => vm.sourceText(path)));
  return new Promise((resolve) => {
    let isEnding = false;
    const end = (code: number, ended = (): void => {}): void => {
      if (isEnding) return;
      isEnding = true;
      TASKS.of(vm).flush();
      log.flush();
      whenFlushed(vm, () => {
        ended();
        resolve(code);
      });
    };
    const exit = (error: Signal): void => {
      // Other threads end where they are, except jobs: their `ensure` blocks run, and they are given back.
      vm.scheduler.halt(({ name }) => name === 'job');
      end(Number(error.payload), () => vm.timers.stop());
    };
    vm.report = (_fiber, error) => {
      if (isExit(error)) exit(error);
      else show(error);
    };
    if (program.natives.includes('mock')) BEFORE_MOCKING.of(vm)();
    const linked = vm.link(program, shelf);
    const main = vm.spawn('main', vm.closureOf(linked.entry), []);
    endsBy?.((code) => {
      const signal = new Signal('exit', code);
      if (main.finished) exit(signal);
      else vm.scheduler.interrupt(main, signal);
    });
    main.onEnd((outcome: FiberOutcome) => {
      if (outcome.ok) {
        whenOver(() => end(hasFailedTests(vm) ? 1 : 0));
        return;
      }
      if (isExit(outcome.error)) exit(outcome.error);
      else {
        show(outcome.error);
        end(1);
      }
    });
  });
}
