import { Cancellation, SqlFailure, type Cursor, type Insertion, type Statement, type Transaction } from '../driver.js';
import { ask, limitEnd } from './ask.js';
import type { Connection, Exchange } from './connection.js';
import { CopyExchange } from './copy.js';
import { PortalCursor, type CursorHost } from './cursor.js';
import { asPromise, CommitExchange, SimpleExchange, type Outcome } from './exchanges.js';
import { cancelledFailure } from './failures.js';
import { PostgresSession, type Shared } from './session.js';
import {
  quoteName,
  quoteTable,
  refuseCopy,
  refuseEndsInScript,
  refuseSettings,
  refuseTransactionEnd,
} from './statements.js';

const IN_FAILED_TRANSACTION = '25P02';

/** A transaction on a connection that is its own until the end. */
export class PostgresTransaction extends PostgresSession implements Transaction {
  private isEnded = false;

  /** @param giveBack returns the connection; called once. `isChanged`: a script may have changed its settings */
  constructor(
    shared: Shared,
    private readonly connection: Connection,
    private readonly giveBack: (connection: Connection, isChanged: boolean) => Promise<void>,
    private readonly isReadonly: boolean,
  ) {
    super(shared);
  }

  private isChanged = false;

  protected override check(sql: string): void {
    refuseTransactionEnd(sql);
    refuseSettings(sql, true);
    refuseCopy(sql);
  }

  protected override exchange<T>(
    _sql: string,
    cancel: Cancellation,
    make: (outcome: Outcome<T>) => Exchange,
  ): Promise<T> {
    if (this.isEnded) return Promise.reject(new SqlFailure('database', 'the transaction has ended'));
    return ask(this.connection, cancel, make);
  }

  override async open(statement: Statement, cancel: Cancellation): Promise<Cursor> {
    return this.cursor(statement, cancel, false, async () => {});
  }

  /** Opens a cursor. @param isAlone whether the transaction ends with it @param ended called once at its end */
  async cursor(
    statement: Statement,
    cancel: Cancellation,
    isAlone: boolean,
    ended: CursorHost['ended'],
  ): Promise<Cursor> {
    this.check(statement.sql);
    const host = {
      reading: this.shared,
      ask: <T>(inner: Cancellation, make: (outcome: Outcome<T>) => Exchange) => this.exchange('', inner, make),
      convert: this.convert.bind(this),
      ended,
    };
    try {
      const sendable = await this.sendable(statement, cancel);
      return await new PortalCursor(host, isAlone).start(sendable, cancel);
    } catch (failure) {
      throw await this.explained(failure);
    }
  }

  override async script(sql: string, cancel: Cancellation): Promise<number> {
    if (this.isReadonly) refuseEndsInScript(sql);
    this.isChanged = true;
    try {
      const { changes } = await this.exchange<{ changes: number }>(
        sql,
        cancel,
        (outcome) => new SimpleExchange(sql, outcome),
      );
      if (this.connection.status === 'I') throw new SqlFailure('database', 'the script has ended the transaction');
      return changes;
    } catch (failure) {
      throw await this.explained(failure);
    }
  }

  /** Inserts rows with COPY. */
  async insertMany({ table, columns, rows }: Insertion, cancel: Cancellation): Promise<number> {
    const target = `${quoteTable(table)} (${columns.map(quoteName).join(', ')})`;
    const insert = `INSERT INTO ${target} VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`;
    try {
      const types = await this.parameterTypes(insert, [], cancel);
      const copy = `COPY ${target} FROM STDIN`;
      return await this.exchange<number>(
        copy,
        cancel,
        (outcome) => new CopyExchange(copy, columns, types, rows, outcome),
      );
    } catch (failure) {
      throw withoutPosition(await this.explained(failure));
    }
  }

  async commit(cancel = new Cancellation()): Promise<void> {
    if (this.isEnded) throw new SqlFailure('database', 'the transaction has ended');
    if (cancel.isCancelled) {
      await this.rollback();
      throw cancelledFailure();
    }
    this.isEnded = true;
    const { connection } = this;
    let ended = (): void => {};
    try {
      const { tag } = await asPromise<{ tag: string }>((outcome) => {
        const exchange = new CommitExchange(outcome);
        connection.send(exchange);
        cancel.onCancel(() => {
          ended = limitEnd(connection, 'end the COMMIT');
          connection.cancel(exchange);
        });
      });
      if (tag !== 'ROLLBACK') return;
      throw new SqlFailure(
        'database',
        'the transaction was rolled back, because a statement in it has failed',
        IN_FAILED_TRANSACTION,
      );
    } finally {
      cancel.onCancel(null);
      ended();
      await this.giveBack(connection, this.isChanged);
    }
  }

  async rollback(): Promise<void> {
    if (this.isEnded) return;
    this.isEnded = true;
    const { connection } = this;
    connection.interrupt();
    const ended = limitEnd(connection, 'roll back');
    await ask(connection, new Cancellation(), (outcome) => new SimpleExchange('ROLLBACK', outcome)).catch(() => {});
    ended();
    await this.giveBack(connection, this.isChanged);
  }
}

/** The texts of these statements are not the program's. */
function withoutPosition(failure: unknown): unknown {
  if (!(failure instanceof SqlFailure) || failure.position === -1) return failure;
  return new SqlFailure(failure.kind, failure.message, failure.code, failure.violation);
}
