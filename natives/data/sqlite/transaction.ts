import { Cancellation, type Cursor, type Insertion, PIECE, type Row, SqlFailure, type Transaction } from '../driver.js';
import { openedCursor } from './cursor.js';
import { Job, type Wish } from './job.js';
import type { Lane } from './lane.js';
import type { Wire } from './protocol.js';
import { SqliteSession } from './session.js';
import { quoted } from './text.js';
import { wireOf } from './values.js';
import { MAX_WEIGHT, weightOf } from './weight.js';

function insertText(table: string, columns: readonly string[]): string {
  if ([table, ...columns].some((name) => name.includes('\0')))
    throw new SqlFailure('database', 'the name of a table or column contains a NUL character');
  const names = columns.map(quoted).join(', ');
  return `INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** Groups rows as they travel. */
function* inPieces(rows: Iterable<Row>, width: number): Generator<Wire[][]> {
  let piece: Wire[][] = [];
  let weight = 0;
  let count = 0;
  for (const row of rows) {
    count++;
    if (row.length !== width)
      throw new SqlFailure('database', `row ${count} has ${row.length} values; expected ${width}, one for each column`);
    const wires = row.map(wireOf);
    piece.push(wires);
    weight += weightOf(wires);
    if (piece.length < PIECE && weight < MAX_WEIGHT) continue;
    yield piece;
    piece = [];
    weight = 0;
  }
  if (piece.length > 0) yield piece;
}

/** A transaction with a connection of its own until it ends. */
export class LaneTransaction extends SqliteSession implements Transaction {
  private readonly active = new Set<Job>();
  private isEnded = false;

  /** @param release returns the connection */
  constructor(
    private readonly lane: Lane,
    private readonly release: () => void,
  ) {
    super(true);
  }

  async insertMany({ table, columns, rows }: Insertion, cancel: Cancellation): Promise<number> {
    const sql = insertText(table, columns);
    let count = 0;
    let ahead: Job | null = null;
    try {
      for (const piece of inPieces(rows, columns.length)) {
        const before: Job | null = ahead;
        const job = this.send({ kind: 'many', sql, rows: piece, inside: true }, new Cancellation(cancel.context));
        // One piece is inserted while the next one is made, and a cancellation ends both.
        job.promise.catch(() => {});
        cancel.onCancel(() => {
          before?.cancel();
          job.cancel();
        });
        if (cancel.isCancelled) job.cancel();
        ahead = job;
        if (before !== null) count += (await before.promise).changes;
      }
      return ahead === null ? count : count + (await ahead.promise).changes;
    } finally {
      ahead?.cancel();
      cancel.onCancel(null);
    }
  }

  async commit(): Promise<void> {
    const job = this.send({ kind: 'end', sql: 'COMMIT', inside: true }, new Cancellation());
    this.isEnded = true;
    try {
      await job.promise;
    } catch (error) {
      await this.sendRollback();
      throw error;
    } finally {
      this.release();
    }
  }

  async rollback(): Promise<void> {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const job of this.active) job.cancel();
    await this.sendRollback();
    this.release();
  }

  /** Undoes everything, also if the transaction has never begun or has already ended. */
  async sendRollback(): Promise<void> {
    await this.lane.ask({ kind: 'end', sql: 'ROLLBACK' }).promise.catch(() => {});
  }

  protected override async cursor(wish: Wish, cancel: Cancellation): Promise<Cursor> {
    const job = this.send(wish, cancel);
    return openedCursor(job, cancel, () => this.lane);
  }

  protected override send(wish: Wish, cancel: Cancellation): Job {
    if (this.isEnded) throw new SqlFailure('database', 'the transaction has ended');
    const job = new Job(wish, cancel);
    this.active.add(job);
    const forget = (): void => void this.active.delete(job);
    job.promise.then(forget, forget);
    this.lane.send(job);
    return job;
  }
}
