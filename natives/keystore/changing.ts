/** `update`, `increment` and `fetch` of key stores. */
import type { Requests } from '../../vm/calls/caller.js';
import { native, nativeLike } from '../../vm/calls/native.js';
import type { Thrown } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { normalize } from '../../vm/values/numbers/arithmetic.js';
import { quote } from '../../vm/values/text/text.js';
import { kindName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import type { Int } from '../core/declare.js';
import type { Counted } from './drivers/driver.js';
import { ask, type KeyStore, placeOf, storeError } from './keystore.js';
import type { Lease } from './locks.js';
import { LARGE_INTEGER, Later, valueOf, withText } from './storedvalues.js';

/** Maximum attempts of an update. An attempt fails if the value was changed while the new one was computed. */
const MAX_ATTEMPTS = 1000;

/** Maximum milliseconds between two attempts. */
const MAX_PAUSE_MS = 50;

/** Milliseconds after which another process computes the value of `fetch`, if the one that began has died. */
const FETCH_LEASE_MS = 5000;

const STEP = native('key store', '', 'Any', 'A step of an operation on a key store.', () => null);

/** Makes the request for a step of an operation. The step may wait. */
function step(run: (vm: NativeContext) => Value | undefined): { fn: NativeFunction; args: Value[] } {
  return { fn: nativeLike(STEP, run), args: [] };
}

/** Runs `requests`, then calls `end`, also after an error. Return the result of this call. */
function ending(vm: NativeContext, requests: Requests, end: () => void): undefined {
  const run = nativeLike(STEP, (caller: NativeContext) => caller.answering(requests));
  return vm.callThen(run, [], {
    done: (value) => {
      end();
      return value;
    },
    failed: (thrown: Thrown) => {
      end();
      throw thrown;
    },
  });
}

/** The step that reads the text of a key; its value is nil if the key is missing. */
function readingText(store: KeyStore, key: string): ReturnType<typeof step> {
  return step((vm) =>
    ask(
      vm,
      store,
      (driver) => driver.get(key),
      (found) => found,
    ),
  );
}

/** The step that makes a value of its text; nil for null. */
function reading(text: string | null, place: string): ReturnType<typeof step> {
  return step((vm) => {
    const value = text === null ? null : valueOf(text, () => place);
    return value instanceof Later ? vm.inPieces('key store', value.steps) : value;
  });
}

/** A change of a value by compare-and-set. */
interface Change {
  readonly key: string;
  /** The key as the program wrote it. */
  readonly name: string;
  /** Name of the function, for messages. */
  readonly what: string;
  /** Text of the old value if the key is missing. */
  readonly missing: string;
  readonly ttl: number | null;
  /** Whether an existing value gets a new time to live. */
  readonly renews: boolean;
  /** Makes the request for the new value. */
  readonly next: (old: Value) => { readonly fn: Value; readonly args: Value[] };
}

function pause(vm: NativeContext, attempt: number): undefined {
  const ms = Math.min(2 ** Math.min(attempt, 10), MAX_PAUSE_MS) * vm.host.random();
  return vm.wait(
    'key store',
    (resume) => {
      const timer = vm.timers.add(ms, () => resume(null));
      return () => vm.timers.cancel(timer);
    },
    'clock',
  );
}

function* attempts(store: KeyStore, change: Change): Requests {
  const { key, name, missing, ttl, renews } = change;
  const place = placeOf(name);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) yield step((vm) => pause(vm, attempt));
    const text = (yield readingText(store, key)) as string | null;
    const old = yield reading(text ?? missing, place);
    const value = yield change.next(old);
    const next = (yield step((vm) => withText(vm, value, place, (made) => made))) as string;
    const isDone = yield step((vm) =>
      ask(
        vm,
        store,
        (driver) =>
          text === null ? driver.put(key, next, ttl, 'absent') : driver.replace(key, text, next, renews ? ttl : null),
        (done) => done,
      ),
    );
    if (isDone === true) return value;
  }
  return fail(
    Errors.RuntimeError,
    `${change.what}(${quote(name)}) gave up: others changed the value ${MAX_ATTEMPTS} times while it was computed`,
  );
}

/** Changes a value. Other threads of this process that change it wait, for a limited time. */
function changed(vm: NativeContext, store: KeyStore, change: Change): undefined {
  const fiber = vm.scheduler.current;
  if (store.turns.has(fiber, change.key))
    fail(Errors.RuntimeError, `${change.what}(${quote(change.name)}) within the block of an update of the same key`);
  const { turn, wait } = store.turns.begin(fiber, change.key);
  function* all(): Requests {
    if (wait !== null) yield step((caller) => caller.wait('key store', (resume) => wait(() => resume(null)), 'clock'));
    return yield* attempts(store, change);
  }
  return ending(vm, all(), () => store.turns.end(fiber, turn));
}

/** Native `update`: changes a value with a block, atomically across all processes. @throws SvcError */
export function update(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  fallback: Value,
  ttl: number | null,
  block: Value,
): Value | undefined {
  const key = store.key(name);
  return withText(vm, fallback, 'the default of update()', (missing) =>
    changed(vm, store, {
      ...{ key, name, what: 'update', missing, ttl, renews: ttl !== null },
      next: (old) => ({ fn: block, args: [old] }),
    }),
  );
}

function sum(name: string, old: Value, by: Int): Value {
  if (typeof old !== 'number' && typeof old !== 'bigint')
    return fail(Errors.TypeError, `${placeOf(name)} is ${kindName(old)}: increment() needs an Integer`);
  return normalize(BigInt(old) + BigInt(by));
}

/** Native `increment`: by the engine, or by compare-and-set if the numbers are too large for it. @throws SvcError */
export function increment(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  by: Int,
  ttl: number | null,
): Value | undefined {
  const key = store.key(name);
  const isLarge = by > LARGE_INTEGER || by < -LARGE_INTEGER;
  const byEngine = nativeLike(STEP, (caller: NativeContext) =>
    ask(
      caller,
      store,
      (driver) => (isLarge ? null : driver.increment(key, BigInt(by), ttl)),
      (counted: Counted | null) => (counted === null ? null : normalize(BigInt(counted.text))),
    ),
  );
  return vm.callThen(byEngine, [], {
    done: (value) =>
      value ??
      changed(vm, store, {
        ...{ key, name, what: 'increment', missing: '0', ttl, renews: false },
        next: (old) => step(() => sum(name, old, by)),
      }),
  });
}

/** The step that waits until another thread of this process has computed a value. */
function waiting(store: KeyStore, key: string): ReturnType<typeof step> {
  return step((vm) => vm.wait('key store', (resume) => store.computations.wait(key, () => resume(null)), 'thread'));
}

/** The step that obtains the lock under which a value is computed. Its value is the lease. */
function locking(store: KeyStore, key: string): ReturnType<typeof step> {
  const lock = store.computationLock(key);
  return step((vm) =>
    vm.wait(
      'key store',
      (resume, failed) =>
        store.locks.acquire(lock, FETCH_LEASE_MS, null, {
          obtained: resume,
          late: () => {},
          failed: (error) => failed(storeError(error)),
        }),
      store.locks.endedBy,
    ),
  );
}

/** Native `fetch`: the value of a key. If it is missing, one thread of all processes computes it. @throws SvcError */
export function fetch(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  ttl: number | null,
  block: Value,
): Value | undefined {
  const key = store.key(name);
  const fiber = vm.scheduler.current;
  if (store.computations.isComputing(key, fiber))
    fail(Errors.RuntimeError, `fetch(${quote(name)}) within the block of a fetch of the same key`);
  const place = placeOf(name);
  function* computed(): Requests {
    const lease = (yield locking(store, key)) as Lease;
    try {
      const found = (yield readingText(store, key)) as string | null;
      if (found !== null) return yield reading(found, place);
      const value = yield { fn: block, args: [] };
      const text = (yield step((caller) => withText(caller, value, place, (made) => made))) as string;
      yield step((caller) =>
        ask(
          caller,
          store,
          (driver) => driver.put(key, text, ttl, 'always'),
          () => null,
        ),
      );
      return yield reading(text, place);
    } finally {
      lease.release();
    }
  }
  function* all(): Requests {
    for (;;) {
      const found = (yield readingText(store, key)) as string | null;
      if (found !== null) return yield reading(found, place);
      if (!store.computations.begin(key, fiber)) yield waiting(store, key);
      else
        return yield step((caller) => {
          const requests = computed();
          return ending(caller, requests, () => {
            // After an error the generator is suspended: end it, so that it releases the lock.
            requests.return(null);
            store.computations.end(key);
          });
        });
    }
  }
  return vm.answering(all());
}
