/** `break` in a block that is a function: it ends the call that the block was given to (docs/language.md, "Leaving a block"). */
import { native, neverSuspends } from '../../vm/calls/native.js';
import type { Thrown } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { BreakSignal, Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Value } from '../../vm/values/value.js';

const DOC = 'Intrinsic of the compiler.';

let lastMark = 0;

/** Marks the call that begins; the block captures the mark. */
function callBegins(vm: NativeContext): Value {
  vm.marks.push(++lastMark);
  return lastMark;
}

/** Removes the mark of the call that has ended, and those of calls inside it that could not do so. */
function callEnds(vm: NativeContext, mark: Value): Value {
  const { marks } = vm;
  const at = marks.lastIndexOf(mark as number);
  if (at >= 0) marks.length = at;
  return null;
}

function breakOut(vm: NativeContext, mark: Value, value: Value): never {
  if (vm.marks.lastIndexOf(mark as number) >= 0) throw new BreakSignal(mark as number, value);
  return fail(
    Errors.RuntimeError,
    '`break` ends the call that its block was given to, but that call has ended or runs in another thread: use `next` to end the block',
  );
}

/** The value of `break`, if it ends the call with this mark; other exceptions continue. */
function broken(_vm: NativeContext, mark: Value, caught: Thrown): Value {
  if (caught instanceof BreakSignal && caught.mark === mark) return caught.payload;
  throw caught;
}

/** What the compiler writes around a call whose block contains `break`, and for `break` itself. */
export const leaving: NativeFunction[] = [
  native('%call_begins', '', 'Any', DOC, neverSuspends(callBegins)),
  native('%call_ends', 'mark', 'Any', DOC, neverSuspends(callEnds)),
  native('%break', 'mark, value', 'Any', DOC, breakOut),
  native('%broken', 'mark, caught', 'Any', DOC, broken),
];
