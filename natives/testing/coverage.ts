import { ModuleState } from '../../vm/calls/modulestate.js';
import { native, neverSuspends } from '../../vm/calls/native.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { truthy, type Value } from '../../vm/values/value.js';

/** Counters of a program that was compiled with coverage, by their numbers. */
export const COUNTERS = new ModuleState<number[]>(() => []);

function count(vm: NativeContext, counter: Value, offset: number): void {
  if (typeof counter !== 'number' || counter < 0 || counter > 1e7)
    fail(Errors.TypeError, 'an intrinsic of the compiler cannot count this');
  const counters = COUNTERS.of(vm);
  const at = counter + offset;
  // No holes: V8 would make the array a dictionary.
  while (counters.length <= at) counters.push(0);
  counters[at]++;
}

/** A native that counts a value at the counter, or at the next one if `isSecond`, and returns it. */
function branch(name: string, isSecond: (value: Value) => boolean) {
  return native(
    name,
    'counter: Any, value: Any',
    'Any',
    'Intrinsic of the compiler.',
    neverSuspends((vm: NativeContext, counter: Value, value: Value) => {
      count(vm, counter, isSecond(value) ? 1 : 0);
      return value;
    }),
  );
}

/** What programs call that were compiled with coverage. */
export const counting = [
  native(
    '%cover',
    'counter: Any',
    'Nil',
    'Intrinsic of the compiler.',
    neverSuspends((vm: NativeContext, counter: Value) => {
      count(vm, counter, 0);
      return null;
    }),
  ),
  branch('%branch', (value) => !truthy(value)),
  branch('%branch_unless', truthy),
  branch('%branch_nil', (value) => value === null),
];
