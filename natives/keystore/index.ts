/** Key stores: `key_store(…)` and the methods of the store that it returns. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Hash } from '../../vm/values/hash.js';
import { kindName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import type { DurationValue } from '../core/dates/duration.js';
import { ENDINGS } from '../core/ending.js';
import { functions, type Int, methodsOf, type Num } from '../core/declare.js';
import { fetch, increment, update } from './changing.js';
import type { Condition } from './drivers/driver.js';
import { ask, checkOpen, KEY_STORE, type KeyStore, millisecondsOf, placeOf } from './keystore.js';
import { withLock } from './locking.js';
import { openStore } from './opening.js';
import { valueOf, withText } from './storedvalues.js';

type Time = Num | DurationValue;

/** Minimum time to live of a lock in seconds. A lock is renewed three times within it. */
const MIN_LOCK = 0.1;

const ttlOf = (name: string, ttl: Time | null): number | null => millisecondsOf(`KeyStore.${name}(): ttl`, ttl);

function get(vm: NativeContext, store: KeyStore, name: string): Value | undefined {
  const key = store.key(name);
  return ask(
    vm,
    store,
    (driver) => driver.get(key),
    (text) => (text === null ? null : valueOf(text, () => placeOf(name))),
  );
}

/** Makes the natives `set`, `add` and `replace`. */
function put(condition: Condition, method: string, value: (done: boolean) => Value): NativeFunction['impl'] {
  return (vm: NativeContext, store: KeyStore, name: string, given: Value, time: Time | null) => {
    checkOpen(store);
    const key = store.key(name);
    const ttl = ttlOf(method, time);
    return withText(vm, given, placeOf(name), (text) =>
      ask(vm, store, (driver) => driver.put(key, text, ttl, condition), value),
    );
  };
}

function remove(vm: NativeContext, store: KeyStore, name: string): Value | undefined {
  const key = store.key(name);
  return ask(
    vm,
    store,
    (driver) => driver.delete(key),
    (existed) => existed,
  );
}

/** Native `update`. A function given as the default is the block: the compiler cannot tell `update(key, f)`. */
function changed(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  fallback: Value,
  time: Time | null,
  block: Value,
): Value | undefined {
  const ttl = ttlOf('update', time);
  if (block !== null) return update(vm, store, name, fallback, ttl, block);
  if (kindName(fallback) === 'Function') return update(vm, store, name, null, ttl, fallback);
  return fail(Errors.ArgumentError, 'KeyStore.update() needs a block, which makes the new value of the old one');
}

function lock(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  ttl: Time,
  wait: Time | null,
  block: Value,
): Value | undefined {
  const time = millisecondsOf('KeyStore.lock(): ttl', ttl, MIN_LOCK) as number;
  return withLock(vm, store, { name, ttl: time, wait: millisecondsOf('KeyStore.lock(): wait', wait, 0) }, block);
}

function close(vm: NativeContext, store: KeyStore): Value | undefined {
  if (store.isClosed) return null;
  return vm.waitForPromise(
    'key store',
    store.close().then(() => null),
  );
}

function open(vm: NativeContext, url: string, options: Hash): KeyStore {
  const store = openStore(vm, url, options);
  ENDINGS.of(vm).add(() => store.close());
  return store;
}

// prettier-ignore
const storeFunctions = functions([
  ['key_store', 'url: String, **options: Any', 'KeyStore', 'Values and locks that processes share: `memory:`, `sqlite:PATH`, `postgres://user:password@host/name` or `redis://host`. Options: `timeout` (seconds that an operation may take, 5), `prefix` (what all keys begin with). It is opened when it is first used.', open],
]);

const PUT = 'key: String, value: Any, ttl: Number|Duration? = nil';

// prettier-ignore
const storeMethods = methodsOf('KeyStore', [
  ['get', 'key: String', 'Any', 'The value of a key, or nil.', get],
  ['set', PUT, 'Nil', 'Stores a value: what JSON can hold, Integers of any size, Dates and Bytes. `ttl`, in seconds or a Duration, is the time after which the value expires.', put('always', 'set', () => null)],
  ['add', PUT, 'Boolean', 'Stores a value if the key has none; returns whether it did.', put('absent', 'add', (done) => done)],
  ['replace', PUT, 'Boolean', 'Stores a value if the key has one; returns whether it did.', put('present', 'replace', (done) => done)],
  ['delete', 'key: String', 'Boolean', 'Removes a key; returns whether it had a value.', remove],
  ['update', 'key: String, default: Any = nil, ttl: Number|Duration? = nil, &block: Function?', 'Any', 'Calls the block with the value of a key, or with `default` if it is missing; stores and returns the result. If another thread or process changes the value meanwhile, the block runs again. Without `ttl` a value keeps its time to live.', (vm: NativeContext, store: KeyStore, name: string, fallback: Value, ttl: Time | null, block: Value) => changed(vm, store, name, fallback, ttl, block)],
  ['increment', 'key: String, by: Integer = 1, ttl: Number|Duration? = nil', 'Integer', 'Adds to an Integer and returns the sum. A missing value is 0 and gets `ttl`.', (vm: NativeContext, store: KeyStore, name: string, by: Int, ttl: Time | null) => increment(vm, store, name, by, ttlOf('increment', ttl))],
  ['fetch', 'key: String, ttl: Number|Duration? = nil, &block: Function', 'Any', 'The value of a key. If it is missing, one thread of all processes calls its block and stores the result, while the others wait; if the block raises an error, another thread calls its own.', (vm: NativeContext, store: KeyStore, name: string, ttl: Time | null, block: Value) => fetch(vm, store, name, ttlOf('fetch', ttl), block)],
  ['lock', 'name: String, ttl: Number|Duration = 30, wait: Number|Duration? = nil, &block: Function', 'Any', 'Runs the block while no other thread or process has the lock, and returns its value. The block gets a token, an Integer that is larger for each later holder. The lock is renewed while the block runs; a process that dies loses it after `ttl` seconds. LockError if the lock is not obtained within `wait` seconds, or if it is lost; the block then ends.', lock],
  ['close', '', 'Nil', 'Closes the connections. Without this call they are closed when the program ends.', close],
]);

for (const fn of storeMethods) KEY_STORE.methods.set(fn.name, fn);

/** Functions and methods of key stores. */
export const keystore: readonly NativeFunction[] = [...storeFunctions, ...storeMethods];

/** Defines the functions of key stores in a VM. */
export function installKeystore(vm: NativeContext): void {
  vm.define(keystore);
  vm.globals.set(KEY_STORE.name, KEY_STORE);
}
