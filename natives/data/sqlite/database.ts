import { resolve } from 'node:path';
import {
  type Cancellation,
  type Cursor,
  type Driver,
  type DriverOptions,
  type DriverStats,
  type RowRoom,
  SqlFailure,
  type TransactionOptions,
  UNLIMITED,
} from '../driver.js';
import { Pace } from '../pace.js';
import { openedCursor } from './cursor.js';
import { Gate } from './gate.js';
import { Job, type Wish } from './job.js';
import { Lane } from './lane.js';
import { FileLock } from './lock.js';
import type { ConnectionSettings, LibraryName } from './protocol.js';
import { Readers } from './readers.js';
import { SqliteSession } from './session.js';
import { LaneTransaction } from './transaction.js';

const CLOSED = (): SqlFailure => new SqlFailure('closed', 'the database was closed');

/** A database file: one thread writes, others read. A database in memory has only the one that writes. */
export class SqliteDatabase extends SqliteSession implements Driver {
  readonly engine = 'sqlite';
  onTablesChange = (): void => {};
  private readonly settings: ConnectionSettings;
  private readonly room: RowRoom;
  private readonly isInMemory: boolean;
  private readonly lock: FileLock;
  private readonly pace = new Pace();
  private readonly readers: Readers;
  private readonly writerGate: Gate;
  private writer: Lane | null = null;
  /** Whether the file exists and has its journal, so that readers can open it. */
  private isReady: boolean;
  private isClosed = false;
  /** Version of the schema, as the writer last saw it. */
  private schema: number | null = null;

  constructor(
    readonly label: string,
    private readonly options: DriverOptions,
    library: LibraryName,
  ) {
    super(false);
    this.isInMemory = label === ':memory:';
    const path = this.isInMemory ? label : resolve(label);
    const { readonly, durable, pool, timeout, room = UNLIMITED } = options;
    const { maxValue, maxRow } = (this.room = room);
    this.isReady = readonly && !this.isInMemory;
    const access = !readonly ? 'write' : this.isInMemory ? 'read' : 'readonly';
    this.settings = { library, path, access, durable, limits: { maxValue, maxRow } };
    this.readers = new Readers(
      { ...this.settings, access: readonly ? 'readonly' : 'read' },
      room,
      this.pace,
      pool,
      timeout,
    );
    this.writerGate = new Gate(1, timeout, () => this.writer?.hasRoom ?? true);
    this.lock = new FileLock({ ...this.settings, access: 'lock' });
  }

  async begin({ readonly }: TransactionOptions, cancel: Cancellation): Promise<LaneTransaction> {
    const isReader = readonly && !this.isInMemory;
    const cannotWrite = readonly || this.options.readonly;
    const job = this.job({ kind: 'run', sql: cannotWrite ? 'BEGIN' : 'BEGIN IMMEDIATE' }, cancel);
    const held = isReader ? this.leaseReader(job) : this.leaseWriter(job, readonly && !this.options.readonly);
    try {
      await job.promise;
    } catch (error) {
      // BEGIN may have run nevertheless.
      if (held.transaction !== null) void held.transaction.rollback();
      throw error;
    }
    return held.transaction as LaneTransaction;
  }

  locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.lock.locked(name, work);
  }

  stats(): DriverStats {
    const connections = this.readers.connections + (this.writer === null ? 0 : 1);
    return { connections, waiting: this.writerGate.waiting + this.readers.waiting };
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.writerGate.close(CLOSED());
    // The writer comes last: the last connection moves the journal into the file.
    await this.readers.close(CLOSED());
    await this.writer?.close(CLOSED());
  }

  /** A statement that may change a file runs to its end. */
  async leave(): Promise<void> {
    const { writer } = this;
    this.writerGate.leave();
    await Promise.all([
      this.readers.leave(CLOSED()),
      writer === null || writer.isIdle ? null : writer.leave(CLOSED(), this.isInMemory),
    ]);
  }

  private job(wish: Wish, cancel: Cancellation): Job {
    if (this.isClosed) throw CLOSED();
    return new Job(wish, cancel);
  }

  protected override send(wish: Wish, cancel: Cancellation): Job {
    const job = this.job(wish, cancel);
    if (wish.reads && !this.isInMemory) this.whenReady(job, () => this.readers.send(job));
    else this.writerGate.pass(job, false, () => this.writingLane().send(job));
    return job;
  }

  private writingLane(): Lane {
    if (this.writer !== null) return this.writer;
    const writer = new Lane(this.settings, this.room, this.pace, () => {
      this.writer = null;
      this.writerGate.serve();
    });
    writer.onProgress = () => this.writerGate.serve();
    writer.onSchema = (version) => {
      const isNew = this.schema !== null && this.schema !== version;
      this.schema = version;
      if (isNew) this.onTablesChange();
    };
    return (this.writer = writer);
  }

  /** Calls `go` when readers can open the file, which the writer creates. */
  private whenReady(job: Job, go: () => void): void {
    if (this.isReady) return go();
    if (this.writerGate.isLeft) return;
    this.writingLane().opened.then(
      () => {
        this.isReady = true;
        if (this.isClosed) job.fail(CLOSED());
        else go();
      },
      (failure: SqlFailure) => job.fail(failure),
    );
  }

  /** @param protects whether the connection refuses changes until the transaction ends */
  private leaseWriter(job: Job, protects: boolean): { transaction: LaneTransaction | null } {
    const held: { transaction: LaneTransaction | null } = { transaction: null };
    this.writerGate.pass(job, true, () => {
      const lane = this.writingLane();
      const protect = (state: 'ON' | 'OFF'): void => {
        // If it fails, the thread has ended, and the transaction fails as well.
        if (protects) lane.ask({ kind: 'run', sql: `PRAGMA query_only=${state}` }).promise.catch(() => {});
      };
      held.transaction = new LaneTransaction(lane, () => {
        protect('OFF');
        this.writerGate.release();
      });
      protect('ON');
      lane.send(job);
    });
    return held;
  }

  private leaseReader(job: Job): { lane: Lane | null; transaction: LaneTransaction | null; release: () => void } {
    const held = { lane: null as Lane | null, transaction: null as LaneTransaction | null, release: (): void => {} };
    this.whenReady(job, () =>
      this.readers.gate.pass(job, true, () => {
        const lane = (held.lane = this.readers.lease());
        held.release = () => {
          this.readers.giveBack(lane);
          this.readers.gate.release();
        };
        held.transaction = new LaneTransaction(lane, held.release);
        lane.send(job);
      }),
    );
    return held;
  }

  protected override async cursor(wish: Wish, cancel: Cancellation): Promise<Cursor> {
    if (this.isInMemory) {
      const job = this.send(wish, cancel);
      return openedCursor(job, cancel, () => this.writer);
    }
    const job = this.job(wish, cancel);
    const held = this.leaseReader(job);
    return openedCursor(
      job,
      cancel,
      () => held.lane,
      () => held.release(),
    );
  }
}
