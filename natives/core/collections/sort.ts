import { isPlain } from '../../../vm/values/codepoints.js';
import { compare } from '../../../vm/values/equal.js';
import type { Value } from '../../../vm/values/value.js';

/** Sorts a vector in place by `<`, equal elements keeping their order. @throws TypeError for elements without an order between them */
export function sorted(list: Value[]): Value[] {
  if (list.length < 2) return list;
  if (list.every((x) => typeof x === 'number')) return sortNumbers(list);
  // Where there are no surrogates, JavaScript's order of texts is that of code points.
  if (list.every((x) => typeof x === 'string' && isPlain(x))) return list.sort();
  return list.sort(compare);
}

function sortNumbers(list: Value[]): Value[] {
  const order = Float64Array.from(list as number[]).sort();
  for (let i = 0; i < order.length; i++) list[i] = order[i];
  return list;
}
