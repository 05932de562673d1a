import { bindClosure } from '../calls/arguments.js';
import type { Continuation } from '../calls/continuation.js';
import {
  fieldsOf,
  indexValue,
  isMissingKey,
  mayBeKey,
  MethodTables,
  noSuchMethod,
  readField,
  sliceBounds,
  storeIndex,
  storeNamed,
  indexText,
} from '../calls/members.js';
import { bindNative } from '../calls/native.js';
import { checkOpen, ownEach, type ProducedIterator, Sequence, SEQUENCE } from '../calls/sequence.js';
import { failToCall } from '../calls/notcallable.js';
import { dialogue } from '../calls/requests.js';
import { type Requests } from '../calls/caller.js';
import { Coroutine, outside } from '../fibers/coroutine.js';
import type { EndedBy, Fiber } from '../fibers/fiber.js';
import { Frame } from '../fibers/frame.js';
import type { Waited } from '../fibers/scheduler.js';
import { Bytes } from '../values/bytes.js';
import { charge } from '../values/cost.js';
import { DefaultHash } from '../values/defaulthash.js';
import { Errors, ErrorType, ErrorValue, fail, failForNil, Signal } from '../values/error.js';
import { Closure, NativeFunction, type Fn, type NameList } from '../values/function.js';
import { Handle, HandleType } from '../values/handle.js';
import { END } from '../values/iterator.js';
import type { Steps } from '../values/steps.js';
import { EnumType, ownMethod, Range, RecordType } from '../values/structured.js';
import { toText } from '../values/text/text.js';
import { kindName } from '../values/types.js';
import type { Value } from '../values/value.js';
import { cacheField, noteReceiver } from './inlinecaches.js';
import { callOwnStore } from './ownoperators.js';
import { stackOverflow } from './operations.js';
import { COPIED_AT_ONCE, sliceSteps } from './operators.js';

/** Units charged per native call: one clock read per 16 calls. One read costs about as much as a small native. */
const CALL = 125;

const NO_REGISTERS: Value[] = [];

/**
 * How values are called and their members reached. A call that returns undefined left a request: `callee` needs a frame
 * of its own, or the fiber waits for the operation that `takeWait` returns.
 */
export abstract class CallEngine {
  readonly methods = new MethodTables();
  /** Set by a helper whose callee needs its own frame; null if the fiber is waiting instead. */
  callee: Closure | null = null;
  /** Frame of the running native call, for messages with a source position. */
  topFrame: Frame | null = null;
  private registers: Value[] = [];
  private waitStart: Waited | null = null;
  private waitEndedBy: EndedBy = 'outside';
  private waitWhat = '';
  /** The function of `callThen`: calls a value, then its continuation. */
  protected abstract readonly resumeFn: Fn;
  /** The function of `answering`. */
  protected abstract readonly requestsFn: Fn;
  /** Set by a native that changes the stack of the running fiber: called once its frames are on the heap. */
  private switching: ((fiber: Fiber) => void) | null = null;

  /** The running fiber. */
  protected abstract readonly current: Fiber | null;

  /** @param maxDepth maximum Svc frames on one stack */
  constructor(public maxDepth: number) {}

  abstract inPieces(what: string, steps: Steps): Value | undefined;

  /** The closure of a linked function without captured values. */
  closureOf(fn: Fn): Closure {
    return (fn.self ??= new Closure(fn, []));
  }

  takeRegisters(): Value[] {
    this.callee = null;
    return this.registers;
  }

  /** Releases references to values of the last call. */
  protected forgetCall(): void {
    this.topFrame = null;
    this.registers = NO_REGISTERS;
  }

  takeWait(): { start: Waited; what: string; endedBy: EndedBy } | null {
    const start = this.waitStart;
    this.waitStart = null;
    return start === null ? null : { start, what: this.waitWhat, endedBy: this.waitEndedBy };
  }

  /**
   * For natives: suspends the running fiber until the operation that `start` begins resumes it; if `start` is a number,
   * for so many milliseconds. `what` names the operation in a word or two, `endedBy` says who ends the wait. Return its result.
   */
  wait(what: string, start: Waited, endedBy: EndedBy = 'outside'): undefined {
    this.waitStart = start;
    this.waitWhat = what;
    this.waitEndedBy = endedBy;
    return undefined;
  }

  /**
   * Checks that the frame of `fn` fits at depth `depth`. A continuation always gets one: its native may hold a lock and
   * must learn that the function it called does not fit.
   * @throws StackError
   */
  checkDepth(fn: Fn, depth: number): void {
    if (depth > this.maxDepth && fn !== this.resumeFn) stackOverflow(this.maxDepth);
  }

  /** Creates the frame for `callee` on top of `parent`; there are `depth` frames so far. */
  takeFrame(parent: Frame, depth: number): Frame {
    const callee = this.callee as Closure;
    this.callee = null;
    this.checkDepth(callee.fn, depth + 1);
    return new Frame(parent, callee.fn, callee, 0, this.registers);
  }

  /** Calls any value. Returns undefined if the call needs a frame or waits: see `callee`. */
  invoke(callee: Value, args: Value[], names: NameList | null): Value | undefined {
    if (callee instanceof Closure) {
      this.registers = bindClosure(callee, args, names);
      this.callee = callee;
      return undefined;
    }
    if (callee instanceof NativeFunction) return this.invokeNative(callee, args, names);
    if (callee instanceof RecordType) return this.invoke(callee.make, args, names);
    if (callee instanceof ErrorType) return newError(callee, args);
    if (callee instanceof HandleType && callee.make !== null) return this.invokeNative(callee.make, args, names);
    return failToCall(callee);
  }

  invokeNative(fn: NativeFunction, args: Value[], names: NameList | null): Value | undefined {
    const bound = bindNative(fn, args, names);
    switch (bound.length) {
      case 0:
        return this.answer(fn.impl(this));
      case 1:
        return this.answer(fn.impl(this, bound[0]));
      case 2:
        return this.answer(fn.impl(this, bound[0], bound[1]));
      case 3:
        return this.answer(fn.impl(this, bound[0], bound[1], bound[2]));
      default:
        return this.answer(fn.impl(this, ...bound));
    }
  }

  invokeMethod(fn: NativeFunction, recv: Value, args: Value[], names: NameList | null): Value | undefined {
    const bound = bindNative(fn, args, names);
    const { impl } = fn;
    switch (bound.length) {
      case 0:
        return this.answer(impl(this, recv));
      case 1:
        return this.answer(impl(this, recv, bound[0]));
      case 2:
        return this.answer(impl(this, recv, bound[0], bound[1]));
      default:
        return this.answer(impl(this, recv, ...bound));
    }
  }

  /** The result of a native: nil if it returned nothing and neither waits nor calls a function. */
  answer(value: Value | undefined | void): Value | undefined {
    // A long vector took long to make.
    charge(Array.isArray(value) ? CALL + value.length : CALL);
    return value === undefined ? (this.callee === null && this.waitStart === null ? null : undefined) : value;
  }

  callMethod(recv: Value, name: string, args: Value[], names: NameList | null): Value | undefined {
    // The method `call` of the library does the same, but binds the arguments twice.
    if (recv instanceof Closure && name === 'call') return this.invoke(recv, args, names);
    const own = ownMethod(recv, name);
    if (own !== undefined) return this.invoke(own, [recv, ...args], names);
    const sequence = sequenceOf(recv, name);
    if (sequence !== null) return this.callMethod(sequence, name, args, names);
    const fn = this.methods.find(recv, name);
    if (fn !== undefined) return this.invokeMethod(fn, recv, args, names);
    const field = mayBeKey(name) ? fieldsOf(recv)?.get(name) : undefined;
    if (field !== undefined && (field instanceof Closure || field instanceof NativeFunction))
      return this.invoke(field, args, names);
    const variant = recv instanceof EnumType ? recv.member(name) : undefined;
    if (variant instanceof RecordType) return this.invoke(variant, args, names);
    return noSuchMethod(this.methods, recv, name);
  }

  /** The value of a key, or the default of missing ones. */
  private defaultOf(hash: DefaultHash, key: Value): Value | undefined {
    const value = hash.get(key);
    if (value !== undefined) return value;
    return hash.maker === null ? hash.fallback : this.invoke(hash.maker, [hash, key], null);
  }

  getField(fn: Fn, pc: number, recv: Value, name: string): Value | undefined {
    if (recv instanceof DefaultHash && isMissingKey(this.methods, recv, name)) return this.defaultOf(recv, name);
    const field = readField(this.methods, recv, name);
    if (field !== undefined) {
      cacheField(this.methods, fn, pc, recv, name);
      return field;
    }
    const own = ownMethod(recv, name);
    if (own !== undefined) {
      noteReceiver(fn, pc, recv);
      return this.invoke(own, [recv], null);
    }
    const sequence = sequenceOf(recv, name);
    if (sequence !== null) return this.callMethod(sequence, name, [], null);
    const method = this.methods.find(recv, name);
    if (method === undefined) return this.namedValue(recv, name);
    noteReceiver(fn, pc, recv);
    return this.invokeMethod(method, recv, [], null);
  }

  private namedValue(recv: Value, name: string): Value {
    const value = recv instanceof Handle ? recv.named(name) : undefined;
    return value === undefined ? noSuchMethod(this.methods, recv, name) : value;
  }

  setField(recv: Value, name: string, value: Value): void {
    if (storeNamed(recv, name, value)) return;
    const members = recv instanceof Handle ? recv.type : recv instanceof NativeFunction ? recv.members : null;
    const setter = members?.setters.get(name);
    if (setter === undefined)
      failForNil(
        Errors.AttributeError,
        `cannot set '${name}' of ${kindName(recv)}`,
        recv === null ? 'receiver' : null,
        name,
      );
    this.invokeMethod(setter, recv, [value], null);
  }

  index(recv: Value, index: Value): Value | undefined {
    if (Array.isArray(recv)) return index instanceof Range ? this.sliceOf(recv, index) : indexValue(recv, index);
    if (typeof recv === 'string') {
      const part = indexText(recv, index);
      if (part !== undefined) return part;
    }
    if (recv instanceof Handle) {
      const element = recv.elementAt(index);
      if (element !== undefined) return element;
    }
    if (recv instanceof DefaultHash) return this.defaultOf(recv, index);
    const own = ownMethod(recv, '[]');
    if (own !== undefined) return this.invoke(own, [recv, index], null);
    const value = indexValue(recv, index);
    if (value !== undefined) return value;
    const method = this.methods.find(recv, '[]');
    if (method === undefined)
      failForNil(Errors.TypeError, `cannot index ${kindName(recv)}`, recv === null ? 'indexed' : null);
    return this.invokeMethod(method, recv, [index], null);
  }

  private sliceOf(vector: readonly Value[], range: Range): Value | undefined {
    const bounds = sliceBounds(range, vector.length);
    if (bounds === null) return null;
    const count = bounds.end - bounds.start;
    charge(count >>> 3);
    return count > COPIED_AT_ONCE
      ? this.inPieces('slice', sliceSteps(vector, bounds.start, bounds.end))
      : vector.slice(bounds.start, bounds.end);
  }

  setIndex(recv: Value, index: Value, value: Value): void {
    callOwnStore(recv, index, value);
    if (storeIndex(recv, index, value) || (recv instanceof Handle && recv.storeAt(index, value))) return;
    const method = this.methods.find(recv, '[]=');
    if (method === undefined) {
      const hint =
        typeof recv === 'string'
          ? ' (strings do not change; build a new one)'
          : recv instanceof Bytes
            ? ' (Bytes do not change; use bytes_builder)'
            : '';
      failForNil(
        Errors.TypeError,
        `cannot assign to an index of ${kindName(recv)}${hint}`,
        recv === null ? 'indexed' : null,
      );
    }
    this.invokeMethod(method, recv, [index, value], null);
  }

  /** For natives: calls `callee`; its result becomes that of the native. Return this result. */
  call(callee: Value, args: Value[]): Value | undefined {
    return this.invoke(callee, args, null);
  }

  /**
   * For natives: calls `callee`, then passes its value or exception to `then`, whose result becomes that of the native.
   * Return this result.
   */
  callThen(callee: Value, args: Value[], then: Continuation): undefined {
    this.callee = this.closureOf(this.resumeFn);
    // One value for each register of `continuationProgram`, which alone sees the continuation.
    this.registers = [callee, args, then as unknown as Value, null, null];
    return undefined;
  }

  /** For natives: runs the calls that a generator asks for. Return its result. */
  answering(requests: Requests): undefined {
    this.callee = this.closureOf(this.requestsFn);
    this.registers = [dialogue(requests), null];
    return undefined;
  }

  newCoroutine(callee: Value, args: Value[], owner: object): Coroutine {
    const then: Continuation = {
      done: () => {
        coroutine.ended(this.current);
        return END;
      },
      failed: (thrown) => {
        coroutine.ended(this.current);
        if (coroutine.closing && thrown instanceof Signal && thrown.kind === 'close') return END;
        throw thrown;
      },
    };
    const registers = [callee, args, then as unknown as Value, null, null];
    const coroutine = new Coroutine(new Frame(null, this.resumeFn, this.closureOf(this.resumeFn), 0, registers));
    this.onDropped(owner, coroutine);
    return coroutine;
  }

  /** Closes the coroutine once nothing refers to `owner`. */
  protected abstract onDropped(owner: object, coroutine: Coroutine): void;

  resume(coroutine: Coroutine): Value | undefined {
    if (coroutine.state === 'ended') return END;
    coroutine.checkResume();
    return this.switchStack((fiber) => coroutine.enter(fiber, null, this.maxDepth));
  }

  close(coroutine: Coroutine): Value | undefined {
    if (coroutine.state !== 'parked' || coroutine.drop()) return null;
    return this.switchStack((fiber) => coroutine.close(fiber, this.maxDepth));
  }

  park(coroutine: Coroutine, value: Value, result: Value): undefined {
    if (coroutine.state !== 'running') throw outside();
    checkOpen(coroutine);
    return this.switchStack((fiber) => coroutine.park(fiber, value, result));
  }

  private switchStack(change: (fiber: Fiber) => void): undefined {
    this.switching = change;
    return this.wait('sequence', () => {}, 'thread');
  }

  /** Changes the stack of a suspended fiber as its native asked for. Returns false if it did not. */
  switched(fiber: Fiber): boolean {
    const { switching } = this;
    if (switching === null) return false;
    this.switching = null;
    this.waitStart = null;
    switching(fiber);
    return true;
  }
}

/** The elements that a record's own `each` passes on, if sequences have the method `name`. */
function sequenceOf(value: Value, name: string): Sequence | null {
  if (ownMethod(value, 'each') === undefined || !SEQUENCE.methods.has(name)) return null;
  return new Sequence(SEQUENCE, () => ownEach(value) as ProducedIterator);
}

function newError(type: ErrorType, args: Value[]): ErrorValue {
  if (args.length > 1) fail(Errors.ArgumentError, `${type.name}() takes 0..1 arguments, got ${args.length}`);
  return new ErrorValue(type, args.length === 0 ? type.name : toText(args[0]));
}
