import type { Natives } from '../../../vm/values/methodgroup.js';
import { neverSuspends } from '../../../vm/calls/native.js';
import { SET, SetValue, setOf, setOperators } from '../../../vm/values/set.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { ownMethod, RecordValue } from '../../../vm/values/structured.js';
import { typeName } from '../../../vm/values/types.js';
import { eachInSteps, finish, type Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge, LIGHT, weigh } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, methodGroup, without, type Row } from '../declare.js';
import { overElements, withElements, withLists } from '../steps.js';
import { copySteps } from './merging.js';

type SetOperator = (a: SetValue, b: SetValue) => Generator<void, SetValue, void>;

/** Runs `steps`: at once if the operands are light, otherwise in pieces. */
function run(vm: NativeContext, what: string, operands: readonly Value[], steps: () => Steps): Value | undefined {
  const weight = operands.reduce<number>((sum, value) => sum + weigh(value), 0);
  return weight <= LIGHT ? finish(steps()) : vm.inPieces(what, steps());
}

/** A set of the elements of a collection. */
function make(vm: NativeContext, source: Value): Value | undefined | void {
  if (source === null) return new SetValue();
  if (source instanceof RecordValue && ownMethod(source, 'each') === undefined)
    fail(Errors.TypeError, `Set(): ${typeName(source)} has no method 'each' that passes on elements`);
  return withElements(vm, source, 'Set', (list) => toSet(vm, list));
}

/** A set of the elements of a vector. */
export function toSet(vm: NativeContext, list: readonly Value[]): Value | undefined {
  return run(vm, 'Set', [list as Value[]], () => setOf(isLarge(list) ? list.slice() : list));
}

/** Applies an operator to the set and each of other collections in turn. */
function combine(
  vm: NativeContext,
  name: string,
  set: SetValue,
  others: Value[],
  operator: SetOperator,
): Value | undefined {
  return withLists(vm, others, name, (all) => {
    const lists = all.map((list) => list.slice());
    return run(vm, name, [set, ...lists], function* () {
      let result = new SetValue(yield* copySteps(set.elements));
      for (const list of lists) result = yield* operator(result, yield* setOf(list));
      return result;
    });
  });
}

function combining(names: string, doc: string, operator: SetOperator): Row {
  const [name] = names.split(' ');
  return [
    names,
    '*others: Any',
    'Set',
    doc,
    (vm: NativeContext, set: SetValue, others: Value[]) => combine(vm, name, set, others, operator),
  ];
}

function operator(name: '|' | '&' | '-' | '^', doc: string): Row {
  return [
    name,
    'other: Set',
    'Set',
    doc,
    (vm: NativeContext, set: SetValue, other: SetValue) =>
      run(vm, name, [set, other], () => setOperators[name](set, other)),
  ];
}

/** Whether all elements of `some` are in `all`, in steps. */
function isWithin(vm: NativeContext, what: string, some: SetValue, all: SetValue): Value | undefined {
  if (some.size > all.size) return false;
  return run(vm, what, [some], function* () {
    const list = some.items();
    let missing = false;
    yield* eachInSteps(list.length, (i) => (missing ||= !all.has(list[i])));
    return !missing;
  });
}

/** Whether the sets have an element in common, or have none. */
function meet(vm: NativeContext, what: string, a: SetValue, b: SetValue, wanted: boolean): Value | undefined {
  const [some, all] = a.size < b.size ? [a, b] : [b, a];
  return run(vm, what, [some], function* () {
    const list = some.items();
    let found = false;
    yield* eachInSteps(list.length, (i) => (found ||= all.has(list[i])));
    return found === wanted;
  });
}

function addAll(vm: NativeContext, set: SetValue, others: Value[]): Value | undefined {
  return withLists(vm, others, 'merge', (all) => {
    const lists = all.map((list) => list.slice());
    return run(vm, 'merge', lists, function* () {
      for (const list of lists) yield* setOf(list, set);
      return set;
    });
  });
}

function addNew(set: SetValue, value: Value): boolean {
  const { size } = set;
  set.add(value);
  return set.size > size;
}

function changed(set: SetValue, change: (set: SetValue) => void): SetValue {
  change(set);
  return set;
}

// prettier-ignore
const ownRows: readonly Row[] = [
  ['length size', '', 'Integer', 'Number of elements.', neverSuspends((_: unknown, set: SetValue) => set.size)],
  ['empty?', '', 'Boolean', 'Whether there are no elements.', neverSuspends((_: unknown, set: SetValue) => set.size === 0)],
  ['include? member?', 'value: Any', 'Boolean', 'Whether an element equals a value; as fast for large sets as for small ones.', (_: unknown, set: SetValue, value: Value) => set.has(value)],
  ['add', 'value: Any', 'Set', 'Adds a value, unless an element equals it, and returns the set; `set << value` does the same.', (_: unknown, set: SetValue, value: Value) => changed(set, () => set.add(value))],
  ['add?', 'value: Any', 'Boolean', 'Adds a value; whether no element equalled it.', (_: unknown, set: SetValue, value: Value) => addNew(set, value)],
  ['merge', '*others: Any', 'Set', 'Adds the elements of other collections and returns the set.', addAll],
  ['delete', 'value: Any', 'Set', 'Removes the element that equals a value, if there is one, and returns the set.', (_: unknown, set: SetValue, value: Value) => changed(set, () => set.elements.delete(value))],
  ['clear', '', 'Set', 'Removes all elements and returns the set.', (_: unknown, set: SetValue) => changed(set, () => set.elements.clear())],
  ['copy dup', '', 'Set', 'A copy.', (vm: NativeContext, set: SetValue) => run(vm, 'copy', [set], function* () { return new SetValue(yield* copySteps(set.elements)); })],
  ['to_a to_vec', '', 'Vector', 'The elements in order of insertion.', (_: unknown, set: SetValue) => set.items()],
  combining('union', 'A set of the elements of this and other collections.', setOperators['|']),
  combining('intersect intersection', 'A set of the elements in all collections.', setOperators['&']),
  combining('difference', 'A set of the elements in none of the other collections.', setOperators['-']),
  combining('symmetric_difference', 'A set of the elements in only one of the collections.', setOperators['^']),
  operator('|', 'A set of the elements of both sets.'),
  operator('&', 'A set of the elements in both sets.'),
  operator('-', 'A set of the elements that the other set lacks.'),
  operator('^', 'A set of the elements in only one of the sets.'),
  ['subset?', 'other: Set', 'Boolean', 'Whether all elements are in another set.', (vm: NativeContext, set: SetValue, other: SetValue) => isWithin(vm, 'subset?', set, other)],
  ['superset?', 'other: Set', 'Boolean', 'Whether all elements of another set are in this one.', (vm: NativeContext, set: SetValue, other: SetValue) => isWithin(vm, 'superset?', other, set)],
  ['disjoint?', 'other: Set', 'Boolean', 'Whether the sets have no element in common.', (vm: NativeContext, set: SetValue, other: SetValue) => meet(vm, 'disjoint?', set, other, false)],
  ['intersect?', 'other: Set', 'Boolean', 'Whether the sets have an element in common.', (vm: NativeContext, set: SetValue, other: SetValue) => meet(vm, 'intersect?', set, other, true)],
];

const constructors = functions([
  [
    'Set',
    'elements: Vector|Hash|Range|Set|Enum|Sequence|Lazy|Record? = nil',
    'Set',
    'A set of the elements of a collection, or an empty one.',
    make,
  ],
]);
[SET.make] = constructors;

/** Methods of other collections that sets do not have, or have in another form. */
const NOT_SHARED = 'fill uniq compact tally index find_index rindex transpose';

/** The type Set, which makes sets when it is called, and their methods. */
export function setNatives(sequenceRows: readonly Row[]): Natives {
  const methods = methodGroup('Set', () => {
    const own = ownRows.map(([names]) => names).join(' ');
    return [...overElements(without(sequenceRows, `${NOT_SHARED} ${own}`)), ...ownRows];
  });
  SET.add(methods);
  return [...constructors, methods];
}
