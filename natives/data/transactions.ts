import type { Timer } from '../../vm/fibers/timers.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Cancellation, Transaction } from './driver.js';
import type { TableFacts } from './tablefacts.js';

/** Seconds without a statement after which a transaction is reported. */
const IDLE_SECONDS = 10;

/** Words of statements that may end a savepoint. */
const OF_SAVEPOINTS = /savepoint|release|rollback/i;

/** A transaction that a thread has open. */
export class OpenTransaction {
  /** Number of savepoints that were set. */
  savepoints = 0;
  /**
   * The savepoint of the last nested transaction that has succeeded: released before the next one, so that no wait comes
   * between its end and its value, in which a `timeout` could end it. Null: none, or the program's SQL may have ended it.
   */
  kept: string | null = null;
  private timer: Timer | null = null;
  private isOver = false;
  private readonly whenCommitted: (() => void)[] = [];

  /**
   * @param place where it began, for reports: ` at file:line`, or empty
   * @param tables what it knows about tables
   */
  constructor(
    readonly transaction: Transaction,
    private readonly place: string,
    private readonly label: string,
    readonly tables: TableFacts,
  ) {}

  /** Calls `callback` once the transaction is committed. */
  onCommit(callback: () => void): void {
    this.whenCommitted.push(callback);
  }

  async commit(cancel: Cancellation): Promise<void> {
    let isCommitted = false;
    try {
      await this.transaction.commit(cancel);
      isCommitted = true;
    } finally {
      this.tables.end(isCommitted);
    }
    for (const callback of this.whenCommitted) callback();
  }

  /** A statement begins. @param sql its text, if it is the program's */
  busy(vm: NativeContext, sql = ''): void {
    if (this.kept !== null && OF_SAVEPOINTS.test(sql)) this.kept = null;
    if (this.timer !== null) vm.timers.cancel(this.timer);
    this.timer = null;
  }

  /** The transaction ends; a statement of it that was cancelled may end later. */
  end(vm: NativeContext): void {
    this.busy(vm);
    this.isOver = true;
  }

  /** A statement has ended: reports the transaction if the next one does not begin soon. */
  idle(vm: NativeContext): void {
    this.busy(vm);
    if (this.isOver) return;
    this.timer = vm.timers.addBackground(IDLE_SECONDS * 1000, () => {
      this.timer = null;
      vm.host.stderr(
        `warning: the transaction of ${this.label}${this.place} has had no statement for ${IDLE_SECONDS} seconds; it holds a connection and its locks\n`,
      );
    });
  }
}
