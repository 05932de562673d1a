import { nearest } from '../../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { type EnumType, type RecordValue } from '../../../vm/values/structured.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { converted, functions, methodGroup, only, without, type Row } from '../declare.js';
import { statisticRows } from '../numbers/statistics.js';
import { accessRows, indexRows, pairsToHash } from './access.js';
import { changingRows } from './changing.js';
import { combiningRows, zip } from './combining.js';
import { defaultRows } from './defaults.js';
import { grepRows } from './grep.js';
import { hashReadingRows, hashRows, keyFirst, leading, ofSize } from './hash.js';
import { inPlaceRows } from './inplace.js';
import { iteratingRows } from './iterating.js';
import { orderingRows } from './ordering.js';
import { rangeMethods } from './range.js';
import { setNatives, toSet } from './set.js';
import { overElements, withElements } from '../steps.js';

/** Methods of all collections. */
export const sequenceRows: readonly Row[] = [
  ...accessRows,
  ...combiningRows,
  ...grepRows,
  ...iteratingRows,
  ...orderingRows,
  ...statisticRows,
];

// prettier-ignore
const vectorRows: readonly Row[] = [
  ...sequenceRows,
  ...indexRows,
  ...changingRows,
  ...inPlaceRows,
  ['to_a to_vec', '', 'Vector', 'The vector itself.', (_: unknown, list: Value[]) => list],
  ['to_set', '', 'Set', 'A set of the elements.', (vm: NativeContext, list: Value[]) => toSet(vm, list)],
  ['to_h', '', 'Hash', 'A hash of a vector of pairs.', (vm: NativeContext, list: Value[]) => pairsToHash(vm, list)],
  ['copy dup', '', 'Vector', 'A copy; elements are shared.', (_: unknown, list: Value[]) => list.slice()],
];

/** Methods of hashes as a sequence of pairs. */
const PAIR_METHODS =
  'each map flat_map filter_map reduce inject find_index select filter reject find detect sum_by min_by max_by sort_by group_by partition take_while drop_while each_with_index map_with_index with_index each_with_object each_slice each_cons chunk_while slice_when minmax_by each_entry cycle sort minmax reverse_each uniq grep grep_v collect find_all sum';
/** Those that need only the number of pairs if they get no argument. */
const COUNTING_METHODS = 'any? all? none? one? count';

const pairRows = (): Row[] => [
  ...only(sequenceRows, PAIR_METHODS),
  ['each_pair map_hash', '', 'Vector', 'Without a block: all pairs.', (_: unknown, pairs: Value[]) => pairs],
];

/** Methods whose names are often keys of data. */
const keyFirstRows = (): Row[] =>
  [...leadingRows('first'), ...overElements(only(sequenceRows, 'min max tally'))].map(
    ([name, signature, result, doc, impl]) => [
      name,
      signature,
      result,
      `${doc.slice(0, -1)}; without an argument the value of the key \`${name}\` when there is one.`,
      keyFirst(name, (vm, hash, n) => impl(vm, hash, n) as Value | undefined),
    ],
  );

/** Methods that give the first pairs. */
const leadingRows = (name: 'first' | 'take'): Row[] =>
  only(sequenceRows, name).map(([, signature, result, doc]) => [name, signature, result, doc, leading]);

/** A copy of a record with other values of some fields. @throws ArgumentError */
function changed(record: RecordValue, changes: Hash): RecordValue {
  const { type } = record;
  const copy = record.copy();
  changes.each((name, value) => {
    if (!copy.set(name, value)) {
      const near = nearest(String(name), type.fields);
      const hint = near === null ? `; its fields are ${type.fields.join(', ')}` : `, did you mean '${near}'?`;
      fail(Errors.ArgumentError, `${type.name} has no field '${String(name)}'${hint}`);
    }
  });
  return copy;
}

const recordRows = (): Row[] => [
  ...converted(without(hashReadingRows, 'to_h'), (record: RecordValue) => record.fields),
  ...overElements([...pairRows(), ...only(sequenceRows, COUNTING_METHODS)]),
  ['to_h', '', 'Hash', 'The fields as a hash.', (_: unknown, record: RecordValue) => record.fields.copy()],
  [
    'copy dup with',
    '**fields: Any',
    'Record',
    'A copy with other values for the named fields; values of the other fields are shared.',
    (_: unknown, record: RecordValue, fields: Hash) => changed(record, fields),
  ],
];

const enumRows = (): Row[] => [
  ...converted(without(sequenceRows, 'fill'), (type: EnumType) => type.all()),
  ['values to_a', '', 'Vector', 'All members.', (_: unknown, type: EnumType) => type.all()],
  ['name', '', 'String', 'Name of the enum.', (_: unknown, type: EnumType) => type.name],
];

/** Functions and methods of vectors, hashes, ranges, records and enums. */
export const collections: Natives = [
  ...functions([
    ['vec', '*items: Any', 'Vector', 'A vector of the arguments.', (_: unknown, items: Value[]) => items.slice()],
    [
      'zip',
      'first: Any, *others: Any',
      'Vector',
      'Vectors of the elements at the same index, one for each of the first collection; missing elements are nil, surplus ones are dropped.',
      (vm: NativeContext, first: Value, others: Value[]) =>
        withElements(vm, first, 'zip', (list) => zip(vm, list, others)),
    ],
  ]),
  methodGroup('Vector', () => vectorRows),
  methodGroup('Hash', () => [
    ...hashReadingRows,
    ...hashRows,
    ...defaultRows,
    ...keyFirstRows(),
    ...leadingRows('take'),
    ...overElements([...only(sequenceRows, 'drop'), ...pairRows()]),
    ...ofSize(overElements(only(sequenceRows, COUNTING_METHODS))),
  ]),
  ...setNatives(sequenceRows),
  methodGroup('Record', recordRows),
  methodGroup('Enum', enumRows),
  rangeMethods,
];
