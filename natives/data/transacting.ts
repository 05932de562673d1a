/** `db.transaction do … end`. */
import { native } from '../../vm/calls/native.js';
import { Acquisition, Deadline, type Fiber, type Thrown } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail, Signal, SvcError } from '../../vm/values/error.js';
import { quote } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { briefly, unattended, waitingFor } from '../core/begun.js';
import { cancellationFor, checkOpen, errorFor } from './asking.js';
import { type Database, transactionOf } from './database.js';
import { Cancellation, ISOLATIONS, type TransactionOptions } from './driver.js';
import { TableFacts } from './tablefacts.js';
import { OpenTransaction } from './transactions.js';

/** Milliseconds before a transaction runs again: between half and all of FIRST_DELAY, doubled each time up to MAX_DELAY. */
const FIRST_DELAY = 20;
const MAX_DELAY = 1000;

/** Begins a transaction and makes it that of the running thread, unless the thread ends meanwhile or just after it. */
function begin(vm: NativeContext, db: Database, options: TransactionOptions): undefined {
  const fiber = vm.scheduler.current;
  const place = vm.position();
  const cancel = cancellationFor(vm);
  const begun = async (): Promise<void> => {
    const driver = db.opened ?? (await db.driver());
    const transaction = await driver.begin(options, cancel);
    if (cancel.isCancelled || fiber === null) return transaction.rollback();
    const at = place === null ? '' : ` at ${place.file}:${place.line}`;
    const open = new OpenTransaction(transaction, at, db.label, new TableFacts(db.tables));
    db.transactions.set(fiber, open);
    open.idle(vm);
  };
  const undo = (): void => {
    const open = take(vm, db, fiber);
    if (open !== null) unattended(vm, open.transaction.rollback());
  };
  return vm.wait('database', (resume, failed) => {
    const operation = begun();
    operation.then(
      () => {
        if (!cancel.isCancelled) resume(null);
      },
      (error: unknown) => {
        if (!cancel.isCancelled) failed(errorFor(error, ''));
      },
    );
    const stop = (): void => {
      cancel.cancel();
      unattended(vm, operation);
    };
    return new Acquisition(stop, undo);
  });
}

/** Takes the transaction from a thread. */
function take(vm: NativeContext, db: Database, fiber: Fiber | null): OpenTransaction | null {
  const open = fiber === null ? undefined : db.transactions.get(fiber);
  if (fiber === null || open === undefined) return null;
  open.end(vm);
  db.transactions.delete(fiber);
  return open;
}

/** Makes a native that waits for an operation of a transaction, which has begun. */
function waiting(operation: Promise<unknown>): Value {
  return waitingFor('database', operation, (error) => errorFor(error, ''));
}

/** Begins to commit. @param cancel ends it */
function commit(vm: NativeContext, db: Database, cancel: Cancellation): Promise<void> {
  return take(vm, db, vm.scheduler.current)?.commit(cancel) ?? Promise.resolve();
}

/**
 * Waits for a COMMIT, which has begun. If the thread ends first, `cancel` ends the COMMIT. If the time of a `timeout` is
 * over first, the outcome of the COMMIT decides: rows that were written must not be reported as an error. Return the
 * result of this call.
 */
function keeping(
  vm: NativeContext,
  operation: Promise<void>,
  cancel: Cancellation,
  value: Value,
  failed: (thrown: Thrown) => Value | undefined,
): undefined {
  let isCommitted = false;
  void operation.then(
    () => (isCommitted = true),
    () => {},
  );
  return vm.callThen(waiting(operation), [], {
    done: () => value,
    failed: (thrown) => {
      cancel.cancel();
      if (!(thrown instanceof Signal && thrown.payload instanceof Deadline)) return failed(thrown);
      const deadline = thrown.payload;
      return vm.callThen(waiting(briefly(vm, operation)), [], {
        done: () => {
          if (!isCommitted) return failed(thrown);
          vm.scheduler.endLater(deadline);
          return value;
        },
        failed,
      });
    },
  });
}

/** Begins to roll back. */
function rollback(vm: NativeContext, db: Database): Promise<void> {
  return take(vm, db, vm.scheduler.current)?.transaction.rollback() ?? Promise.resolve();
}

const INTERNAL = 'Part of a transaction.';

/** The options of `transaction`. */
export interface Transacting extends TransactionOptions {
  retries: number;
}

/** @throws ArgumentError for a name that is none of an isolation level */
export function isolationOf(name: string | null): TransactionOptions['isolation'] {
  if (name === null) return null;
  return (
    ISOLATIONS.find((level) => level === name) ??
    fail(
      Errors.ArgumentError,
      `isolation: must be one of ${ISOLATIONS.map((level) => quote(level)).join(', ')}, got ${quote(name)}`,
    )
  );
}

/** Runs `block` in a transaction; in a savepoint if the thread has one already. Return the result of this call. */
export function transact(vm: NativeContext, db: Database, block: Value, options: Transacting): Value | undefined {
  const { retries } = options;
  checkOpen(db);
  if (!(retries >= 0)) fail(Errors.ArgumentError, `retries: must be 0 or more, got ${retries}`);
  const open = transactionOf(vm, db);
  if (open === null) return attempt(vm, db, block, options, 0);
  if (options.isolation !== null || options.readonly || retries > 0)
    fail(
      Errors.ArgumentError,
      'transaction(): this one is a savepoint inside of another one; pass isolation:, readonly: and retries: to the outermost transaction',
    );
  return nested(vm, open, block);
}

/** Runs the block; after a serialization failure, once more. */
function attempt(
  vm: NativeContext,
  db: Database,
  block: Value,
  options: Transacting,
  tried: number,
): Value | undefined {
  const { isolation, readonly } = options;
  const failed = (thrown: Thrown): Value | undefined => {
    const done = rollback(vm, db);
    // A thread that ends does not wait for it.
    if (endsThread(thrown)) {
      unattended(vm, done);
      throw thrown;
    }
    return vm.callThen(waiting(briefly(vm, done)), [], {
      done: () => {
        if (tried >= options.retries || !isSerialization(thrown)) throw thrown;
        return vm.callThen(pause(vm, tried), [], {
          done: () => attempt(vm, db, block, options, tried + 1),
          failed: rethrow,
        });
      },
      failed: () => rethrow(thrown),
    });
  };
  return vm.callThen(
    native('begin', '', 'Any', INTERNAL, () => begin(vm, db, { isolation, readonly })),
    [],
    {
      done: () =>
        vm.callThen(block, [], {
          done: (value) => {
            const cancel = new Cancellation();
            return keeping(vm, commit(vm, db, cancel), cancel, value, failed);
          },
          failed,
        }),
      failed: rethrow,
    },
  );
}

function rethrow(thrown: Thrown): never {
  throw thrown;
}

function isSerialization(thrown: Thrown): boolean {
  return thrown instanceof SvcError && thrown.value.type === Errors.SerializationError;
}

/** A native that waits a random time, longer after each attempt. */
function pause(vm: NativeContext, tried: number): Value {
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** tried) * (0.5 + vm.host.random() / 2);
  return native('pause', '', 'Nil', INTERNAL, () =>
    vm.wait(
      'database',
      (resume) => {
        const timer = vm.timers.add(delay, () => resume(null));
        return () => vm.timers.cancel(timer);
      },
      'clock',
    ),
  );
}

/** Runs the block in a savepoint: what ends the block undoes only what the block did. */
function nested(vm: NativeContext, open: OpenTransaction, block: Value): undefined {
  const name = `svc_${++open.savepoints}`;
  const run = async (...statements: string[]): Promise<void> => {
    open.busy(vm);
    try {
      for (const sql of statements) await open.transaction.run({ sql, params: [] }, new Cancellation());
    } finally {
      open.idle(vm);
    }
  };
  const begun = open.kept === null ? [] : [`RELEASE SAVEPOINT ${open.kept}`];
  open.kept = null;
  const undo = (thrown: Thrown): Value | undefined => {
    if (endsThread(thrown)) throw thrown;
    open.tables.undo();
    const again = (): never => rethrow(thrown);
    open.kept = null;
    const undone = run(`ROLLBACK TO SAVEPOINT ${name}`, `RELEASE SAVEPOINT ${name}`);
    return vm.callThen(waiting(briefly(vm, undone)), [], { done: again, failed: again });
  };
  const keep = (value: Value): Value => {
    open.kept = name;
    return value;
  };
  return vm.callThen(waiting(run(...begun, `SAVEPOINT ${name}`)), [], {
    done: () => vm.callThen(block, [], { done: keep, failed: undo }),
    failed: rethrow,
  });
}

/** Whether a thread ends by a signal, so that it does not wait for what it rolls back. */
function endsThread(thrown: Thrown): boolean {
  return thrown instanceof Signal && (thrown.kind === 'cancel' || thrown.kind === 'exit' || thrown.kind === 'memory');
}
