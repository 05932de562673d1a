/** The native `lock` of key stores. */
import { native, nativeLike } from '../../vm/calls/native.js';
import type { Deadline, Thrown } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, errorOf, fail, Signal } from '../../vm/values/error.js';
import { quote } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { briefly, waitingFor } from '../core/begun.js';
import { checkOpen, type KeyStore, storeError } from './keystore.js';
import type { Lease } from './locks.js';

/** A lock that a program asks for. */
export interface Wanted {
  /** The name as the program wrote it. */
  readonly name: string;
  /** Milliseconds after which others can take the lock, if this process has died. */
  readonly ttl: number;
  /** Milliseconds to wait for it; null: without a limit. */
  readonly wait: number | null;
}

const STEP = native('lock', '', 'Any', 'A step of a lock of a key store.', () => null);

/** Signals that end a thread at once: it does not wait until its lock is released. */
const ENDS = new Set(['cancel', 'exit', 'memory']);

/** Runs a block while this thread has the lock. Return the result of this call. */
export function withLock(vm: NativeContext, store: KeyStore, wanted: Wanted, block: Value): undefined {
  checkOpen(store);
  const name = store.lockName(wanted.name);
  if (store.locks.isFirst(name, vm.scheduler.current))
    fail(Errors.RuntimeError, `lock(${quote(wanted.name)}): this thread has the lock already`);
  const acquire = nativeLike(STEP, (caller: NativeContext) => acquired(caller, store, name, wanted));
  return vm.callThen(acquire, [], { done: (lease) => guarded(vm, wanted.name, lease as Lease, block) });
}

/** For natives: waits for the lock. The value is the lease. Return the result of this call. */
function acquired(vm: NativeContext, store: KeyStore, name: string, { ttl, wait, name: given }: Wanted): undefined {
  return vm.wait(
    'lock',
    (resume, failed) =>
      store.locks.acquire(name, ttl, wait, {
        obtained: resume,
        late: () =>
          failed(
            errorOf(
              Errors.LockError,
              `lock(${quote(given)}): another thread or process has it${wait === null || wait === 0 ? '' : ` (waited ${wait / 1000} s)`}`,
            ),
          ),
        failed: (error) => failed(storeError(error)),
      }),
    store.locks.endedBy,
  );
}

/** Runs the block, and ends it as soon as the lock is lost. Return the result of this call. */
function guarded(vm: NativeContext, name: string, lease: Lease, block: Value): undefined {
  const guard = vm.scheduler.pushGuard();
  lease.onLost = () => vm.scheduler.expire(guard);
  if (lease.isLost) lease.onLost();
  return vm.callThen(block, [lease.token], {
    done: (value) => {
      leave(vm, lease, guard);
      if (lease.isLost) return lost(lease, name, guard);
      return vm.callThen(waiting(released(lease)), [], { done: () => value });
    },
    failed: (thrown) => {
      const ended = leave(vm, lease, guard, thrown);
      if (ended) return lost(lease, name, guard);
      if (thrown instanceof Signal && ENDS.has(thrown.kind)) {
        lease.release();
        throw thrown;
      }
      return vm.callThen(waiting(briefly(vm, released(lease))), [], { done: () => rethrow(thrown) });
    },
  });
}

/** Removes the guard. Returns whether it has ended the block. */
function leave(vm: NativeContext, lease: Lease, guard: Deadline, thrown: unknown = null): boolean {
  lease.onLost = () => {};
  return vm.scheduler.popDeadline(guard, thrown);
}

function lost(lease: Lease, name: string, guard: Deadline): never {
  lease.release();
  throw guard.raised(
    Errors.LockError,
    `lock(${quote(name)}): the lock was lost, because it could not be renewed in time; others may have it`,
  );
}

/** Begins to release the lock, and ends when others can take it. */
function released(lease: Lease): Promise<void> {
  return new Promise<void>((done) => lease.release(done));
}

/** Makes a native that waits for an operation, which has begun. */
function waiting(operation: Promise<void>): Value {
  return waitingFor('lock', operation, storeError);
}

function rethrow(thrown: Thrown): never {
  throw thrown;
}
