import { native, nativeLike } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Thrown } from '../../../vm/fibers/fiber.js';
import { NameList } from '../../../vm/values/function.js';
import { Shape } from '../../../vm/values/hash.js';
import { RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import type { Incomplete } from './reader.js';

const CONSTRUCT = native('construct', '', 'Any', 'Calls the constructor of a record.', () => null);

/** Calls the constructor of an incomplete record for the defaults of its missing fields. */
function complete(vm: NativeContext, { record, given }: Incomplete): Value | undefined {
  const { make, fields } = record.type;
  const args = given.map((name) => record.fields.get(name) ?? null);
  const construct = nativeLike(CONSTRUCT, () => vm.invoke(make, args, new NameList(given, Shape.of(given))));
  return vm.callThen(construct, [], {
    done: (made) => {
      if (made instanceof RecordValue)
        for (const name of fields) if (!given.includes(name)) record.fields.set(name, made.fields.get(name) ?? null);
      return null;
    },
    failed,
  });
}

/** Completes the records from `lo` to `hi`. Halves their number, because each continuation takes a frame. */
function completeAll(vm: NativeContext, records: readonly Incomplete[], lo: number, hi: number): Value | undefined {
  if (lo === hi) return null;
  if (hi - lo === 1) return complete(vm, records[lo]);
  const middle = (lo + hi) >> 1;
  const first = nativeLike(CONSTRUCT, () => completeAll(vm, records, lo, middle));
  return vm.callThen(first, [], { done: () => completeAll(vm, records, middle, hi), failed });
}

/** Computes the defaults of records, then continues with `then`. */
export function completed(
  vm: NativeContext,
  incomplete: readonly Incomplete[],
  then: () => Value | undefined,
): Value | undefined {
  if (incomplete.length === 0) return then();
  const completing = nativeLike(CONSTRUCT, () => completeAll(vm, incomplete, 0, incomplete.length));
  return vm.callThen(completing, [], { done: then, failed });
}

export function failed(thrown: Thrown): never {
  throw thrown;
}
