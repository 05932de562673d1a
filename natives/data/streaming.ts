/** `db.each`: rows that are fetched while they are used. */
import { type Caller, PullIterator, type Requests } from '../../vm/calls/caller.js';
import { native } from '../../vm/calls/native.js';
import { Sequence, SEQUENCE } from '../../vm/calls/sequence.js';
import type { Fiber, Thrown, Watcher } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Hash } from '../../vm/values/hash.js';
import { END } from '../../vm/values/iterator.js';
import type { Value } from '../../vm/values/value.js';
import { briefly, waitingFor } from '../core/begun.js';
import { ask, type Call, errorFor, paramsOf } from './asking.js';
import type { Database } from './database.js';
import { Cancellation, type Cursor, type SqlValue } from './driver.js';
import { RowMaker } from './values.js';

/** Documentation of natives that programs do not see. */
const INTERNAL = 'Part of an iteration.';

/** The cursor of an iteration. It is closed at the end of the thread that has asked for its rows last. */
class HeldCursor implements Watcher {
  cursor: Cursor | null = null;
  /** Whether the end of a thread has closed it. */
  isLost = false;
  readonly onlyNotes = true;
  private reader: Fiber | null = null;

  ended(): void {
    this.isLost = this.cursor !== null;
    void this.take()?.close();
  }

  readBy(fiber: Fiber | null): void {
    if (fiber === this.reader) return;
    this.reader?.offEnd(this);
    this.reader = fiber;
    fiber?.onEnd(this);
  }

  /** Takes the cursor from the iteration. */
  take(): Cursor | null {
    const { cursor } = this;
    this.cursor = null;
    this.readBy(null);
    return cursor;
  }
}

/** Closes the cursors of iterations that were abandoned, when these are collected. */
const dropped = new FinalizationRegistry<HeldCursor>((held) => void held.take()?.close());

/** Rows of a statement, a piece at a time. */
class RowIterator extends PullIterator {
  private rows: readonly Hash[] = [];
  private at = 0;
  private maker: RowMaker | null = null;
  private isOver = false;
  /** An object of its own, so that the cursor can be closed when the iterator is collected. */
  private readonly held = new HeldCursor();

  constructor(
    private readonly db: Database,
    private readonly call: Call,
  ) {
    super();
    dropped.register(this, this.held);
  }

  override next(): Value {
    return this.at < this.rows.length ? this.rows[this.at++] : super.next();
  }

  pull(vm: Caller): Value | undefined {
    if (this.at < this.rows.length) return this.rows[this.at++];
    if (this.isOver) return END;
    return this.fetch(vm as NativeContext);
  }

  private fetch(vm: NativeContext): undefined {
    const { db, call } = this;
    if (this.held.isLost)
      fail(Errors.RuntimeError, 'the thread that read these rows has ended, and with it their statement');
    this.held.readBy(vm.scheduler.current);
    return ask(
      vm,
      db,
      call.text.sql,
      async ({ session, cancel, inTurns }) => {
        const { held } = this;
        held.cursor ??= await session.open({ sql: call.text.sql, params: await inTurns(paramsOf(call, db)) }, cancel);
        if (cancel.isCancelled) {
          await held.cursor.close();
          return null;
        }
        cancel.onCancel(() => void held.cursor?.close());
        const { cursor } = held;
        const piece = await cursor.next();
        this.maker ??= new RowMaker(cursor.columns);
        return piece;
      },
      (piece) => this.take(piece),
      call.text.written,
      // The first row is the next one still.
      () => (this.at = 0),
    );
  }

  /** Makes the rows of a piece, and returns the first one. */
  private *take(piece: SqlValue[][] | null): Generator<void, Value, void> {
    if (piece === null || piece.length === 0) {
      this.isOver = true;
      this.held.take();
      return END;
    }
    this.rows = yield* (this.maker as RowMaker).rows(piece);
    this.at = 1;
    return this.rows[0];
  }

  override close(vm: Caller): Value | undefined {
    const rethrow = (thrown: Thrown): never => {
      throw thrown;
    };
    return this.closeThen(vm as NativeContext, () => null, rethrow);
  }

  /** Ends the statement, then calls `done`; `failed` if the thread is ended meanwhile. Return the result of this call. */
  closeThen(vm: NativeContext, done: () => Value, failed: (thrown: Thrown) => never): undefined {
    const cancel = new Cancellation();
    const unawaited = (): void => cancel.cancel();
    return vm.callThen(waiting(briefly(vm, this.ended(cancel), unawaited)), [], {
      done,
      failed: (thrown) => {
        unawaited();
        return failed(thrown);
      },
    });
  }

  /** Begins to end the statement, and ends with it. @param cancel ends the end */
  private async ended(cancel: Cancellation): Promise<void> {
    const cursor = this.held.take();
    this.isOver = true;
    this.rows = [];
    this.at = 0;
    // A connection that has failed has no statement any more.
    await cursor?.close(cancel).catch(() => {});
  }
}

/** The rows of a statement, fetched when they are asked for. Each iteration runs the statement. */
export function streamed(db: Database, call: Call): Sequence {
  const rows: Sequence = new Sequence(SEQUENCE, () => (rows.running = new RowIterator(db, call)));
  return rows;
}

/** Makes a native that waits for the end of a statement, which has begun. */
function waiting(operation: Promise<void>): Value {
  return waitingFor('database', operation, (error) => errorFor(error, ''));
}

function* passing(rows: RowIterator, block: Value): Requests {
  for (let row = yield rows; row !== END; row = yield rows) yield { fn: block, args: [row] };
  return null;
}

/** Passes each row to a function, and ends the statement when the function fails. Return the result of this call. */
export function eachRow(vm: NativeContext, db: Database, call: Call, block: Value): undefined {
  const rows = new RowIterator(db, call);
  const pass = native('rows', '', 'Any', INTERNAL, () => vm.answering(passing(rows, block)));
  return vm.callThen(pass, [], {
    done: () => db,
    failed: (thrown) => {
      const rethrow = (): never => {
        throw thrown;
      };
      return rows.closeThen(vm, rethrow, rethrow);
    },
  });
}
