import { ModuleState } from '../../vm/calls/modulestate.js';
import { nativeLike, paramsOf } from '../../vm/calls/native.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Closure, NativeFunction, type NativeParam } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import { functions } from '../core/declare.js';
import { TESTS } from './run.js';

interface Mock {
  readonly fn: Value;
  /** The arguments of each call. */
  readonly calls: Value[];
}

/** Functions that can be replaced, and their replacements. */
interface Mocks {
  readonly names: Set<string>;
  readonly active: Map<string, Mock>;
}

const MOCKS = new ModuleState<Mocks>(() => ({ names: new Set(), active: new Map() }));

/**
 * Makes the functions of the library replaceable, for a program that is about to be linked. Other programs call them
 * directly. @param own functions for tests, which stay as they are
 */
export function makeReplaceable(vm: NativeContext, own: readonly NativeFunction[]): void {
  const { names, active } = MOCKS.of(vm);
  for (const [name, value] of vm.globals) {
    if (!(value instanceof NativeFunction) || name.startsWith('%') || names.has(name) || own.includes(value)) continue;
    names.add(name);
    const { impl } = value;
    vm.globals.set(
      name,
      nativeLike(value, (context: NativeContext, ...args: Value[]) => {
        const mock = active.get(name);
        return mock === undefined ? impl(context, ...args) : replaced(context, mock, given(value, args));
      }),
    );
  }
}

/**
 * The arguments of a call as it lists them: those that `*rest` took one by one, and without those at the end that are
 * defaults.
 */
function given(native: NativeFunction, args: readonly Value[]): Value[] {
  const params = paramsOf(native);
  let count = args.length;
  while (count > 0 && isDefault(params[count - 1], args[count - 1])) count--;
  const rest = params.findIndex(({ kind }) => kind === 'rest');
  if (rest < 0 || rest >= count) return args.slice(0, count);
  return args.slice(0, rest).concat(args[rest] as Value[], args.slice(rest + 1, count));
}

function isDefault({ kind, default: fallback }: NativeParam, value: Value): boolean {
  return kind === 'options' ? value instanceof Hash && value.size === 0 : value === fallback;
}

function replaced(vm: NativeContext, { fn, calls }: Mock, args: Value[]): Value | undefined {
  calls.push(args.slice());
  return vm.call(fn, fn instanceof Closure ? argumentsFor(fn, args) : args);
}

/** Arguments for the function that replaces another: functions get no more than they take. */
function argumentsFor({ fn: { lenient, params, positional } }: Closure, args: Value[]): Value[] {
  if (!lenient) return params.some(({ kind }) => kind === 'rest') ? args : args.slice(0, positional);
  // A block with several parameters takes a vector apart that is its only argument: here, the list of arguments.
  return args.length === 1 && Array.isArray(args[0]) && params.length > 1 ? [args] : args;
}

function whyNot(vm: NativeContext, name: string, names: ReadonlySet<string>): string {
  if (vm.globals.get(name) instanceof NativeFunction) return `'${name}' is a function for tests, and stays`;
  const near = nearest(name, names);
  const hint =
    near === null
      ? '. Functions of the program and methods cannot be replaced: pass them as arguments'
      : `; did you mean '${near}'?`;
  return `the library has no function '${name}'${hint}`;
}

/** @throws ArgumentError for a block with named parameters: the arguments of the library's functions have an order. */
function checkBlock(name: string, block: Value): void {
  const named = block instanceof Closure ? block.fn.params.find(({ kind }) => kind.startsWith('named')) : undefined;
  if (named !== undefined)
    fail(
      Errors.ArgumentError,
      `mock(:${name}): the block gets the arguments by position, in the order of ${name}'s parameters; write '${named.name}' instead of '${named.name}:'`,
    );
}

/** Replaces a function of the library until the test ends. Returns the vector that collects the arguments of its calls. */
function mock(vm: NativeContext, name: string, block: Value): Value {
  if (TESTS.of(vm).current === null) fail(Errors.RuntimeError, 'mock() belongs in a test');
  checkBlock(name, block);
  const { names, active } = MOCKS.of(vm);
  if (!names.has(name)) fail(Errors.ArgumentError, `mock(): ${whyNot(vm, name, names)}`);
  const calls: Value[] = [];
  active.set(name, { fn: block, calls });
  return calls;
}

/** Takes back all replacements: the test has ended. */
export function restoreMocks(vm: NativeContext): void {
  MOCKS.of(vm).active.clear();
}

/** The function that replaces others. */
// prettier-ignore
export const mocking = functions([
  ['mock', 'name: String, &block: Function', 'Vector', 'Replaces a function of the library, such as `http_get`, for the rest of the test. Returns a vector that collects the arguments of each call, without defaults at the end. The block gets the arguments by position, also those that were named.', mock],
]);
