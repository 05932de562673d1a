import { LAZY, Sequence } from '../../../vm/calls/sequence.js';
import { Iterator } from '../../../vm/values/iterator.js';
import { add } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { rowsFor, type Int, type Row } from '../declare.js';
import { snapshot, tabulated } from '../steps.js';

/** Iterators that pass the plain elements to their blocks. */
const PLAIN =
  'each map collect flat_map filter_map select filter find_all reject find detect sum_by sort_by group_by partition take_while drop_while minmax_by bsearch each_entry';

function indexed(vm: NativeContext, list: readonly Value[], from: Int): Value | undefined {
  const items = snapshot(list);
  return tabulated(vm, 'pairs', items.length, (i) => [items[i], add(from, i)]);
}

function withObject(vm: NativeContext, list: readonly Value[], object: Value): Value | undefined {
  const items = snapshot(list);
  return tabulated(vm, 'pairs', items.length, (i) => [items[i], object]);
}

/** Elements of a list again and again. */
class CycleIterator extends Iterator {
  private index = 0;

  constructor(private readonly list: readonly Value[]) {
    super();
  }

  next(): Value | undefined {
    const { list } = this;
    return list.length === 0 ? undefined : list[this.index++ % list.length];
  }
}

/** The elements `times` times over, or an endless sequence of them. */
function repeated(vm: NativeContext, list: readonly Value[], times: Int | null): Value | undefined {
  if (times === null) {
    const items = list.slice();
    return new Sequence(LAZY, () => new CycleIterator(items));
  }
  const items = snapshot(list);
  const count = items.length * Math.max(0, Math.min(Number(times), Number.MAX_SAFE_INTEGER));
  return tabulated(vm, 'cycle', count, (i) => items[i % items.length]);
}

/**
 * Core iterators called without a block return a vector of the arguments that the block would get. The compiler inlines
 * calls with a block.
 */
// prettier-ignore
export const iteratingRows: readonly Row[] = [
  [PLAIN, '', 'Vector', 'Without a block: a vector of the elements.', (_: unknown, list: Value[]) => list.slice()],
  ['min_by max_by', 'n: Integer? = nil', 'Vector', 'Without a block: a vector of the elements.', (_: unknown, list: Value[]) => list.slice()],
  ['cycle', 'n: Integer? = nil', 'Vector|Lazy', 'Without a block: the elements, `n` times over; without `n` a lazy sequence that repeats them for ever.', (vm: NativeContext, list: Value[], n: Int | null) => repeated(vm, list, n)],
  ['each_with_index map_with_index', '', 'Vector', 'Without a block: pairs of element and index.', (vm: NativeContext, list: Value[]) => indexed(vm, list, 0)],
  ['with_index', 'from: Integer = 0', 'Vector', 'Without a block: pairs of element and number, counted from `from`.', (vm: NativeContext, list: Value[], from: Int) => indexed(vm, list, from)],
  ['each_index', '', 'Vector', 'Without a block: the indexes.', (_: unknown, list: Value[]) => list.map((_item, i) => i)],
  ...rowsFor('reduce inject', (name) => [name, '*initial: Any', 'Any', 'Needs a block, which combines two values into one.', () => fail(Errors.ArgumentError, `${name}() needs a block: ${name}(initial) { |sum, x| … }`)]),
  ['each_with_object', 'object: Any', 'Vector', 'Without a block: pairs of element and object.', (vm: NativeContext, list: Value[], object: Value) => withObject(vm, list, object)],
];
