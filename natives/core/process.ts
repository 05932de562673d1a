import { ModuleState } from '../../vm/calls/modulestate.js';
import { native } from '../../vm/calls/native.js';
import { Errors, fail, Signal } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import { toText } from '../../vm/values/text/text.js';
import type { Int } from './declare.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Arguments and environment of the process; the host stores it in `vm.modules` as `process`. */
export interface ProcessInfo {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Whether standard error is a terminal. */
  isTerminal?: () => boolean;
}

/** The arguments and the environment of a VM's program. */
export const PROCESS = new ModuleState<ProcessInfo>(() => ({ args: [], env: {} }));

function environment(vm: NativeContext, name: Value, fallback: Value): Value {
  const { env } = PROCESS.of(vm);
  if (typeof name === 'string') return (Object.hasOwn(env, name) ? env[name] : undefined) ?? fallback;
  return Hash.from(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Maximum exit code of a process. */
const MAX_CODE = 255;

function exit(_vm: NativeContext, code: Int): never {
  if (code < 0 || code > MAX_CODE)
    fail(Errors.ArgumentError, `exit(): code must be from 0 to ${MAX_CODE}, got ${toText(code)}`);
  throw new Signal('exit', Number(code));
}

/** `env`, `argv` and `exit`. */
// prettier-ignore
export const processNatives: NativeFunction[] = [
  native('env', 'name: String? = nil, default: Any = nil', 'Any', 'An environment variable, or the default; without a name all of them as a Hash.', environment),
  native('argv', '', 'Vector', 'The arguments after the program on the command line.', (vm: NativeContext) => [...PROCESS.of(vm).args]),
  native('exit', 'code: Integer = 0', 'Nil', 'Ends the program with an exit code from 0 to 255; ensure blocks run.', exit),
];
