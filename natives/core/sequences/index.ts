/** Sequences made by `sequence do |out|`, and lazy sequences. */
import { gathered } from '../../../vm/calls/gathering.js';
import { LAZY, OUT, type Out, ProducedIterator, pulledFrom, Sequence, SEQUENCE } from '../../../vm/calls/sequence.js';
import { PullIterator } from '../../../vm/calls/caller.js';
import type { Requests } from '../../../vm/calls/caller.js';
import { afterwards, native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import { iterate } from '../../../vm/values/iteration.js';
import { END, type Iterator } from '../../../vm/values/iterator.js';
import { BYTES } from '../../../vm/values/bytes.js';
import { SET } from '../../../vm/values/set.js';
import { truthy, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { sequenceRows } from '../collections/index.js';
import { equality } from '../collections/ownequal.js';
import { toSet } from '../collections/set.js';
import { functions, methodGroup, methodsOf, unfold, without, type Int, type Row } from '../declare.js';
import { countOf } from '../limits.js';
import { overElements, withElements } from '../steps.js';
import * as stages from './stages.js';

type Vm = NativeContext;

/** A lazy sequence over the elements of a value, changed by a stage. */
function lazily(source: Value, name: string, stage: stages.MakeStage): Sequence {
  return new Sequence(LAZY, () => stage(elementsOf(source, name)));
}

function elementsOf(source: Value, name: string): Iterator {
  return pulledFrom(source) ?? iterate(source, 0, name);
}

/** The elements of `iterator` until `visit` returns false; it is closed then. */
function* visited(iterator: Iterator, visit: (item: Value) => boolean, result: () => Value): Requests {
  yield* gathered(iterator, visit, null);
  if (iterator instanceof PullIterator) yield { fn: CLOSE, args: [iterator] };
  return result();
}

const CLOSE = native('close', 'iterator: Any', 'Nil', 'Closes an iterator.', (vm: Vm, iterator: PullIterator) =>
  iterator.close(vm),
);

/** The first element, nil if there is none; or a vector of the first `n`. */
function first(vm: Vm, sequence: Sequence, n: Int | null): undefined {
  const out: Value[] = [];
  const wanted = n === null ? 1 : countOf(n, 'n');
  const visit = (item: Value): boolean => out.push(item) < wanted;
  const result = (): Value => (n === null ? (out[0] ?? null) : out);
  return vm.answering(wanted === 0 ? nothing(out) : visited(sequence.iterator(), visit, result));
}

// eslint-disable-next-line require-yield -- asks for nothing
function* nothing(result: Value): Requests {
  return result;
}

/** Whether an element equals `value`: asks for no more elements once one does. */
function* including(iterator: Iterator, value: Value): Requests {
  for (;;) {
    const item = yield iterator;
    if (item === END) return false;
    if (truthy(yield equality(item, value))) {
      if (iterator instanceof PullIterator) yield { fn: CLOSE, args: [iterator] };
      return true;
    }
  }
}

/** The next element of the sequence's own iteration. @throws StopIteration at the end, unless there is a default */
function next(vm: Vm, sequence: Sequence, rest: Value[], stays: boolean): Value | undefined {
  const cursor = (sequence.cursor ??= { iterator: sequence.iterator(), ahead: undefined });
  const take = (item: Value): Value => {
    cursor.ahead = stays || item === END ? item : undefined;
    if (item !== END) return item;
    return rest.length > 0 ? rest[0] : fail(Errors.StopIteration, 'the sequence has no more elements');
  };
  return cursor.ahead === undefined ? vm.answering(taken(cursor.iterator, take)) : take(cursor.ahead);
}

function* taken(iterator: Iterator, take: (item: Value) => Value): Requests {
  return take(yield iterator);
}

/** Ends the iteration of `next`. */
function close(vm: Vm, sequence: Sequence): Value | undefined {
  const iterator = sequence.cursor?.iterator ?? sequence.running;
  sequence.cursor = sequence.running = null;
  return iterator instanceof PullIterator ? vm.answering(closing(iterator)) : null;
}

function* closing(iterator: PullIterator): Requests {
  yield { fn: CLOSE, args: [iterator] };
  return null;
}

/** A row for a method that adds a stage to a lazy sequence. */
function stageRow(names: string, signature: string, doc: string, make: (a: Value, b: Value) => stages.MakeStage): Row {
  const [name] = names.split(' ');
  return [
    names,
    signature,
    'Lazy',
    doc,
    (_vm: Vm, source: Sequence, a: Value, b: Value) => lazily(source, name, make(a ?? null, b ?? null)),
  ];
}

const LAZY_ROW: Row = [
  'lazy',
  '',
  'Lazy',
  'A lazy sequence of the elements: its `map`, `select` and the like return lazy sequences, and compute an element when it is asked for.',
  (_vm: Vm, source: Value) => lazily(source, 'lazy', stages.passing),
];

// prettier-ignore
const commonRows: readonly Row[] = [
  LAZY_ROW,
  ['first', 'n: Integer? = nil', 'Any', 'The first element, nil if there is none; or a vector of the first `n`. Computes no others.', first],
  ['to_a to_vec', '', 'Vector', 'All elements as a vector.', (vm: Vm, sequence: Sequence) => all(vm, sequence)],
  ['to_set', '', 'Set', 'A set of the elements.', (vm: Vm, sequence: Sequence) => withElements(vm, sequence, 'to_set', (list) => toSet(vm, list))],
  ['include? member?', 'item: Any', 'Boolean', 'Whether an element equals a value; stops at the first one.', (vm: Vm, sequence: Sequence, item: Value) => vm.answering(including(sequence.iterator(), item))],
  ['next', '*default: Any', 'Any', 'The next element. At the end the default, without one StopIteration, which ends a `loop`. Elements taken by `each` and others are not affected.', (vm: Vm, sequence: Sequence, rest: Value[]) => next(vm, sequence, rest, false)],
  ['peek', '*default: Any', 'Any', 'The element that `next` will return.', (vm: Vm, sequence: Sequence, rest: Value[]) => next(vm, sequence, rest, true)],
  ['rewind', '', 'Sequence|Lazy', 'Lets `next` begin anew.', (vm: Vm, sequence: Sequence) => afterwards(vm, () => close(vm, sequence), () => sequence)],
  ['close', '', 'Nil', 'Ends the iteration of `next`: `ensure` clauses of the sequence\'s block run.', close],
];

function all(vm: Vm, sequence: Sequence): undefined {
  const out: Value[] = [];
  return vm.answering(gathered(sequence.iterator(), (item) => out.push(item) > 0, out));
}

// prettier-ignore
const lazyRows: readonly Row[] = [
  ...commonRows,
  ['force', '', 'Vector', 'All elements as a vector.', all],
  ['eager', '', 'Sequence', 'The sequence with `map` and the like that return vectors.', (_vm: Vm, source: Sequence) => new Sequence(SEQUENCE, () => source.iterator())],
  stageRow('map collect', 'block: Function? = nil', 'What the block makes of each element; without one, the elements.', (fn) => (fn === null ? stages.passing : stages.mapping(fn))),
  stageRow('select filter', '&block: Function', 'The elements for which the block is true.', (fn) => stages.filtering(fn, true)),
  stageRow('reject', '&block: Function', 'The elements for which the block is not true.', (fn) => stages.filtering(fn, false)),
  stageRow('filter_map', '&block: Function', 'What the block makes of each element, without nil and false.', stages.filterMapping),
  stageRow('flat_map', '&block: Function', 'The elements of the vectors that the block makes of each element.', stages.flatMapping),
  stageRow('take', 'n: Integer', 'The first `n` elements.', (n) => stages.taking(countOf(n as Int, 'n'))),
  stageRow('take_while', '&block: Function', 'The elements before the first one for which the block is not true.', stages.takingWhile),
  stageRow('drop', 'n: Integer', 'The elements after the first `n`.', (n) => stages.dropping(countOf(n as Int, 'n'))),
  stageRow('drop_while', '&block: Function', 'The elements from the first one for which the block is not true.', stages.droppingWhile),
  stageRow('with_index each_with_index', 'option: Function|Integer? = nil, block: Function? = nil', 'Pairs of element and index, which begins at 0 or at the given number; or what the block makes of the two.', numbering),
  stageRow('uniq', 'block: Function? = nil', 'The first element of those that are equal, or for which the block returns the same.', stages.uniting),
  stageRow('compact', '', 'The elements that are not nil.', () => stages.compacting()),
  stageRow('each_slice', 'n: Integer', 'Vectors of `n` consecutive elements; the last one may be shorter.', (n) => stages.slicing(sliceSize(n as Int))),
  stageRow('tap_each', '&block: Function', 'The elements; each is passed to the block before.', stages.watching),
  ['zip', '*others: Any', 'Lazy', 'Vectors of an element and those of other collections at the same place; nil where one has ended.', (_vm: Vm, source: Sequence, others: Value[]) => lazily(source, 'zip', stages.zipping(() => others.map((other) => elementsOf(other, 'zip'))))],
];

function numbering(option: Value, block: Value): stages.MakeStage {
  return typeof option === 'number' ? stages.numbering(option, block) : stages.numbering(0, option);
}

function sliceSize(n: Int): number {
  const size = countOf(n, 'n');
  return size > 0 ? size : fail(Errors.ArgumentError, 'each_slice() needs a size of at least 1');
}

/** Methods of vectors that need all elements. */
function gatheringRows(own: readonly Row[]): readonly Row[] {
  const names = unfold(own).map(([name]) => name);
  return overElements(without(sequenceRows, `fill ${names.join(' ')}`));
}

const [makeSequence] = functions([
  [
    'sequence',
    '&block: Function',
    'Sequence',
    'A sequence of the values that the block passes to its parameter with `out << value`. The block runs as far as elements are asked for; each iteration runs it anew.',
    (_vm: Vm, block: Value) => new Sequence(SEQUENCE, () => new ProducedIterator(block, null)),
  ],
]);

const sequenceMethods = methodGroup('Sequence', () => [...commonRows, ...gatheringRows(commonRows)]);
const lazyMethods = methodGroup('Lazy', () => [...lazyRows, ...gatheringRows(lazyRows)]);
// prettier-ignore
const outMethods = methodsOf('Out', [
  ['push', 'value: Any', 'Out', 'Passes on an element, as `out << value` does; waits until the next one is asked for.', (vm: Vm, out: Out, value: Value) => out.give(vm, value)],
]);
const lazyOfOthers = ['Vector', 'Hash', 'Range', 'Set', 'Enum', 'Bytes', 'Record'].map((owner) =>
  methodGroup(owner, () => [LAZY_ROW]),
);
for (const group of lazyOfOthers) ({ Set: SET, Bytes: BYTES })[group.owner]?.add(group);
SEQUENCE.add(sequenceMethods);
LAZY.add(lazyMethods);
for (const fn of outMethods) OUT.methods.set(fn.name, fn);

/** Sequences, and `lazy` of other collections. */
export const sequences: Natives = [makeSequence, sequenceMethods, lazyMethods, ...outMethods, ...lazyOfOthers];
