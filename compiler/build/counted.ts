import type { Expr, Member, Method } from '../ast.js';
import { invalid } from './invalid.js';

/**
 * Iterators whose block can also receive a number. Without a block they return the elements, so `map.with_index` needs
 * no special case.
 */
const COUNTED = new Set([
  'select',
  'filter',
  'find_all',
  'reject',
  'select!',
  'filter!',
  'keep_if',
  'reject!',
  'delete_if',
  'map!',
  'collect!',
  'partition',
  'sort_by',
  'sort_by!',
  'min_by',
  'max_by',
  'minmax_by',
  'sum_by',
  'group_by',
  'flat_map',
  'filter_map',
  'find',
  'detect',
  'find_index',
  'take_while',
  'drop_while',
  'transform_values',
  'transform_keys',
  'map_hash',
]);

/** Turns `v.select.with_index(1) { |x, i| … }` into `v.select { … }` whose block also receives a number. */
export function counted(node: Method): Expr {
  const { recv, block, args } = node;
  if (
    (node.name !== 'with_index' && node.name !== 'each_with_index') ||
    !isCounted(recv) ||
    args.length > (node.name === 'with_index' ? 1 : 0)
  )
    return node;
  if (block !== null) {
    const index = (args[0] as Expr | undefined) ?? {
      type: 'Int',
      start: node.nameStart,
      end: node.nameStart,
      value: 0,
    };
    return { ...node, recv: recv.recv, name: recv.name, nameStart: recv.nameStart, safe: recv.safe, args: [], index };
  }
  return args[0]?.type !== 'Lambda'
    ? node
    : invalid(
        'syntax-error',
        `\`${recv.name}.${node.name}\` takes a block, not a function`,
        args[0].start,
        args[0].end,
        'write the block after it: { |x, i| … }',
      );
}

function isCounted(recv: Expr): recv is Member | Method {
  return (
    (recv.type === 'Member' || (recv.type === 'Method' && recv.block === null && recv.args.length === 0)) &&
    COUNTED.has(recv.name)
  );
}
