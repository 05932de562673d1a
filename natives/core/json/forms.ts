/** The JSON forms of records that have a `to_json` of their own: it returns the value that is encoded instead. */
import type { Caller, Requests } from '../../../vm/calls/caller.js';
import { afterwards, native } from '../../../vm/calls/native.js';
import { Hash } from '../../../vm/values/hash.js';
import { SetValue } from '../../../vm/values/set.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { enter } from './encode.js';

/** Values that are looked at between two requests, so that other threads can run. */
const PIECE = 1000;

const PAUSE = native('pause', '', 'Nil', 'Lets other threads run.', () => null);

/** Calls `then` with a value in which records with their own `to_json` are replaced by what it returns. */
export function withForms(vm: Caller, value: Value, then: (value: Value) => Value | undefined): Value | undefined {
  if (!RecordType.haveForms || typeof value !== 'object' || value === null) return then(value);
  return afterwards(vm, () => vm.answering(new Forms().of(value, 0)), then);
}

class Forms {
  private count = 0;
  private containers = 0;

  /** The value, or a copy if it holds records that have forms. @throws ValueError if it is nested too deeply */
  *of(value: Value, depth: number): Requests {
    if (typeof value !== 'object' || value === null) return value;
    if (++this.count % PIECE === 0) yield { fn: PAUSE, args: [] };
    if (Array.isArray(value)) return yield* this.vector(value, this.enter(depth));
    if (value instanceof Hash) return yield* this.hash(value, value, this.enter(depth));
    if (value instanceof SetValue) return yield* this.vector(value.items(), this.enter(depth));
    if (!(value instanceof RecordValue)) return value;
    const { form } = value.type;
    if (form === null) return yield* this.hash(value, value.fields, this.enter(depth));
    return yield* this.of(yield { fn: form, args: [value] }, this.enter(depth));
  }

  private enter(depth: number): number {
    return enter(depth, ++this.containers);
  }

  private *vector(list: Value[], depth: number): Requests {
    let copy: Value[] | null = null;
    for (let i = 0; i < list.length; i++) {
      const item = yield* this.of(list[i], depth);
      if (item !== list[i]) (copy ??= list.slice(0))[i] = item;
    }
    return copy ?? list;
  }

  private *hash(value: Value, hash: Hash, depth: number): Requests {
    const copy = new Hash();
    let changed = false;
    for (const [key, item] of hash.pairs()) {
      const form = yield* this.of(item, depth);
      changed ||= form !== item;
      copy.set(key, form);
    }
    return changed ? copy : value;
  }
}
