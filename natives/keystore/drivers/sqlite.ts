import { type FSWatcher, watch as watchFiles } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Cancellation, type Driver, type SqlFailure, type SqlValue } from '../../data/driver.js';
import { Watchers } from './driver.js';
import { adding, SqlStore, SWEPT_ROWS, type Template } from './sql.js';

const TABLES = `CREATE TABLE IF NOT EXISTS svc_store (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER);
  CREATE INDEX IF NOT EXISTS svc_store_expires ON svc_store (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS svc_locks (name TEXT PRIMARY KEY, owner TEXT NOT NULL, token INTEGER NOT NULL, expires INTEGER NOT NULL)`;

const EXISTING = "SELECT count(*) FROM sqlite_master WHERE name IN ('svc_store', 'svc_locks')";

/** Milliseconds after a change of the file before threads that wait for locks try again. */
const LOOK_MS = 1;

/** A store in a SQLite file, which several processes of one machine can share. */
export class SqliteStore extends SqlStore {
  private readonly watchers = new Watchers();
  private folder: FSWatcher | null = null;
  private look: NodeJS.Timeout | null = null;

  // Larger sums could exceed 64 bits, and become floating-point numbers.
  protected readonly increasing = adding(
    'CAST(CAST(s.value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)',
    '(length(s.value) <= 18 AND s.value = CAST(CAST(s.value AS INTEGER) AS TEXT))',
  );
  protected readonly releasing = "UPDATE svc_locks SET expires = 0, owner = '' WHERE name = ?1 AND owner = ?2";
  protected readonly sweeping = `DELETE FROM svc_store WHERE key IN
    (SELECT key FROM svc_store WHERE expires <= {now} LIMIT ${SWEPT_ROWS})`;

  /** @param wallClock milliseconds since 1970: SQLite runs in this process, so this is the engine's clock */
  constructor(
    private readonly path: string,
    timeout: number,
    open: () => Promise<Driver>,
    private readonly wallClock: () => number,
  ) {
    super(`sqlite:${path}`, timeout, open);
  }

  protected override statement(template: Template, params: readonly SqlValue[]): { sql: string; params: SqlValue[] } {
    const sql = template.replaceAll('{now}', `?${params.length + 1}`);
    return { sql, params: sql === template ? [...params] : [...params, BigInt(Math.floor(this.wallClock()))] };
  }

  /** Creates the tables only if they are missing: the program may not be allowed to write the file. */
  protected override async prepare(db: Driver): Promise<void> {
    const { pieces } = await db.run({ sql: EXISTING, params: [] }, new Cancellation());
    if (pieces[0]?.[0]?.[0] !== 2n) await db.script(TABLES, new Cancellation());
  }

  /** A file has no connection that can be restored, so the failure is lasting. */
  protected override isUnsent(failure: SqlFailure): boolean {
    throw this.refused(failure, 'connection');
  }

  protected override isBusy({ code }: SqlFailure): boolean {
    return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
  }

  override async release(name: string, owner: string): Promise<void> {
    await super.release(name, owner);
    this.watchers.notify(name);
  }

  /** SQLite reports no changes of other processes, so the journal that they write is watched. */
  override watch(name: string, changed: () => void): () => void {
    if (this.folder === null && this.path !== ':memory:') this.watchJournal();
    const stop = this.watchers.add(name, changed);
    queueMicrotask(changed);
    return () => {
      stop();
      if (this.watchers.names.length === 0) this.unwatch();
    };
  }

  override close(): Promise<void> {
    this.unwatch();
    return super.close();
  }

  private watchJournal(): void {
    const journal = `${basename(this.path)}-wal`;
    try {
      this.folder = watchFiles(dirname(resolve(this.path)), { persistent: false }, (_event, file) => {
        if (file !== journal) return;
        this.look ??= setTimeout(() => {
          this.look = null;
          this.watchers.notifyAll();
        }, LOOK_MS);
      });
      this.folder.on('error', () => this.unwatch());
    } catch {
      // Without notifications, threads that wait try again from time to time.
    }
  }

  private unwatch(): void {
    if (this.look !== null) clearTimeout(this.look);
    this.look = null;
    this.folder?.close();
    this.folder = null;
  }
}
