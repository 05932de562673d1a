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
import { Later, valueOf, withText } from './storedvalues.js';

/** Attempts of `update` before it gives up: each means that another thread has changed the value meanwhile. */
const MAX_ATTEMPTS = 1000;

/** Maximum milliseconds between two attempts. */
const MAX_PAUSE_MS = 50;

/** Milliseconds after which other processes compute the value of `fetch`, if the one that does so has died. */
const FETCH_LEASE_MS = 5000;

const STEP = native('key store', '', 'Any', 'A step of an operation on a key store.', () => null);

/** A request for a step of an operation, which may wait. */
function step(run: (vm: NativeContext) => Value | undefined): { fn: NativeFunction; args: Value[] } {
  return { fn: nativeLike(STEP, run), args: [] };
}

/** Runs `requests`, then `end`, however they end. */
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

/** The value of a text in a step; nil for null. */
function reading(text: string | null, place: string): ReturnType<typeof step> {
  return step((vm) => {
    const value = text === null ? null : valueOf(text, place);
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
  /** Text of the value that a missing key stands for. */
  readonly missing: string;
  readonly ttl: number | null;
  /** Whether a value that exists gets a new time to live. */
  readonly renews: boolean;
  /** The request for the new value. */
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
    const text = (yield step((vm) =>
      ask(
        vm,
        store,
        (driver) => driver.get(key),
        (found) => found,
      ),
    )) as string | null;
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

/** Changes a value while other threads of this process wait for their turn. */
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

/** `store.update`: changes a value with a block, as a whole over all processes. */
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

/** `store.increment`: by the engine, or by compare-and-set where that cannot. */
export function increment(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  by: Int,
  ttl: number | null,
): Value | undefined {
  const key = store.key(name);
  const byEngine = nativeLike(STEP, (caller: NativeContext) =>
    ask(
      caller,
      store,
      (driver) => driver.increment(key, BigInt(by), ttl),
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

/** Waits until a thread of this process has computed a value. */
function landing(store: KeyStore, key: string): ReturnType<typeof step> {
  return step((vm) => vm.wait('key store', (resume) => store.flights.wait(key, () => resume(null)), 'thread'));
}

/** Gets the lock under which a value is computed. */
function leading(store: KeyStore, key: string): ReturnType<typeof step> {
  return step((vm) =>
    vm.wait(
      'key store',
      (resume, failed) =>
        store.locks.acquire(`fetch ${key}`, FETCH_LEASE_MS, null, {
          obtained: resume,
          late: () => {},
          failed: (error) => failed(storeError(error)),
        }),
      store.endedBy,
    ),
  );
}

/** `store.fetch`: the value, which one thread over all processes computes if it is missing. */
export function fetch(
  vm: NativeContext,
  store: KeyStore,
  name: string,
  ttl: number | null,
  block: Value,
): Value | undefined {
  const key = store.key(name);
  const fiber = vm.scheduler.current;
  if (store.flights.isLeader(key, fiber))
    fail(Errors.RuntimeError, `fetch(${quote(name)}) within the block of a fetch of the same key`);
  const place = placeOf(name);
  const looking = (): ReturnType<typeof step> =>
    step((caller) =>
      ask(
        caller,
        store,
        (driver) => driver.get(key),
        (found) => found,
      ),
    );
  function* computed(): Requests {
    const lease = (yield leading(store, key)) as Lease;
    try {
      const found = (yield looking()) as string | null;
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
      const found = (yield looking()) as string | null;
      if (found !== null) return yield reading(found, place);
      if (!store.flights.begin(key, fiber)) yield landing(store, key);
      else
        return yield step((caller) => {
          const requests = computed();
          return ending(caller, requests, () => {
            // After an error the generator stands where it was.
            requests.return(null);
            store.flights.end(key);
          });
        });
    }
  }
  return vm.answering(all());
}
