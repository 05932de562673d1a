import type { Linked } from '../../../vm/fibers/linkedlist.js';
import {
  type Cancellation,
  type Result,
  type RowRoom,
  type RowSink,
  type SqlFailure,
  type SqlValue,
} from '../driver.js';
import type { StatementPace } from '../pace.js';
import { RowMeter } from '../rowlimits.js';
import { cancelled, failureOf } from './failures.js';
import type { Answer, ColumnKind, Request } from './protocol.js';
import { readRows } from './values.js';
import { sizeOfAll } from './weight.js';

/** A request without its number; fields that are left out have defaults. */
export type Wish = Partial<Request> & Pick<Request, 'kind'>;

/** A result, and whether its cursor may have more rows. */
export interface Outcome extends Result {
  readonly rest: boolean;
}

/** Has sent a job or keeps it waiting, and cancels it. */
export interface Holder {
  cancel(job: Job): void;
}

let lastId = 0;

/** Names each field, because spreading objects takes longer than all the rest. */
function requestFor(wish: Wish): Request {
  return {
    id: ++lastId,
    kind: wish.kind,
    sql: wish.sql ?? '',
    params: wish.params ?? [],
    reads: wish.reads ?? false,
    grouped: wish.grouped ?? false,
    inside: wish.inside ?? false,
    cursor: wish.cursor ?? 0,
    rows: wish.rows ?? null,
  };
}

/** A request and the promise of its result. */
export class Job implements Linked<Job> {
  request: Request;
  readonly promise: Promise<Outcome>;
  isSettled = false;
  private resolve!: (outcome: Outcome) => void;
  private reject!: (failure: SqlFailure) => void;
  private columns: readonly string[] = [];
  private kinds: readonly ColumnKind[] | null = null;
  private pieces: SqlValue[][][] = [];
  /** Measures the rows of an answer in several parts. */
  private meter: RowMeter | null = null;
  /** Takes the first pieces over; null if the result has all of them. */
  sink: RowSink | null = null;
  /** What has the request, such as a thread, or null. */
  holder: Holder | null = null;
  /** What is known of its statement's duration; null before it is sent. */
  pace: StatementPace | null = null;
  /** Milliseconds that it was expected to take when it was sent. */
  expected = 0;
  /** Neighbours in the list of the thread's requests, or of those that wait for a thread. */
  older: Job | null = null;
  younger: Job | null = null;

  /** @param kinds how the columns of a cursor are read */
  constructor(
    wish: Wish,
    private readonly cancellation: Cancellation,
    kinds: readonly ColumnKind[] | null = null,
  ) {
    this.request = requestFor(wish);
    this.kinds = kinds;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    cancellation.onCancel(() => this.cancel());
    if (cancellation.isCancelled) this.cancel();
  }

  get context(): object | null {
    return this.cancellation.context;
  }

  /** The job begins or ends to wait until another one returns its connection. */
  waitsInside(isWaiting: boolean): void {
    this.cancellation.waitsInside(isWaiting);
  }

  get columnKinds(): readonly ColumnKind[] | null {
    return this.kinds;
  }

  answer({ fault, header, rows, more, changes, lastId, rest }: Answer, room: RowRoom): void {
    if (this.isSettled) return;
    if (fault !== null) return this.fail(failureOf(fault));
    if (header !== null) {
      this.columns = header.columns;
      this.kinds = header.kinds;
      // The answer begins: parts before it are those of a run that was undone, or of another thread.
      this.pieces = [];
      this.meter = null;
      this.sink?.begin(header.columns);
    }
    const shortage = more && rows !== null ? (this.meter ??= new RowMeter(room)).add(sizeOfAll(rows)) : null;
    if (shortage !== null) return this.abort(shortage);
    if (rows !== null && rows.length > 0) this.take(this.kinds === null ? rows : readRows(rows, this.kinds));
    if (more) return;
    this.settle();
    this.resolve({ columns: this.columns, pieces: this.pieces, changes, lastId, rest });
  }

  private take(piece: SqlValue[][]): void {
    if (this.sink === null || !this.sink.add(piece)) this.pieces.push(piece);
  }

  fail(failure: SqlFailure): void {
    if (this.isSettled) return;
    this.settle();
    this.pieces = [];
    this.sink?.begin([]);
    this.reject(failure);
  }

  /** Gives the request a new number before it is sent again: an answer to the old number may still come. */
  renew(): void {
    this.request = { ...this.request, id: ++lastId };
  }

  cancel(): void {
    this.abort(cancelled());
  }

  /** Fails, and ends the statement. */
  private abort(failure: SqlFailure): void {
    if (this.isSettled) return;
    const { holder } = this;
    this.fail(failure);
    holder?.cancel(this);
  }

  private settle(): void {
    this.isSettled = true;
    this.holder = null;
    this.cancellation.onCancel(null);
  }
}
