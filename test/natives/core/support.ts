import { installCore } from '../../../natives/core/index.js';
import { installTesting } from '../../../natives/testing/index.js';
import type { Host } from '../../../vm/host.js';
import { SvcError } from '../../../vm/values/error.js';
import { NameList, type NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { VM } from '../../../vm/vm.js';

/** Output of the VM since the last call of `takePrinted`. */
let printed = '';

const host: Host = {
  now: () => 1234.5,
  wallClock: () => Date.now(),
  heap: () => ({ used: 0, limit: 1 }),
  collect: () => {},
  defer: (callback) => void setImmediate(callback),
  setTimer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  stdout: (text) => void (printed += text),
  stderr: () => {},
};

/** A VM with the core library and the functions for tests. */
export const vm = new VM(host);
installCore(vm);
installTesting(vm);

/** Returns the output since the last call. */
export function takePrinted(): string {
  const text = printed;
  printed = '';
  return text;
}

/** A Float. */
export function f(n: number): Float {
  return new Float(n);
}

/** A Hash of an object. */
export function h(entries: Record<string, Value>): Hash {
  return Hash.from(Object.entries(entries));
}

function options(args: Value[], named: Record<string, Value> | undefined): [Value[], NameList | null] {
  if (named === undefined) return [args, null];
  return [[...args, ...Object.values(named)], new NameList(Object.keys(named), null)];
}

/** Calls a function of the library; `named` are named arguments. */
export function call(name: string, args: Value[], named?: Record<string, Value>): Value {
  const fn = vm.globals.get(name) as NativeFunction | undefined;
  if (fn === undefined) throw new Error(`no function ${name}`);
  return vm.invokeNative(fn, ...options(args, named)) as Value;
}

/** Calls a method. */
export function send(receiver: Value, name: string, args: Value[] = [], named?: Record<string, Value>): Value {
  return vm.callMethod(receiver, name, ...options(args, named)) as Value;
}

/** Output of `p` for the result, or the error: `ValueError: …`. */
export function shown(run: () => Value): string {
  try {
    return inspect(run());
  } catch (error) {
    if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
    throw error;
  }
}

/** Value of some work, or its error as text. */
export function outcome(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof SvcError) return `error: ${error.value.message}`;
    throw error;
  }
}
