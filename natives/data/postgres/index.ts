import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Cancellation,
  SqlFailure,
  type Cursor,
  type Driver,
  type DriverOptions,
  type DriverStats,
  type Statement,
  type Transaction,
  type TransactionOptions,
  UNLIMITED,
  USUAL_TRANSACTION,
} from '../driver.js';
import { LimitedMap } from '../../limitedmap.js';
import { ask, limitEnd } from './ask.js';
import type { Connection, Exchange } from './connection.js';
import { Connector } from './connector.js';
import { QueryExchange, SimpleExchange, type Answer, type Outcome } from './exchanges.js';
import { inTransaction } from '../whole.js';
import { closedFailure } from './failures.js';
import { Lanes } from './lanes.js';
import { Leases } from './leases.js';
import { PostgresSession } from './session.js';
import { refuseCopy, refuseSettings, refuseTransactionControl } from './statements.js';
import { PostgresTransaction } from './transaction.js';
import { Types } from './types.js';
import { labelOf, parseUrl } from './url.js';

/** Statements whose parameter types, or of which it is remembered that they are possible. */
const MAX_DESCRIBED = 500;

/** Milliseconds between two attempts to get a lock. */
const LOCK_MS = 50;

/** The server lets no statement and no function make a transaction writable that has read something: hence the SELECT. */
function beginText({ isolation, readonly }: TransactionOptions): string {
  const level = isolation === null ? '' : ` ISOLATION LEVEL ${isolation.toUpperCase()}`;
  return `BEGIN${level}${readonly ? ' READ ONLY; SELECT 1' : ''}`;
}

/** Key of an advisory lock: 64 bits of a hash. */
function lockKey(name: string): bigint {
  return createHash('sha256').update(`svc lock ${name}`).digest().readBigInt64BE(0);
}

/** A PostgreSQL database: lanes for single statements, leased connections for everything else. */
class PostgresDriver extends PostgresSession implements Driver {
  readonly engine = 'postgres';
  /** Never called: the server does not report changes. */
  onTablesChange = (): void => {};
  private readonly isReadonly: boolean;
  private readonly lanes: Lanes;
  private readonly leases: Leases;
  /** Connections that hold advisory locks. */
  private readonly locks = new Set<Connection>();
  /** Statements that have passed the check. */
  private readonly allowed = new LimitedMap<string, true>(MAX_DESCRIBED);
  private closed: SqlFailure | null = null;

  constructor(
    readonly label: string,
    private readonly connector: Connector,
    { pool, timeout, readonly, room = UNLIMITED }: DriverOptions,
  ) {
    super({
      types: new Types(),
      room,
      described: new LimitedMap(MAX_DESCRIBED),
      tables: () => this.tables(new Cancellation()),
    });
    this.isReadonly = readonly;
    this.lanes = new Lanes(connector, pool, timeout * 1000);
    this.leases = new Leases(connector, pool, timeout * 1000);
  }

  protected override check(sql: string): void {
    if (this.allowed.has(sql)) return;
    refuseTransactionControl(sql);
    refuseSettings(sql, false);
    refuseCopy(sql);
    this.allowed.set(sql, true);
  }

  protected override exchange<T>(
    sql: string,
    cancel: Cancellation,
    make: (outcome: Outcome<T>) => Exchange,
  ): Promise<T> {
    return this.lanes.run(sql, cancel, make);
  }

  /** A cursor has a transaction of its own, which is committed when the cursor ends without an error. */
  override async open(statement: Statement, cancel: Cancellation): Promise<Cursor> {
    this.check(statement.sql);
    const transaction = await this.beginOwn(USUAL_TRANSACTION, cancel);
    try {
      return await transaction.cursor(statement, cancel, true, (hasFailed, ending) =>
        hasFailed ? transaction.rollback() : transaction.commit(ending),
      );
    } catch (failure) {
      await transaction.rollback();
      throw failure;
    }
  }

  /** Runs on a leased connection, because scripts may begin transactions and change settings; both are undone. */
  override async script(sql: string, cancel: Cancellation): Promise<number> {
    if (this.isReadonly) return inTransaction(this, cancel, (transaction) => transaction.script(sql, cancel));
    const connection = await this.leases.acquire(cancel);
    try {
      const { changes } = await ask<{ changes: number }>(
        connection,
        cancel,
        (outcome) => new SimpleExchange(sql, outcome),
      );
      if (connection.status !== 'I')
        throw new SqlFailure('database', 'the script left a transaction open: it was rolled back');
      return changes;
    } catch (failure) {
      throw await this.explained(failure);
    } finally {
      await this.giveBack(connection, true);
    }
  }

  begin(options: TransactionOptions, cancel: Cancellation): Promise<Transaction> {
    return this.beginOwn(options, cancel);
  }

  async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const connection = await this.connector.connect();
    if (this.closed !== null) connection.destroy(this.closed);
    this.locks.add(connection);
    try {
      while (!(await this.tryLock(connection, name))) await sleep(LOCK_MS);
      const value = await work();
      if (connection.failure !== null) throw connection.failure;
      return value;
    } finally {
      this.locks.delete(connection);
      connection.end(closedFailure());
    }
  }

  /**
   * Asks for an advisory lock. A statement that waits for one would keep its snapshot, for whose end
   * CREATE INDEX CONCURRENTLY of the holder waits.
   */
  private async tryLock(connection: Connection, name: string): Promise<boolean> {
    const sendable = {
      sql: 'SELECT pg_try_advisory_lock($1::int8)',
      values: [String(lockKey(name))],
      declared: [],
      mustParse: false,
    };
    const make = (outcome: Outcome<Answer>): Exchange => new QueryExchange(sendable, this.shared, outcome);
    const { pieces } = await ask<Answer>(connection, new Cancellation(), make);
    return pieces[0]?.[0]?.[0] === true;
  }

  stats(): DriverStats {
    return { connections: this.connector.size, waiting: this.lanes.waiting + this.leases.waiting };
  }

  /** Nothing is in the way: sockets end with the process. */
  leave(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.closed !== null) return;
    this.closed = closedFailure();
    this.connector.close(this.closed);
    this.lanes.close(this.closed);
    this.leases.close(this.closed);
    for (const connection of this.locks) connection.destroy(this.closed);
  }

  /** Begins a transaction; again with another connection if the first one has broken in the meantime. */
  private async beginOwn(wanted: TransactionOptions, cancel: Cancellation): Promise<PostgresTransaction> {
    const readonly = wanted.readonly || this.isReadonly;
    const sql = beginText({ ...wanted, readonly });
    for (let attempt = 0; ; attempt++) {
      const connection = await this.leases.acquire(cancel);
      try {
        await ask(connection, cancel, (outcome) => new SimpleExchange(sql, outcome));
        const giveBack = (own: Connection, isChanged: boolean): Promise<void> => this.giveBack(own, isChanged);
        return new PostgresTransaction(this.shared, connection, giveBack, readonly);
      } catch (failure) {
        this.leases.release(connection);
        if (attempt > 0 || (failure as SqlFailure).kind !== 'connection') throw failure;
      }
    }
  }

  private async giveBack(connection: Connection, isChanged: boolean): Promise<void> {
    const rollBack = (outcome: Outcome<unknown>): Exchange => new SimpleExchange('ROLLBACK', outcome);
    const ended = limitEnd(connection, 'undo what a script has set');
    try {
      if (connection.failure === null && isChanged && connection.status !== 'I') {
        await ask(connection, new Cancellation(), rollBack);
      }
      if (connection.failure === null && isChanged) await this.connector.reset(connection);
    } catch (failure) {
      connection.destroy(failure as SqlFailure);
    }
    ended();
    this.leases.release(connection);
  }
}

/**
 * Opens a PostgreSQL database; connections are made when they are needed.
 * @throws SqlFailure of kind "connection" if the URL is invalid
 */
export function openPostgres(url: string, options: DriverOptions): Driver {
  const target = parseUrl(url);
  return new PostgresDriver(labelOf(target), new Connector(target, options), options);
}
