import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation, type Driver, lacksTable, type Result, SqlFailure, type SqlValue } from '../../data/driver.js';
import { within } from '../../within.js';
import {
  type Acquired,
  closedFailure,
  type Condition,
  type Counted,
  lateFailure,
  pauseBefore,
  type StoreDriver,
  StoreFailure,
  unknownFailure,
} from './driver.js';

/** Milliseconds between two removals of expired rows, and maximum rows that one statement removes. */
const SWEEP_MS = 10_000;
export const SWEPT_ROWS = 500;

/** Milliseconds for which released locks are kept, so that the next token is larger. */
const LOCKS_KEPT_MS = 24 * 60 * 60 * 1000;

/** The sum is computed by compare-and-set if the summand is as large as this. */
const MAX_CHANGE = 10n ** 18n;

/**
 * A statement for both engines: `?1` is its first parameter, `{now}` the milliseconds since 1970 by the engine's clock.
 */
export type Template = string;

/** Statements for both engines. They use a table of texts and one of locks. */
const LIVE = '(expires IS NULL OR expires > {now})';
const GET = `SELECT value FROM svc_store WHERE key = ?1 AND ${LIVE}`;
const INSERT = 'INSERT INTO svc_store AS s (key, value, expires) VALUES (?1, ?2, {now} + ?3) ON CONFLICT (key)';
const PUT: Readonly<Record<Condition, Template>> = {
  always: `${INSERT} DO UPDATE SET value = excluded.value, expires = excluded.expires`,
  absent: `${INSERT} DO UPDATE SET value = excluded.value, expires = excluded.expires WHERE s.expires <= {now}`,
  present: `UPDATE svc_store SET value = ?2, expires = {now} + ?3 WHERE key = ?1 AND ${LIVE}`,
};
const REPLACE = `UPDATE svc_store SET value = ?2, expires = COALESCE({now} + ?3, expires)
  WHERE key = ?1 AND value = ?4 AND ${LIVE}`;
const DELETE = `DELETE FROM svc_store WHERE key = ?1 AND ${LIVE}`;
const ACQUIRE = `INSERT INTO svc_locks AS l (name, owner, token, expires) VALUES (?1, ?2, {now} * 1000, {now} + ?3)
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires = excluded.expires,
  token = CASE WHEN l.owner = excluded.owner THEN l.token WHEN l.token < excluded.token THEN excluded.token ELSE l.token + 1 END
  WHERE l.expires <= {now} OR l.owner = excluded.owner RETURNING token`;
const BUSY_FOR = 'SELECT expires - {now} FROM svc_locks WHERE name = ?1';
const RENEW = 'UPDATE svc_locks SET expires = {now} + ?3 WHERE name = ?1 AND owner = ?2 AND expires > {now}';
const SWEEP_LOCKS = `DELETE FROM svc_locks WHERE expires <= {now} - ${LOCKS_KEPT_MS}`;

/** Makes the statement that adds ?2. @param sum, isInteger the engine's expressions for texts in decimal digits */
export function adding(sum: string, isInteger: string): Template {
  return `${INSERT} DO UPDATE SET
    value = CASE WHEN s.expires <= {now} THEN excluded.value ELSE ${sum} END,
    expires = CASE WHEN s.expires <= {now} THEN excluded.expires ELSE s.expires END
    WHERE s.expires <= {now} OR ${isInteger} RETURNING value, expires - {now}`;
}

/** Whether an operation may be repeated if its connection broke before its answer. */
type Repeatable = 'repeatable' | 'once';

/** A store in two tables of a database. */
export abstract class SqlStore implements StoreDriver {
  readonly isLocal = false;
  private opening: Promise<Driver> | null = null;
  private isPrepared = false;
  private isClosed = false;
  private sweepAt = 0;
  /** Why the last attempt failed; null if the engine can be reached. */
  private reason: string | null = null;

  /** @param timeout milliseconds that an operation may take */
  constructor(
    readonly label: string,
    protected readonly timeout: number,
    private readonly open: () => Promise<Driver>,
  ) {}

  /** Returns a statement in the engine's notation, with its parameters. */
  protected abstract statement(template: Template, params: readonly SqlValue[]): { sql: string; params: SqlValue[] };
  /** Creates the tables if they are missing. */
  protected abstract prepare(db: Driver): Promise<void>;
  protected abstract readonly increasing: Template;
  protected abstract readonly releasing: Template;
  protected abstract readonly sweeping: Template;
  abstract watch(name: string, changed: () => void): () => void;

  async get(key: string): Promise<string | null> {
    const row = await this.first(GET, [key], 'repeatable');
    return row === null ? null : (row[0] as string);
  }

  async put(key: string, text: string, ttl: number | null, condition: Condition): Promise<boolean> {
    const times = condition === 'absent' ? 'once' : 'repeatable';
    return (await this.changes(PUT[condition], [key, text, whole(ttl)], times)) === 1;
  }

  async replace(key: string, expected: string, text: string, ttl: number | null): Promise<boolean> {
    return (await this.changes(REPLACE, [key, text, whole(ttl), expected], 'once')) === 1;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.changes(DELETE, [key], 'repeatable')) === 1;
  }

  async increment(key: string, by: bigint, ttl: number | null): Promise<Counted | null> {
    if (by >= MAX_CHANGE || by <= -MAX_CHANGE) return null;
    const row = await this.first(this.increasing, [key, String(by), whole(ttl)], 'once');
    if (row === null) return null;
    return { text: row[0] as string, left: row[1] === null ? null : Number(row[1]) };
  }

  async acquire(name: string, owner: string, ttl: number): Promise<Acquired> {
    const taken = await this.first(ACQUIRE, [name, owner, whole(ttl)], 'repeatable');
    if (taken !== null) return { token: Number(taken[0]) };
    const held = await this.first(BUSY_FOR, [name], 'repeatable');
    return { busyFor: Math.max(0, Number(held?.[0] ?? 0)) };
  }

  async renew(name: string, owner: string, ttl: number): Promise<boolean> {
    return (await this.changes(RENEW, [name, owner, whole(ttl)], 'repeatable')) === 1;
  }

  async release(name: string, owner: string): Promise<void> {
    await this.run(this.releasing, [name, owner], 'repeatable');
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const db = await this.opening?.catch(() => null);
    await db?.close();
  }

  private async first(template: Template, params: SqlValue[], times: Repeatable): Promise<SqlValue[] | null> {
    const { pieces } = await this.run(template, params, times);
    return pieces[0]?.[0] ?? null;
  }

  private async changes(template: Template, params: SqlValue[], times: Repeatable): Promise<number> {
    const { changes } = await this.run(template, params, times);
    this.sweepSoon();
    return changes;
  }

  private run(template: Template, params: SqlValue[], times: Repeatable): Promise<Result> {
    const cancel = new Cancellation();
    return within(this.timeout, this.attempts(template, params, times, cancel), () => {
      cancel.cancel();
      throw lateFailure(this.label, this.timeout, this.reason);
    });
  }

  /** Runs a statement; repeats it while the engine cannot be reached, until it is cancelled. */
  private async attempts(
    template: Template,
    params: SqlValue[],
    times: Repeatable,
    cancel: Cancellation,
  ): Promise<Result> {
    let isLost = false;
    for (let attempt = 0; !cancel.isCancelled; attempt++) {
      if (this.isClosed) throw closedFailure(this.label);
      let isSent = false;
      try {
        const db = await this.database();
        if (cancel.isCancelled) break;
        isSent = true;
        const result = await db.run(this.statement(template, params), cancel);
        this.reason = null;
        return result;
      } catch (failure) {
        if (!(failure instanceof SqlFailure)) throw failure;
        // The database has lost its data: the next attempt creates the tables. The statement has changed nothing.
        if (lacksTable(failure) && !isLost) {
          isLost = true;
          this.isPrepared = false;
          continue;
        }
        if (!cancel.isCancelled) this.judge(failure, isSent && times === 'once');
      }
      await sleep(pauseBefore(attempt));
    }
    throw lateFailure(this.label, this.timeout, this.reason);
  }

  /** Returns if a statement may run again after `failure`. @throws StoreFailure if not */
  private judge(failure: SqlFailure, isOnce: boolean): void {
    const { kind } = failure;
    if (kind === 'closed') throw closedFailure(this.label);
    if (kind === 'serialization' || kind === 'timeout' || this.isBusy(failure)) return;
    if (kind !== 'connection') throw this.refused(failure);
    this.reason = failure.message;
    if (this.isUnsent(failure)) return;
    if (isOnce) throw unknownFailure(this.label);
  }

  /** Whether the connection failed before the statement was sent. @throws StoreFailure if the failure is lasting */
  protected abstract isUnsent(failure: SqlFailure): boolean;

  /** Whether the engine waited too long for a lock of another process. */
  protected abstract isBusy(failure: SqlFailure): boolean;

  protected refused({ message }: SqlFailure, kind: 'connection' | 'engine' = 'engine'): StoreFailure {
    return new StoreFailure(kind, `the key store ${this.label}: ${message}`);
  }

  /** Opens the database and creates its tables, unless that is done. */
  private async database(): Promise<Driver> {
    const opening = (this.opening ??= this.open());
    let db: Driver;
    try {
      db = await opening;
    } catch (failure) {
      this.opening = null;
      throw failure;
    }
    if (this.isPrepared) return db;
    await this.prepare(db);
    this.isPrepared = true;
    return db;
  }

  /** Removes expired rows in the background, about every SWEEP_MS. */
  private sweepSoon(): void {
    const now = performance.now();
    if (now < this.sweepAt) return;
    this.sweepAt = now + SWEEP_MS * (0.5 + Math.random());
    // After an error the next call removes the rows.
    this.sweep().catch(() => {});
  }

  private async sweep(): Promise<void> {
    while ((await this.run(this.sweeping, [], 'repeatable')).changes === SWEPT_ROWS);
    await this.run(SWEEP_LOCKS, [], 'repeatable');
  }
}

/** A time to live in whole milliseconds. */
function whole(ttl: number | null): bigint | null {
  return ttl === null ? null : BigInt(Math.ceil(ttl));
}
