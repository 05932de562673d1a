/** Iterators that make their elements of those of another iterator, one at a time. */
import { type Caller, PullIterator } from '../../../vm/calls/caller.js';
import type { Requests } from '../../../vm/calls/caller.js';
import { hashKey } from '../../../vm/values/keys.js';
import { SetValue } from '../../../vm/values/set.js';
import { END, type Iterator } from '../../../vm/values/iterator.js';
import type { Value } from '../../../vm/values/value.js';
import { NumberedFunction } from '../numberedfunction.js';

/** How a stage finds its next element: requests whose result is the element, or END. */
type Next = (source: Iterator) => Requests;

function isTrue(value: Value): boolean {
  return value !== null && value !== false;
}

/** A stage of a lazy sequence. */
class Stage extends PullIterator {
  constructor(
    readonly source: Iterator,
    private readonly element: Next,
  ) {
    super();
  }

  pull(vm: Caller): undefined {
    return vm.answering(this.element(this.source));
  }

  override close(vm: Caller): Value | undefined {
    return this.source instanceof PullIterator ? this.source.close(vm) : null;
  }
}

/** Makes the iterator of a stage from that of the stage before it. */
export type MakeStage = (source: Iterator) => Iterator;

/** A stage that calls a function for elements. One that counts begins anew with each iteration. */
function calling(fn: Value, begin: (fn: Value) => Next): MakeStage {
  return stage(() => begin(fn instanceof NumberedFunction ? fn.again() : fn));
}

/** A stage with state for each iteration: `begin` is called when one begins. */
function stage(begin: () => Next): MakeStage {
  return (source) => new Stage(source instanceof Passing ? source.source : source, begin());
}

/** The elements as they are, one for each request, so that nobody gathers a source without end at once. */
export const passing: MakeStage = (source) => new Passing(source, passOn);

class Passing extends Stage {}

function* passOn(source: Iterator): Requests {
  return yield source;
}

function call(fn: Value, ...args: Value[]): { fn: Value; args: Value[] } {
  return { fn, args };
}

export function mapping(fn: Value): MakeStage {
  return calling(
    fn,
    (ask) =>
      function* (source) {
        const item = yield source;
        return item === END ? END : yield call(ask, item);
      },
  );
}

/** The elements for which the function is true, or is not. */
export function filtering(fn: Value, wanted: boolean): MakeStage {
  return calling(
    fn,
    (ask) =>
      function* (source) {
        for (;;) {
          const item = yield source;
          if (item === END || isTrue(yield call(ask, item)) === wanted) return item;
        }
      },
  );
}

/** The results of the function that are neither nil nor false. */
export function filterMapping(fn: Value): MakeStage {
  return calling(
    fn,
    (ask) =>
      function* (source) {
        for (;;) {
          const item = yield source;
          if (item === END) return END;
          const result = yield call(ask, item);
          if (isTrue(result)) return result;
        }
      },
  );
}

/** The elements of the vectors that the function returns; other results are elements themselves. */
export function flatMapping(fn: Value): MakeStage {
  return calling(fn, (ask) => {
    let list: Value[] = [];
    let at = 0;
    return function* (source) {
      while (at >= list.length) {
        const item = yield source;
        if (item === END) return END;
        const result = yield call(ask, item);
        list = Array.isArray(result) ? result : [result];
        at = 0;
      }
      return list[at++];
    };
  });
}

/** At most `n` elements; does not ask for more. */
export function taking(n: number): MakeStage {
  return stage(() => {
    let left = n;
    return function* (source) {
      return left-- > 0 ? yield source : END;
    };
  });
}

export function takingWhile(fn: Value): MakeStage {
  return calling(fn, (ask) => {
    let ended = false;
    return function* (source) {
      const item = ended ? END : yield source;
      if (item === END || isTrue(yield call(ask, item))) return item;
      ended = true;
      return END;
    };
  });
}

export function dropping(n: number): MakeStage {
  return stage(() => {
    let left = n;
    return function* (source) {
      for (; left > 0; left--) if ((yield source) === END) return END;
      return yield source;
    };
  });
}

export function droppingWhile(fn: Value): MakeStage {
  return calling(fn, (ask) => {
    let dropping = true;
    return function* (source) {
      for (;;) {
        const item = yield source;
        if (!dropping || item === END) return item;
        dropping = isTrue(yield call(ask, item));
        if (!dropping) return item;
      }
    };
  });
}

/** Each element with its index, or what the function makes of the two. */
export function numbering(first: number, fn: Value): MakeStage {
  return stage(() => {
    let i = first;
    return function* (source) {
      const item = yield source;
      if (item === END) return END;
      return fn === null ? [item, i++] : yield call(fn, item, i++);
    };
  });
}

/** The first element for each key; the function makes the key, or nil for the elements themselves. */
export function uniting(fn: Value): MakeStage {
  return stage(() => {
    const known = new SetValue();
    return function* (source) {
      for (;;) {
        const item = yield source;
        if (item === END) return END;
        const key = hashKey(fn === null ? item : yield call(fn, item));
        if (known.has(key)) continue;
        known.add(key);
        return item;
      }
    };
  });
}

export function compacting(): MakeStage {
  return stage(
    () =>
      function* (source) {
        for (;;) {
          const item = yield source;
          if (item !== null) return item;
        }
      },
  );
}

/** Vectors of `n` elements, the last one perhaps shorter. */
export function slicing(n: number): MakeStage {
  return stage(
    () =>
      function* (source) {
        const part: Value[] = [];
        while (part.length < n) {
          const item = yield source;
          if (item === END) break;
          part.push(item);
        }
        return part.length === 0 ? END : part;
      },
  );
}

/** Each element with those of the other iterators; nil where one has ended. */
export function zipping(begin: () => Iterator[]): MakeStage {
  return stage(() => {
    const others = begin();
    return function* (source) {
      const item = yield source;
      if (item === END) return END;
      const row = [item];
      for (const other of others) {
        const value = yield other;
        row.push(value === END ? null : value);
      }
      return row;
    };
  });
}

/** Calls the function with each element, which it passes on. */
export function watching(fn: Value): MakeStage {
  return stage(
    () =>
      function* (source) {
        const item = yield source;
        if (item !== END) yield call(fn, item);
        return item;
      },
  );
}
