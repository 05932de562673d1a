import type { Coroutine } from '../fibers/coroutine.js';
import type { NameList } from '../values/function.js';
import { Iterator, PULL } from '../values/iterator.js';
import type { Steps } from '../values/steps.js';
import type { Value } from '../values/value.js';
import type { Continuation } from './continuation.js';

/** What a native's generator asks the VM for: the next element of an iterator, END at its end, or a call. */
export type Request = Iterator | { readonly fn: Value; readonly args: Value[] };

/** A native that calls functions in a loop: each request's answer is the value of its `yield`. */
export type Requests = Generator<Request, Value, Value>;

/** The part of the VM that runs the program's code for iterators and operators. */
export interface Caller {
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined;
  callThen(callee: Value, args: Value[], then: Continuation): undefined;
  /** Runs the calls that a generator asks for; its result is that of the native. Return this result. */
  answering(requests: Requests): undefined;
  /** Runs long work in pieces. */
  inPieces(what: string, steps: Steps): Value | undefined;
  /** Makes a coroutine that calls `callee`; it is closed when nothing refers to `owner` any more. */
  newCoroutine(callee: Value, args: Value[], owner: object): Coroutine;
  /** Puts a coroutine's frames onto the stack, to continue; END if it has ended. */
  resume(coroutine: Coroutine): Value | undefined;
  /** Ends a parked coroutine: its `ensure` blocks run. */
  close(coroutine: Coroutine): Value | undefined;
  /** Takes the running coroutine's frames off the stack; `result` is what its call returns when it continues. */
  park(coroutine: Coroutine, value: Value, result: Value): undefined;
}

/** An iterator that runs code of the program for each element. */
export abstract class PullIterator extends Iterator {
  next(): Value {
    return PULL;
  }

  /** The next element or END; undefined means what it does for calls. */
  abstract pull(vm: Caller): Value | undefined;

  /** Releases what the iteration holds: coroutines that have not ended run their `ensure` blocks. */
  close(_vm: Caller): Value | undefined {
    return null;
  }
}
