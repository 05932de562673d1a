import { type Cancellation, type Cursor, type SqlValue } from '../driver.js';
import type { Job, Outcome } from './job.js';
import type { Lane } from './lane.js';

/** Rows of a statement whose thread keeps its place. The next piece is requested while the program uses one. */
class LaneCursor implements Cursor {
  readonly columns: readonly string[];
  private pieces: SqlValue[][][];
  private ahead: Job | null = null;
  private isOpen: boolean;

  /** @param release returns the connection */
  constructor(
    private readonly lane: Lane,
    private readonly job: Job,
    first: Outcome,
    private readonly cancellation: Cancellation,
    private readonly release: () => void,
  ) {
    this.columns = first.columns;
    this.pieces = [...first.pieces];
    this.isOpen = true;
    if (first.rest) this.request();
    else this.end();
  }

  async next(): Promise<SqlValue[][] | null> {
    const piece = this.pieces.shift();
    if (piece !== undefined) return piece;
    if (this.ahead === null) return null;
    const outcome = await this.received(this.ahead);
    if (outcome.rest && this.isOpen) this.request();
    else this.end();
    return outcome.pieces[0] ?? null;
  }

  async close(): Promise<void> {
    this.pieces = [];
    if (!this.isOpen) return;
    this.isOpen = false;
    this.ahead?.cancel();
    this.ahead = null;
    const job = this.lane.ask({ kind: 'close', cursor: this.job.request.id });
    // A connection that has failed has no cursor any more.
    await job.promise.catch(() => {});
    this.release();
  }

  private async received(ahead: Job): Promise<Outcome> {
    try {
      return await ahead.promise;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  private request(): void {
    const { cancellation, job } = this;
    const next = this.lane.ask({ kind: 'next', cursor: job.request.id }, cancellation, job.columnKinds);
    this.ahead = next;
    // The failure is reported when the program asks for the piece.
    next.promise.catch(() => {});
  }

  private end(): void {
    this.ahead = null;
    if (!this.isOpen) return;
    this.isOpen = false;
    this.release();
  }
}

/**
 * Waits for the cursor that a job opens.
 * @param lane the thread that runs the job; null before it has one
 * @param release returns that thread
 */
export async function openedCursor(
  job: Job,
  cancellation: Cancellation,
  lane: () => Lane | null,
  release = (): void => {},
): Promise<Cursor> {
  try {
    const first = await job.promise;
    return new LaneCursor(lane() as Lane, job, first, cancellation, release);
  } catch (error) {
    // The statement may have begun nevertheless, and its thread may still be busy with it.
    const closed = lane()?.ask({ kind: 'close', cursor: job.request.id }).promise;
    void closed?.catch(() => {}).then(release);
    throw error;
  }
}

/** Rows that have already been received. */
export class ArrayCursor implements Cursor {
  readonly columns: readonly string[];
  private readonly pieces: SqlValue[][][];

  constructor({ columns, pieces }: Outcome) {
    this.columns = columns;
    this.pieces = [...pieces];
  }

  async next(): Promise<SqlValue[][] | null> {
    return this.pieces.shift() ?? null;
  }

  async close(): Promise<void> {
    this.pieces.length = 0;
  }
}
