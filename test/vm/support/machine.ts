import { compile, type CompileEnvironment, type CompileResult } from '../../../compiler/index.js';
import { installCore } from '../../../natives/core/index.js';
import { installDecimal } from '../../../natives/decimal/index.js';
import { lineReading } from '../../../natives/io/linereader.js';
import type { Program } from '../../../vm/bytecode/program.js';
import { watchForDeadlock } from '../../../vm/watch/deadlock.js';
import type { Fiber, Thrown } from '../../../vm/fibers/fiber.js';
import { SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { CodeShelf } from '../../../vm/interpreter/tier.js';
import { VM, type VmOptions } from '../../../vm/vm.js';
import { FakeHost } from './host.js';

/** A VM on a fake host, and the errors of fibers that are not awaited. */
export interface Machine {
  vm: VM;
  host: FakeHost;
  reports: string[];
}

export interface MachineOptions extends VmOptions {
  /** More natives, for the test. */
  natives?: readonly NativeFunction[];
  /** Where generated code is kept. */
  shelf?: CodeShelf;
}

/** Creates a machine whose host the test controls. */
export function machine({ natives = [], shelf: _, ...options }: MachineOptions = {}, host = new FakeHost()): Machine {
  const vm = new VM(host, options);
  installCore(vm);
  installDecimal(vm);
  // The prelude's functions for files need them.
  vm.define(lineReading);
  vm.define(natives);
  watchForDeadlock(vm);
  const reports: string[] = [];
  vm.report = (_fiber, error) => void reports.push(thrownText(error));
  return { vm, host, reports };
}

/** An error as `Type: message`, a signal as its kind. */
export function thrownText(thrown: Thrown): string {
  return thrown instanceof SvcError ? `${thrown.value.type.name}: ${thrown.value.message}` : `signal ${thrown.kind}`;
}

/** Names that programs may use, as the command line passes them to the compiler. */
function namesIn(vm: VM): ReadonlySet<string> {
  return new Set([...vm.globals.keys(), 'loop']);
}

let coreNames: ReadonlySet<string> | null = null;

/** Compiles a text that loads no other files; programs may use the core library unless `names` says otherwise. */
export function compileText(text: string, path = 'test.svc', names?: ReadonlySet<string>): CompileResult {
  const natives = names ?? (coreNames ??= namesIn(machine().vm));
  const env: CompileEnvironment = { natives, builtinModules: new Set(['svcauth']), load: () => null };
  return compile(path, text, env);
}

/** The program of a text that must compile. */
export function programOf(text: string, path = 'test.svc', names?: ReadonlySet<string>): Program {
  const { program, diagnostics } = compileText(text, path, names);
  if (program === null)
    throw new Error(`does not compile: ${diagnostics.map((d) => `${d.message} at ${d.start}`).join('; ')}\n${text}`);
  return program;
}

let last: { text: string; names: number; program: Program } | null = null;

/** Compiles a text for a VM; one that runs several times in a row is compiled once. */
function programFor(vm: VM, text: string): Program {
  const names = vm.globals.size;
  if (last?.text !== text || last.names !== names)
    last = { text, names, program: programOf(text, 'test.svc', namesIn(vm)) };
  return last.program;
}

/** Keeps generated code for the next run of a program. */
export class MemoryShelf implements CodeShelf {
  text: string | null = null;
  /** How often code was stored. */
  times = 0;

  load(): string | null {
    return this.text;
  }

  store(text: string): void {
    this.text = text;
    this.times++;
  }
}

/** Links a text and starts its main fiber, which waits for its first turn. */
export function start({ vm, reports }: Machine, text: string, shelf: CodeShelf | null = null): Fiber {
  const linked = vm.link(programFor(vm, text), shelf);
  const fiber = vm.spawn('main', vm.closureOf(linked.entry), []);
  fiber.onEnd((outcome) => {
    if (!outcome.ok) reports.push(thrownText(outcome.error));
  });
  return fiber;
}

export interface Run {
  lines: string[];
  /** Uncaught errors of all fibers, in order. */
  errors: string[];
  /** Value of the main program as `p` prints it; null if it has none. */
  value: string | null;
  machine: Machine;
}

/** Calls after which functions are compiled: none, and one, so that compiling comes between two calls. */
const COMPILED = [0, 1];

/** Runs a text to its end on a virtual clock. Without `jit` runs it interpreted and compiled; results must be equal. */
export function run(text: string, options: MachineOptions = {}): Run {
  const interpreted = runOnce(text, options);
  if (options.jit !== undefined) return interpreted;
  for (const jit of COMPILED) {
    const compiled = runOnce(text, { ...options, jit });
    const [expected, actual] = [interpreted, compiled].map(({ lines, errors, value }) =>
      JSON.stringify({ lines, errors, value }, null, 1),
    );
    if (actual !== expected)
      throw new Error(`compiled after ${jit} calls, a program returns\n${actual}\ninterpreted\n${expected}\n${text}`);
  }
  return interpreted;
}

function runOnce(text: string, options: MachineOptions): Run {
  const made = machine(options);
  const fiber = start(made, text, options.shelf);
  made.host.runAll();
  made.vm.tier?.store();
  return {
    lines: made.host.lines(),
    errors: made.reports,
    value: fiber.outcome?.ok === true ? inspect(fiber.outcome.value) : null,
    machine: made,
  };
}
