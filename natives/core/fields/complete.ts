import type { Requests } from '../../../vm/calls/caller.js';
import { afterwards, native, nativeLike } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { NameList } from '../../../vm/values/function.js';
import { Shape } from '../../../vm/values/hash.js';
import { RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import type { Incomplete } from './reader.js';

const CONSTRUCT = native('construct', '', 'Any', 'Calls the constructor of a record.', () => null);

/** Calls the constructors of incomplete records for the defaults of their missing fields. */
function* completing(vm: NativeContext, incomplete: readonly Incomplete[]): Requests {
  for (const { record, given } of incomplete) {
    const { make, fields } = record.type;
    const args = given.map((name) => record.get(name) ?? null);
    const construct = nativeLike(CONSTRUCT, () => vm.invoke(make, args, new NameList(given, Shape.of(given))));
    const made = yield { fn: construct, args: [] };
    if (made instanceof RecordValue)
      for (const name of fields) if (!given.includes(name)) record.set(name, made.get(name) ?? null);
  }
  return null;
}

/** Computes the defaults of records, then continues with `then`. */
export function completed(
  vm: NativeContext,
  incomplete: readonly Incomplete[],
  then: () => Value | undefined,
): Value | undefined {
  return incomplete.length === 0 ? then() : afterwards(vm, () => vm.answering(completing(vm, incomplete)), then);
}
