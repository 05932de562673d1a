import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation, PIECE, type Cursor, type SqlValue } from '../driver.js';
import { END_MS } from './ask.js';
import type { Exchange } from './connection.js';
import { ClosePortalExchange, PortalExchange, type Fetched, type Outcome, type Sendable } from './exchanges.js';
import { cancelledFailure } from './failures.js';
import type { Shape } from './prepared.js';
import type { Reading } from './rows.js';

/** What a cursor needs of the transaction that it is in. */
export interface CursorHost {
  readonly reading: Reading;
  ask<T>(cancel: Cancellation, make: (outcome: Outcome<T>) => Exchange): Promise<T>;
  /** Converts values of types that the server has to be asked for. */
  convert(pieces: SqlValue[][][], shape: Shape): Promise<void>;
  /**
   * Called once after the last row, an error, or the end of the cursor. Rejects with SqlFailure if the end fails.
   * @param cancel ends the end
   */
  ended(hasFailed: boolean, cancel: Cancellation): Promise<void>;
}

/** Milliseconds that the end of a cursor waits for rows that were requested, before it cancels them. */
const CLOSE_MS = 50;

/** Rows that are fetched first, when their length is not known. */
const FEW = 20;

/** Bytes of rows that are fetched at once, if these are like those before. */
const MAX_BYTES = 2 ** 21;

/** Numbers the portals of this process. */
let portals = 0;

/** Fetches rows from a portal, if possible one piece ahead of its reader. */
export class PortalCursor implements Cursor {
  private readonly portal = `c${portals++}`;
  private readonly inner = new Cancellation();
  private shape: Shape | null = null;
  private ahead: Promise<Fetched> | null = null;
  private isEnded = false;
  /** Cancelled when no thread waits for the end of the cursor any more. */
  private readonly ending = new Cancellation();
  /** Number of rows to fetch next. */
  private count = FEW;

  /**
   * @param isAlone whether the transaction is the cursor's own. Then the next piece is fetched before it is needed, and
   *   the end of the portal can be cancelled; both could fail a transaction that continues after the cursor
   */
  constructor(
    private readonly host: CursorHost,
    private readonly isAlone: boolean,
  ) {}

  get columns(): readonly string[] {
    return this.shape?.names ?? [];
  }

  /** Starts the statement. Resolves when the first rows are there. */
  async start(statement: Sendable, cancel: Cancellation): Promise<this> {
    cancel.onCancel(() => this.inner.cancel());
    if (cancel.isCancelled) this.inner.cancel();
    this.ahead = this.first(statement);
    try {
      await this.ahead;
    } catch (failure) {
      await this.end(true);
      throw failure;
    }
    return this;
  }

  async next(): Promise<SqlValue[][] | null> {
    if (this.isEnded) return null;
    try {
      if (this.inner.isCancelled) throw cancelledFailure();
      const fetched = await (this.ahead ?? this.fetch(null));
      const { pieces, isEnd, shape } = fetched;
      this.adapt(fetched);
      this.ahead = isEnd || !this.isAlone ? null : this.fetch(null);
      if (pieces.length > 0 && !this.host.reading.types.knows(shape)) await this.host.convert(pieces, shape);
      if (isEnd) await this.end(false);
      return pieces[0] ?? null;
    } catch (failure) {
      await this.end(true);
      throw failure;
    }
  }

  async close(cancel?: Cancellation): Promise<void> {
    if (this.isEnded) {
      // The thread that waits for the last rows, and with them for the end, has been ended.
      this.ending.cancel();
      return;
    }
    cancel?.onCancel(() => this.ending.cancel());
    let hasFailed = this.inner.isCancelled;
    if (this.ahead !== null) {
      const isThere = this.ahead.then(
        () => true,
        () => false,
      );
      hasFailed = !(await Promise.race([isThere, sleep(CLOSE_MS, false, { ref: false })]));
      if (hasFailed) this.inner.cancel();
    }
    // The caller has all the rows that it wanted: a commit that fails now is not reported.
    await this.end(hasFailed, cancel === undefined).catch(() => {});
    cancel?.onCancel(null);
  }

  /** Fetches the first rows: few, then, if these are short, more. */
  private async first(statement: Sendable): Promise<Fetched> {
    const few = await this.fetch(statement);
    this.shape = few.shape;
    this.adapt(few);
    if (few.isEnd || this.count <= FEW) return few;
    const more = await this.fetch(null, this.count - FEW);
    return { ...more, bytes: few.bytes + more.bytes, pieces: [[...few.pieces, ...more.pieces].flat()] };
  }

  /** Lets the next fetch be about MAX_BYTES long. */
  private adapt({ pieces, bytes }: Fetched): void {
    const rows = pieces.flat().length;
    if (rows > 0) this.count = Math.min(PIECE, Math.ceil((MAX_BYTES / bytes) * rows));
  }

  private fetch(statement: Sendable | null, count = this.count): Promise<Fetched> {
    const { portal, shape, host } = this;
    const fetched = host.ask<Fetched>(
      this.inner,
      (outcome) => new PortalExchange(portal, statement, shape, count, host.reading, outcome),
    );
    // A failure is reported when the piece is asked for.
    fetched.catch(() => {});
    return fetched;
  }

  /** @param isAbandoned whether no thread waits for it */
  private async end(hasFailed: boolean, isAbandoned = false): Promise<void> {
    if (this.isEnded) return;
    this.isEnded = true;
    const { host, ending } = this;
    if (hasFailed) return host.ended(true, ending);
    try {
      await this.endPortal(isAbandoned);
    } catch (failure) {
      await host.ended(true, ending);
      throw failure;
    }
    return host.ended(false, ending);
  }

  private async endPortal(isAbandoned: boolean): Promise<void> {
    const make = (outcome: Outcome<void>): Exchange => new ClosePortalExchange(this.portal, outcome);
    if (!this.isAlone) return this.host.ask(new Cancellation(), make);
    const timer = isAbandoned ? setTimeout(() => this.ending.cancel(), END_MS) : undefined;
    try {
      return await this.host.ask(this.ending, make);
    } finally {
      clearTimeout(timer);
    }
  }
}
