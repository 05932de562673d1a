import { type Coroutine, outside } from '../fibers/coroutine.js';
import { Errors, fail } from '../values/error.js';
import { NativeFunction } from '../values/function.js';
import { Handle, HandleType } from '../values/handle.js';
import { type Iterator } from '../values/iterator.js';
import { ownMethod } from '../values/structured.js';
import type { Value } from '../values/value.js';
import { type Caller, PullIterator } from './caller.js';

/** The parameter of a sequence's block. */
export class Out extends Handle {
  coroutine: Coroutine | null = null;

  get type(): HandleType {
    return OUT;
  }

  /** Passes on an element. @throws RuntimeError outside of the sequence's block */
  give(vm: Caller, value: Value): undefined {
    if (this.coroutine === null) throw outside();
    return vm.park(this.coroutine, value, this);
  }
}

export const OUT = new HandleType('Out');

/** The elements that a function passes on: a sequence's block to its `out`, a record's `each` to its parameter. */
export class ProducedIterator extends PullIterator {
  coroutine: Coroutine | null = null;

  /** @param self the record whose `each` is called; null for a block */
  constructor(
    private readonly producer: Value,
    private readonly self: Value,
  ) {
    super();
  }

  pull(vm: Caller): Value | undefined {
    this.coroutine ??= this.self === null ? this.forBlock(vm) : this.forRecord(vm, this.self);
    return vm.resume(this.coroutine);
  }

  private forBlock(vm: Caller): Coroutine {
    const out = new Out();
    return (out.coroutine = vm.newCoroutine(this.producer, [out], this));
  }

  private forRecord(vm: Caller, self: Value): Coroutine {
    const pass = new NativeFunction('f', '*values: Any', 'Nil', '', (inner: Caller, values: Value[]) =>
      inner.park(coroutine, values.length === 1 ? values[0] : values, null),
    );
    const coroutine = vm.newCoroutine(this.producer, [self, pass], this);
    return coroutine;
  }

  override close(vm: Caller): Value | undefined {
    const { coroutine } = this;
    return coroutine === null ? null : vm.close(coroutine);
  }
}

/** Values that are computed when they are asked for. Each iteration begins anew. */
export class Sequence extends Handle {
  /** The iteration of `next` and `peek`. */
  cursor: { iterator: Iterator; ahead: Value | undefined } | null = null;
  /** The iteration that `close` ends, if there is no cursor: sequences that hold something outside set it. */
  running: Iterator | null = null;

  /** @param begin makes an iterator */
  constructor(
    readonly type: HandleType,
    private readonly begin: () => Iterator,
  ) {
    super();
  }

  override iterator(): Iterator {
    return this.begin();
  }
}

/** Sequences whose iterators return vectors, and those whose iterators return sequences. */
export const SEQUENCE = new HandleType('Sequence');
export const LAZY = new HandleType('Lazy');

/** @throws RuntimeError if the coroutine is being closed */
export function checkOpen(coroutine: Coroutine): void {
  if (coroutine.closing) fail(Errors.RuntimeError, 'the sequence is being closed: it takes no more elements');
}

/** The elements that a record's own `each` passes on; null for other values. */
export function ownEach(value: Value): ProducedIterator | null {
  const each = ownMethod(value, 'each');
  return each === undefined ? null : new ProducedIterator(each, value);
}

/** The iterator of a sequence or of a record with its own `each`, which runs code of the program; null for others. */
export function pulledFrom(value: Value): Iterator | null {
  return value instanceof Sequence ? value.iterator() : ownEach(value);
}
