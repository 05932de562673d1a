import { native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { inSeconds, type DurationValue } from '../../core/dates/duration.js';
import { type Int, methodsOf, type Num } from '../../core/declare.js';

const STORE = new HandleType('SvcMemoryStore');

interface Entry {
  readonly value: Value;
  /** When it expires, in the host's milliseconds. */
  readonly until: number;
}

/** Values with a time to live in the memory of the process. The one that was set first goes when there are too many. */
class MemoryStore extends Handle {
  readonly entries = new Map<string, Entry>();

  constructor(private readonly max: number) {
    super();
  }

  get type(): HandleType {
    return STORE;
  }

  get(id: string, now: number): Value {
    const entry = this.entries.get(id);
    if (entry === undefined) return null;
    if (entry.until > now) return entry.value;
    this.entries.delete(id);
    return null;
  }

  set(id: string, value: Value, seconds: number, now: number): void {
    this.entries.delete(id);
    this.entries.set(id, { value, until: now + seconds * 1000 });
    for (const [oldest, { until }] of this.entries) {
      if (until > now && this.entries.size <= this.max) return;
      this.entries.delete(oldest);
    }
  }
}

function memoryStore(_vm: NativeContext, max: Int): MemoryStore {
  if (max < 1 || max > Number.MAX_SAFE_INTEGER)
    fail(Errors.ArgumentError, `memory_store(): max must be a number of entries, 1 or more, got ${max}`);
  return new MemoryStore(Number(max));
}

function set(vm: NativeContext, store: MemoryStore, id: string, value: Value, given: Num | DurationValue): void {
  const time = inSeconds(given);
  const seconds = time instanceof Float ? time.n : Number(time);
  if (!(seconds > 0)) fail(Errors.ArgumentError, `SvcMemoryStore.set(): seconds must be more than 0, got ${seconds}`);
  store.set(id, value, seconds, vm.host.now());
}

/** `memory_store` and the methods of its object. */
// prettier-ignore
export const memoryStoreNatives: NativeFunction[] = [
  native('memory_store', 'max: Integer = 10000', 'SvcMemoryStore', 'A store for `app.sessions` in the memory of this process, for at most `max` sessions.', memoryStore),
  ...methodsOf('SvcMemoryStore', [
    ['get', 'id: String', 'Any', 'The value kept for an identifier; nil if it is missing or has expired.', (vm: NativeContext, store: MemoryStore, id: string) => store.get(id, vm.host.now())],
    ['set', 'id: String, value: Any, seconds: Number|Duration', 'Nil', 'Keeps a value for this time.', set],
    ['delete', 'id: String', 'Nil', 'Removes the value of an identifier.', (_vm, store: MemoryStore, id: string) => { store.entries.delete(id); }],
    ['size', '', 'Integer', 'Number of values, with expired ones that have not been removed yet.', (_vm, store: MemoryStore) => store.entries.size],
  ]),
];
for (const fn of memoryStoreNatives) if (fn.owner !== '') STORE.methods.set(fn.name, fn);
