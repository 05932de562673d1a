import { native } from '../../../vm/calls/native.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { only, type Row } from '../declare.js';
import { replaced } from './changing.js';
import { combiningRows } from './combining.js';
import { orderingRows } from './ordering.js';

const DOCS: Readonly<Record<string, string>> = {
  sort: 'Sorts the elements in ascending order; equal ones keep their order. Returns the vector.',
  reverse: 'Puts the elements in reverse order and returns the vector.',
  rotate: 'Shifts the elements to the left; those shifted out follow at the end. Returns the vector.',
  shuffle: 'Puts the elements in random order and returns the vector.',
  uniq: 'Removes repetitions and returns the vector.',
  compact: 'Removes elements that are nil and returns the vector.',
  flatten:
    'Puts the elements of nested vectors in their places, of all levels or the first `depth`; returns the vector.',
};

/** `sort!` from `sort`: replaces the elements of the vector by those of the result, which may be made in pieces. */
function inPlace([name, signature, , , impl]: Row): Row {
  const make = native(name, `list: Vector${signature === '' ? '' : `, ${signature}`}`, 'Vector', '', impl);
  return [
    `${name}!`,
    signature,
    'Vector',
    DOCS[name],
    (vm: NativeContext, list: Value[], ...args: Value[]) =>
      vm.callThen(make, [list, ...args], {
        done: (out) => replaced(list, out as Value[]),
      }),
  ];
}

const copyOfElements = (_: unknown, list: Value[]): Value => list.slice();

/** Methods with `!`, which change the vector as the methods without it would make a new one. */
export const inPlaceRows: readonly Row[] = [
  ...only([...orderingRows, ...combiningRows], Object.keys(DOCS).join(' ')).map(inPlace),
  [
    'map! select! filter! keep_if reject! delete_if sort_by!',
    '',
    'Vector',
    'Without a block: a vector of the elements.',
    copyOfElements,
  ],
];
