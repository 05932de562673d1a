import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SqlFailure, type Row } from '../driver.js';
import { copyLine } from './encode.js';
import { Asking, type Outcome } from './exchanges.js';
import type { Message, Wire } from './wire.js';

/** Characters that are sent in one turn of the event loop. */
const CHUNK = 32 * 1024;

/** Sends rows with COPY, in pieces, and no faster than the server takes them. */
export class CopyExchange extends Asking<number> {
  private count = 0;
  private isOver = false;
  private refusal: SqlFailure | null = null;

  /** @param types types of the columns */
  constructor(
    sql: string,
    private readonly columns: readonly string[],
    private readonly types: readonly number[],
    private readonly rows: Iterable<Row>,
    outcome: Outcome<number>,
  ) {
    super(sql, outcome);
  }

  override write(wire: Wire): void {
    wire.query(this.sql);
  }

  override receive(message: Message, wire: Wire): void {
    if (message.name === 'copyInResponse') void this.feed(wire);
  }

  override finish(): void {
    this.isOver = true;
    if (this.refusal === null || this.isCancelled) super.finish();
    else this.outcome.failed(this.refusal, false);
  }

  protected override hasValues(): boolean {
    return true;
  }

  protected override value(): number {
    return this.count;
  }

  override lost(failure: SqlFailure, mayHaveRun: boolean): void {
    this.isOver = true;
    super.lost(failure, mayHaveRun);
  }

  private async feed(wire: Wire): Promise<void> {
    try {
      let text = '';
      for (const row of this.rows) {
        text += this.line(row);
        if (text.length < CHUNK) continue;
        wire.sendCopyFromChunk(Buffer.from(text));
        text = '';
        await (wire.stream.writableNeedDrain ? drained(wire) : nextTurn());
        if (this.isEnded()) break;
      }
      if (!this.isEnded()) wire.sendCopyFromChunk(Buffer.from(text));
    } catch (error) {
      this.refusal = error as SqlFailure;
    }
    if (this.isOver || this.error !== null) return;
    if (this.refusal === null && !this.isCancelled) wire.endCopyFrom();
    else wire.sendCopyFail('cancelled');
  }

  /** Whether the server takes no more rows. */
  private isEnded(): boolean {
    return this.isOver || this.isCancelled || this.error !== null;
  }

  private line(row: Row): string {
    const { columns, types } = this;
    if (row.length !== columns.length) {
      throw new SqlFailure('database', `row ${this.count + 1} has ${row.length} values for ${columns.length} columns`);
    }
    this.count++;
    return copyLine(row, columns, types, this.count);
  }
}

/** Waits until the socket takes more, or is closed. */
async function drained({ stream }: Wire): Promise<void> {
  const waiting = new AbortController();
  const ends = ['drain', 'close'].map((event) => once(stream, event, { signal: waiting.signal }));
  await Promise.race(ends).catch(() => {});
  waiting.abort();
  await Promise.allSettled(ends);
}
