import { ModuleState } from '../../vm/calls/modulestate.js';
import type { EndedBy } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, errorOf, fail, SvcError } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { quote } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import type { Num } from '../core/declare.js';
import { type Answer, type Counted, type StoreDriver, StoreFailure } from './drivers/driver.js';
import { Flights } from './flights.js';
import { Locks } from './locks.js';
import { Later } from './storedvalues.js';
import { Turns } from './turns.js';

export const KEY_STORE = new HandleType('KeyStore');

/** Maximum bytes of a key with its prefix, in UTF-8. */
const MAX_KEY_BYTES = 512;

/** Maximum time to live: a hundred years, in seconds. */
const MAX_SECONDS = 100 * 366 * 86_400;

/** Opens the engine of a store. */
export type OpenStore = () => Answer<StoreDriver>;

/** A key store, as programs see it. Its engine is opened when it is first used. */
export class KeyStore extends Handle {
  readonly locks: Locks;
  readonly turns: Turns;
  readonly flights = new Flights();
  isClosed = false;
  private opened: StoreDriver | null = null;
  private opening: Promise<StoreDriver> | null = null;

  /** @param label the store for messages, without a password. @param prefix what all its keys begin with */
  constructor(
    vm: NativeContext,
    readonly label: string,
    private readonly prefix: string,
    private readonly open: OpenStore,
  ) {
    super();
    this.locks = new Locks(vm, () => this.driver());
    this.turns = new Turns(vm.timers);
  }

  get type(): HandleType {
    return KEY_STORE;
  }

  override describe(): string {
    return `<KeyStore ${this.label}>`;
  }

  /** The key in the engine. @throws ArgumentError */
  key(text: string, what = 'key'): string {
    const key = this.prefix + text;
    if (text === '') fail(Errors.ArgumentError, `a ${what} of a key store must not be empty`);
    if (Buffer.byteLength(key) > MAX_KEY_BYTES)
      fail(
        Errors.ArgumentError,
        `a ${what} of a key store has at most ${MAX_KEY_BYTES} bytes, got ${Buffer.byteLength(key)}: keep long ones as a digest, sha256(key)`,
      );
    if (key.includes('\0') || /\p{Surrogate}/u.test(key))
      fail(Errors.ArgumentError, `a ${what} of a key store must be valid Unicode without NUL, got ${quote(text)}`);
    return key;
  }

  /** The driver, at once if it is open. */
  driver(): Answer<StoreDriver> {
    if (this.opened !== null) return this.opened;
    if (this.opening !== null) return this.opening;
    const made = this.open();
    if (!(made instanceof Promise)) return (this.opened = made);
    this.opening = made.then(
      (driver) => (this.opened = driver),
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    );
    return this.opening;
  }

  /** Adds 1 to a counter that begins a window of `ttl` milliseconds if it is missing. Its failures are Svc errors. */
  count(name: string, ttl: number): Answer<Counted | null> {
    return perform(this, (driver) => driver.increment(this.prefix + name, 1n, ttl));
  }

  /** Who ends a wait for another thread that uses the store. */
  get endedBy(): EndedBy {
    const driver = this.driver();
    if (!(driver instanceof Promise)) return driver.isLocal ? 'thread' : 'outside';
    driver.catch(() => {});
    return 'outside';
  }

  /** Closes the store once locks that are being released are free. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.locks.settled();
    const driver = this.opened ?? (await this.opening?.catch(() => null)) ?? null;
    await driver?.close();
  }
}

/** The stores in memory of a VM, by their names. */
export const MEMORY_STORES = new ModuleState(() => new Map<string, StoreDriver>());

/** @throws RuntimeError for a store that the program has closed */
export function checkOpen(store: KeyStore): void {
  if (store.isClosed) fail(Errors.RuntimeError, `the key store ${store.label} is closed`);
}

/** The Svc error for what an operation rejected with; rethrows a bug. */
export function storeError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (!(error instanceof StoreFailure)) throw error;
  const types = {
    connection: Errors.ConnectionError,
    engine: Errors.IOError,
    closed: Errors.RuntimeError,
    full: Errors.MemoryError,
  };
  return errorOf(types[error.kind], error.message);
}

/** Runs an operation of the store's engine. Its failures are Svc errors. */
export function perform<T>(store: KeyStore, operation: (driver: StoreDriver) => Answer<T>): Answer<T> {
  checkOpen(store);
  try {
    const driver = store.driver();
    if (!(driver instanceof Promise)) {
      const answer = operation(driver);
      return answer instanceof Promise ? answer.catch(rethrow) : answer;
    }
    return driver.then(operation).catch(rethrow);
  } catch (error) {
    throw storeError(error);
  }
}

function rethrow(error: unknown): never {
  throw storeError(error);
}

/** For natives: waits for an operation of the engine; return the result of this call. @param shape makes its value */
export function ask<T>(
  vm: NativeContext,
  store: KeyStore,
  operation: (driver: StoreDriver) => Answer<T>,
  shape: (result: T) => Value | Later,
): Value | undefined {
  const answer = perform(store, operation);
  if (!(answer instanceof Promise)) {
    const value = shape(answer);
    return value instanceof Later ? vm.inPieces('key store', value.steps) : value;
  }
  return vm.wait('key store', (resume, failed) => {
    const gone = new AbortController();
    answer
      .then((result) => {
        const value = gone.signal.aborted ? null : shape(result);
        return value instanceof Later ? vm.laterInPieces(value.steps, gone.signal) : value;
      })
      .then(
        (value) => resume(value),
        (error: unknown) => {
          if (error instanceof SvcError) failed(error);
          else if (!gone.signal.aborted) throw error;
        },
      );
    return () => gone.abort();
  });
}

/** Milliseconds of a time that a program gives; null for nil. @throws ArgumentError */
export function millisecondsOf(what: string, given: Num | DurationValue | null, least = 0): number | null {
  const time = inSeconds(given);
  if (time === null) return null;
  const seconds = time instanceof Float ? time.n : Number(time);
  const isEnough = least === 0 ? seconds > 0 : seconds >= least;
  if (isEnough && seconds <= MAX_SECONDS) return seconds * 1000;
  return fail(
    Errors.ArgumentError,
    `${what} must be ${least === 0 ? 'more than 0' : `at least ${least}`} and at most ${MAX_SECONDS} seconds, got ${seconds}`,
  );
}

/** What a value is in messages. */
export function placeOf(key: string): string {
  return `the value of ${quote(key)}`;
}
