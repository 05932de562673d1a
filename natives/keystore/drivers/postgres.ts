import type { Driver, SqlFailure, SqlValue } from '../../data/driver.js';
import { Cancellation } from '../../data/driver.js';
import { ConnectFailure } from '../../data/postgres/wire.js';
import { Listener } from './postgreslistener.js';
import { Watchers } from './driver.js';
import { adding, SqlStore, SWEPT_ROWS, type Template } from './sql.js';

/** Key of the advisory lock under which processes that start together create the tables one after the other. */
const CREATION_LOCK = 7_310_573_061;

const TABLES = `SELECT pg_advisory_xact_lock(${CREATION_LOCK});
  CREATE TABLE IF NOT EXISTS svc_store (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires BIGINT);
  CREATE INDEX IF NOT EXISTS svc_store_expires ON svc_store (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS svc_locks (name TEXT PRIMARY KEY, owner TEXT NOT NULL, token BIGINT NOT NULL, expires BIGINT NOT NULL)`;

const EXISTING =
  "SELECT to_regclass('svc_store') IS NOT NULL AND to_regclass('svc_store_expires') IS NOT NULL AND to_regclass('svc_locks') IS NOT NULL";

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Channel on which processes report that they have released a lock. */
const CHANNEL = 'svc_locks';

/** A store in tables of a PostgreSQL database. */
export class PostgresStore extends SqlStore {
  private readonly watchers = new Watchers();
  private readonly texts = new Map<Template, string>();
  private readonly listener: Listener;

  protected readonly increasing = adding(
    '(s.value::numeric + excluded.value::numeric)::text',
    "(length(s.value) <= 1000 AND s.value ~ '^-?[0-9]+$')",
  );
  protected readonly releasing = `WITH freed AS
    (UPDATE svc_locks SET expires = 0, owner = '' WHERE name = ?1 AND owner = ?2 RETURNING name)
    SELECT pg_notify('${CHANNEL}', name) FROM freed`;
  protected readonly sweeping = `DELETE FROM svc_store WHERE expires <= {now} AND key IN
    (SELECT key FROM svc_store WHERE expires <= {now} LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`;

  constructor(label: string, url: string, timeout: number, open: () => Promise<Driver>) {
    super(label, timeout, open);
    this.listener = new Listener(url, CHANNEL, {
      started: () => this.watchers.notifyAll(),
      notified: (name) => this.watchers.notify(name),
    });
  }

  protected override statement(template: Template, params: readonly SqlValue[]): { sql: string; params: SqlValue[] } {
    let sql = this.texts.get(template);
    if (sql === undefined) {
      sql = template.replaceAll('{now}', NOW).replaceAll(/\?(\d)/g, '$$$1');
      this.texts.set(template, sql);
    }
    return { sql, params: [...params] };
  }

  protected override async prepare(db: Driver): Promise<void> {
    const { pieces } = await db.run({ sql: EXISTING, params: [] }, new Cancellation());
    if (pieces[0]?.[0]?.[0] !== true) await db.script(TABLES, new Cancellation());
  }

  protected override isUnsent(failure: SqlFailure): boolean {
    if (!(failure instanceof ConnectFailure)) return false;
    // A SQLSTATE is a lasting refusal, unless the server is starting or stopping.
    if (failure.code !== '' && !failure.isPassing) throw this.refused(failure, 'connection');
    return true;
  }

  protected override isBusy(): boolean {
    return false;
  }

  override watch(name: string, changed: () => void): () => void {
    const stop = this.watchers.add(name, changed);
    this.listener.start();
    if (this.listener.isListening) queueMicrotask(changed);
    return stop;
  }

  override close(): Promise<void> {
    this.listener.stop();
    return super.close();
  }
}
