import { ModuleState } from '../../vm/calls/modulestate.js';
import { controllerFor } from '../../vm/fibers/operations.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, errorOf, fail, SvcError } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { quote } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import type { Num } from '../core/declare.js';
import { workOf } from '../core/work.js';
import { type Answer, type Counted, type StoreDriver, StoreFailure } from './drivers/driver.js';
import { Computations } from './computations.js';
import { Locks } from './locks.js';
import { Later } from './storedvalues.js';
import { Turns } from './turns.js';

export const KEY_STORE = new HandleType('KeyStore');

/** Maximum bytes of a key with its prefix, in UTF-8. */
const MAX_KEY_BYTES = 512;

/** Keys that need no further checks: ASCII without control characters. */
const PLAIN_KEY = /^[ -~]{1,512}$/;

/** End of the name of the lock under which `fetch` computes the value of a key. */
const COMPUTING = '\u0001fetch';

/** Names of a program that could be those of `fetch`, if OWN were not added to them. */
const LIKE_COMPUTING = /\u0001fetch(?:\u0001lock)*$/;
const OWN = '\u0001lock';

/** Maximum time to live: a hundred years, in seconds. */
const MAX_SECONDS = 100 * 366 * 86_400;

/** Opens the engine of a store. */
export type OpenStore = () => Answer<StoreDriver>;

/** The type KeyStore. Its engine is opened when the store is first used. */
export class KeyStore extends Handle {
  readonly locks: Locks;
  readonly turns: Turns;
  readonly computations = new Computations();
  isClosed = false;
  private opened: StoreDriver | null = null;
  private opening: Promise<StoreDriver> | null = null;

  /** @param label names the store in messages, without a password. @param prefix all its keys begin with this */
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

  /** Returns a key with the prefix. @param what `key` or `lock name`, for the error @throws ArgumentError */
  key(text: string, what = 'key'): string {
    const key = this.prefix + text;
    if (text !== '' && PLAIN_KEY.test(key)) return key;
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

  /** Returns the engine's name of a lock of the program, which is never one of `fetch`. @throws ArgumentError */
  lockName(text: string): string {
    const name = this.key(text, 'lock name');
    return LIKE_COMPUTING.test(name) ? name + OWN : name;
  }

  /** Returns the engine's name of the lock under which the value of a key is computed. @param key with the prefix */
  computationLock(key: string): string {
    return key + COMPUTING;
  }

  /** Returns the driver: a promise while it is being opened. */
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

  /** Adds 1 to a counter. A missing one expires after `ttl` milliseconds. Rejects with SvcError. */
  async count(name: string, ttl: number): Promise<Counted | null> {
    try {
      return await perform(this, (driver) => driver.increment(this.prefix + name, 1n, ttl));
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Closes the store after the locks that are being released are free. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.locks.settled();
    const driver = this.opened ?? (await this.opening?.catch(() => null)) ?? null;
    await driver?.close();
  }
}

/** The `memory:` stores of a VM, by their URLs. */
export const MEMORY_STORES = new ModuleState(() => new Map<string, StoreDriver>());

/** Checks that the program has not closed a store. @throws RuntimeError */
export function checkOpen(store: KeyStore): void {
  if (store.isClosed) fail(Errors.RuntimeError, `the key store ${store.label} is closed`);
}

/** Makes an Svc error of a StoreFailure; throws any other error again, because it is a bug. */
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

/** Runs an operation of the store's engine. @throws SvcError, StoreFailure */
function perform<T>(store: KeyStore, operation: (driver: StoreDriver) => Answer<T>): Answer<T> {
  checkOpen(store);
  const driver = store.driver();
  return driver instanceof Promise ? driver.then(operation) : operation(driver);
}

/** For natives: waits for an operation of the engine. Return the result of this call. @param shape makes its value */
export function ask<T>(
  vm: NativeContext,
  store: KeyStore,
  operation: (driver: StoreDriver) => Answer<T>,
  shape: (result: T) => Value | Later,
): Value | undefined {
  let answer: Answer<T>;
  try {
    answer = perform(store, operation);
  } catch (error) {
    throw storeError(error);
  }
  if (!(answer instanceof Promise)) {
    const value = shape(answer);
    return value instanceof Later ? vm.inPieces('key store', value.steps) : value;
  }
  const later = answer;
  return vm.wait('key store', (resume, failed) => {
    const context = workOf(vm);
    let gone: AbortController | null = null;
    const refuse = (error: unknown): void => failed(storeError(error));
    const take = (result: T): void => {
      const value = shape(result);
      if (!(value instanceof Later)) {
        resume(value);
        return;
      }
      gone = controllerFor(context);
      const { signal } = gone;
      vm.laterInPieces(value.steps, signal).then(resume, (error: unknown) => {
        if (!signal.aborted) refuse(error);
      });
    };
    // One promise instead of a chain: each promise takes as long as the rest of a short operation.
    later.then((result) => {
      try {
        take(result);
      } catch (error) {
        refuse(error);
      }
    }, refuse);
    return () => gone?.abort();
  });
}

/**
 * Returns the milliseconds of a time in seconds; null for nil.
 * @param least minimum in seconds; null: more than 0
 * @throws ArgumentError
 */
export function millisecondsOf(
  what: string,
  given: Num | DurationValue | null,
  least: number | null = null,
): number | null {
  const time = inSeconds(given);
  if (time === null) return null;
  const seconds = time instanceof Float ? time.n : Number(time);
  const isEnough = least === null ? seconds > 0 : seconds >= least;
  if (isEnough && seconds <= MAX_SECONDS) return seconds * 1000;
  return fail(
    Errors.ArgumentError,
    `${what} must be ${least === null ? 'more than 0' : `at least ${least}`} and at most ${MAX_SECONDS} seconds, got ${seconds}`,
  );
}

/** Names the value of a key in messages. */
export function placeOf(key: string): string {
  return `the value of ${quote(key)}`;
}
