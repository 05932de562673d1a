import { PIECE, type RowLimits } from '../driver.js';
import { CancelledFault, codeOf, faultOf, TooLargeFault } from './faults.js';
import type { Changes, Library } from './libraries.js';
import { type Fault, type Header, NOTHING, type Part, type Request, type Wire } from './protocol.js';
import { type Kept, Statements, suggesting } from './statements.js';
import { MAX_WEIGHT, weightWithin } from './weight.js';

/** Rows between two looks at new messages. */
const ROWS_PER_LOOK = 64;

/** Maximum number of quick statements between two looks at new messages. */
const QUICK = 100;

/** Statements that take longer do not share a COMMIT, in milliseconds. */
const LONG_MS = 5;

/** Answers are sent before and after a statement that took longer last time, in milliseconds. */
const SLOW_MS = 0.5;

/** Milliseconds of quick statements between two looks at new messages. */
const QUICK_MS = 2;

/** SQLITE_ABORT_ROLLBACK: a rollback has ended the statement. */
const ABORT_ROLLBACK = 516;

interface Cursor {
  readonly kept: Kept;
  readonly rows: Iterator<Wire[]>;
  /** Whether it belongs to the open transaction, and ends with it. */
  readonly inside: boolean;
}

/** A part of an answer, with its weight in rows. */
export interface Weighed extends Part {
  readonly weight: number;
}

interface Piece {
  readonly rows: Wire[][];
  readonly weight: number;
  readonly done: boolean;
}

/** Receives the parts of an answer before the last one. */
export type Emit = (part: Weighed) => Promise<void> | null;

/** The answer to a request that returns nothing. */
const DONE: Weighed = { ...NOTHING, weight: 1 };

/** Whether a request reads outside of transactions. */
function isRead({ kind, reads, inside }: Request): boolean {
  return kind === 'run' && reads && !inside;
}

/** Runs requests, one at a time. */
export class Connection {
  private readonly statements: Statements;
  private readonly cursors = new Map<number, Cursor>();
  /** Request whose statement is running, which `interrupt` can end; 0 if there is none. */
  private running = 0;
  private isSchemaCertain = false;
  /** Milliseconds of BEGIN and COMMIT, mostly waits for the disk and for other processes. */
  private controlMs = 0;

  /** @param wasCancelled looks at new messages, then returns whether a request has been cancelled */
  constructor(
    private readonly library: Library,
    readonly wasCancelled: (id: number) => boolean,
    private readonly limits: RowLimits,
  ) {
    this.statements = new Statements(library);
  }

  /** Call before the requests of a message. */
  expectChanges(): void {
    this.isSchemaCertain = false;
  }

  /** Version of the schema; null before the first statement. */
  get schema(): number | null {
    return this.statements.version;
  }

  isSlow(sql: string): boolean {
    return this.statements.milliseconds(sql) > SLOW_MS;
  }

  /** Whether a statement would keep those that share its COMMIT waiting. */
  isLong(sql: string): boolean {
    const ms = this.statements.milliseconds(sql);
    return ms > LONG_MS && ms < Infinity;
  }

  /** Ends a request if it is the one that is running. */
  interrupt(id: number): void {
    if (this.running === id) this.library.interrupt();
  }

  isInTransaction(): boolean {
    return this.library.isInTransaction();
  }

  close(): void {
    this.closeCursors([...this.cursors.keys()]);
    this.library.close();
  }

  handle(request: Request, emit: Emit): Promise<Weighed> {
    if (request.inside && request.sql !== 'ROLLBACK' && !this.isInTransaction())
      throw new Error('the transaction was rolled back by an earlier error');
    switch (request.kind) {
      case 'run':
        return this.run(request, emit);
      case 'open':
        return this.open(request);
      case 'next':
        return this.next(request);
      case 'close':
        return this.closeCursor(request.cursor);
      case 'script':
        return this.script(request);
      case 'many':
        return this.many(request);
      case 'end':
        this.closeCursors([...this.cursors].filter(([, { inside }]) => inside).map(([id]) => id));
        return this.run(request, emit);
    }
  }

  /** Runs a short statement without parameters and rows. */
  async control(sql: string): Promise<void> {
    const start = performance.now();
    try {
      if (!this.statements.runAtOnce(sql)) await (await this.statements.get(sql)).prepared.run([]);
    } finally {
      this.controlMs += performance.now() - start;
    }
  }

  /** Milliseconds that `control` has taken since the last call. */
  takeControlMs(): number {
    const ms = this.controlMs;
    this.controlMs = 0;
    return ms;
  }

  /** Makes sure that statements which are prepared now have the columns of the current schema. */
  private async ensureSchema(): Promise<void> {
    if (this.isSchemaCertain) return;
    await this.statements.refresh();
    this.isSchemaCertain = true;
  }

  private async kept(sql: string): Promise<Kept> {
    await this.ensureSchema();
    return this.statements.get(sql);
  }

  /** Waits for a statement's run, or for its first row, while `interrupt` can end it. */
  private async endable<T>(id: number, result: T | Promise<T>): Promise<T> {
    this.running = id;
    try {
      return await result;
    } finally {
      this.running = 0;
    }
  }

  /**
   * Answers the first of some requests, up to one that may take long. Most statements of services read one row at most;
   * waiting for promises takes longer than they do. They share a transaction, since one for each takes as long as
   * reading the row. `limit`: how many are answered at most.
   */
  quickly(requests: readonly Request[], limit: number): (Weighed | Fault)[] {
    const answers: (Weighed | Fault)[] = [];
    const mayShare = requests.length > 1 && isRead(requests[0]) && !this.isInTransaction();
    const isShared = mayShare && this.statements.runAtOnce('BEGIN');
    const start = performance.now();
    let weight = 0;
    for (let i = 0; i < requests.length && i < limit && i < QUICK && weight < PIECE; i++) {
      const answer = this.quick(requests[i]);
      if (answer === null) break;
      weight += 'weight' in answer ? answer.weight : 1;
      answers.push(answer);
      // Not after each one, since a look at the clock takes a few hundredths of a quick one.
      if ((i & (i + 1)) !== 0) continue;
      const ms = performance.now() - start;
      if (ms > SLOW_MS * (i + 1)) this.statements.note(requests[i].sql, ms / (i + 1));
      if (ms > QUICK_MS) break;
    }
    // An error may have ended it.
    if (isShared && this.isInTransaction()) this.statements.runAtOnce('COMMIT');
    return answers;
  }

  /** The answer to a request whose statement is known, was not slow, and reads one row at most; else null. */
  private quick(request: Request): Weighed | Fault | null {
    if (!isRead(request)) return null;
    const { sql, params } = request;
    try {
      if (!this.isSchemaCertain && !(this.isSchemaCertain = this.statements.isCurrent())) return null;
      const kept = this.statements.known(sql);
      if (kept === null || kept.ms > SLOW_MS) return null;
      const rows = kept.prepared.row(params);
      if (rows === null) return null;
      const { header } = kept;
      const weight = rows.length === 0 ? 1 : weightWithin(rows[0], header.columns, this.limits);
      return { ...DONE, header, rows, weight };
    } catch (error) {
      this.statements.forget(sql);
      return faultOf(error);
    }
  }

  private async run(request: Request, emit: Emit): Promise<Weighed> {
    const kept = await this.kept(request.sql);
    const start = performance.now();
    try {
      const part = await this.execute(kept, request, emit);
      // Statements other than these may change the schema.
      if (!request.reads && !request.grouped) this.isSchemaCertain = false;
      return part;
    } catch (error) {
      if (request.reads) this.statements.forget(request.sql);
      throw error;
    } finally {
      kept.ms = performance.now() - start;
    }
  }

  private async execute(kept: Kept, request: Request, emit: Emit): Promise<Weighed> {
    const { prepared, header } = kept;
    if (header.columns.length === 0)
      return { ...DONE, ...(await this.endable(request.id, prepared.run(request.params))) };
    const rows = await this.endable(request.id, prepared.rows(request.params));
    let head: Header | null = header;
    const others = this.cursors.size;
    let piece = this.take(request.id, kept, rows, others);
    for (; !piece.done; piece = this.take(request.id, kept, rows, others)) {
      await emit({ ...DONE, header: head, rows: piece.rows, weight: piece.weight, more: true });
      head = null;
    }
    const changes = request.reads ? null : await this.changes();
    return { ...DONE, header: head, ...changes, rows: piece.rows, weight: piece.weight };
  }

  private async changes(): Promise<Changes> {
    const { prepared } = await this.statements.get('SELECT changes(), last_insert_rowid()');
    const rows = await prepared.rows([]);
    const [changes, lastId] = rows.next().value as [bigint, bigint];
    while (rows.next().done !== true);
    return { changes: Number(changes), lastId };
  }

  /** The next rows; `done` if there are no more after them. Ends a request that is cancelled, or has too large a row. */
  private take(id: number, { prepared, header }: Kept, from: Iterator<Wire[]>, others: number): Piece {
    const rows: Wire[][] = [];
    let weight = 0;
    try {
      while (rows.length < PIECE && weight < MAX_WEIGHT) {
        if (rows.length % ROWS_PER_LOOK === 0 && this.wasCancelled(id)) throw new CancelledFault();
        const next = from.next();
        if (next.done === true) return { rows, weight, done: true };
        weight += weightWithin(next.value, header.columns, this.limits);
        rows.push(next.value);
      }
    } catch (error) {
      if (error instanceof CancelledFault || error instanceof TooLargeFault) prepared.reset(from, others === 0);
      throw error;
    }
    return { rows, weight, done: false };
  }

  /** Opens a cursor and returns its first rows. */
  private async open(request: Request): Promise<Weighed> {
    await this.ensureSchema();
    const kept = await this.statements.fresh(request.sql);
    const rows = await this.endable(request.id, kept.prepared.rows(request.params));
    this.cursors.set(request.id, { kept, rows, inside: request.inside });
    return { ...this.piece(request.id, request.id), header: kept.header };
  }

  private piece(id: number, cursor: number): Weighed {
    const { kept, rows } = this.cursors.get(cursor) as Cursor;
    let isOpen = false;
    try {
      const { rows: taken, weight, done } = this.take(id, kept, rows, this.cursors.size - 1);
      isOpen = !done;
      return { ...DONE, rows: taken, weight, rest: !done };
    } finally {
      if (!isOpen) this.cursors.delete(cursor);
    }
  }

  private async next({ id, cursor }: Request): Promise<Weighed> {
    if (!this.cursors.has(cursor))
      throw new Error('the transaction whose rows were read has ended; read all of them before its end');
    try {
      return this.piece(id, cursor);
    } catch (error) {
      if (codeOf(error) !== ABORT_ROLLBACK) throw error;
      throw new Error(
        'the rows cannot be read to their end: a transaction that changed the schema was rolled back meanwhile; read them with db.query',
        { cause: error },
      );
    }
  }

  private async closeCursor(id: number): Promise<Weighed> {
    this.closeCursors([id]);
    return DONE;
  }

  private closeCursors(ids: readonly number[]): void {
    const alone = ids.length === this.cursors.size;
    for (const id of ids) {
      const cursor = this.cursors.get(id);
      cursor?.kept.prepared.reset(cursor.rows, alone);
      this.cursors.delete(id);
    }
  }

  private async script(request: Request): Promise<Weighed> {
    const before = await this.totalChanges();
    try {
      await this.endable(request.id, this.library.exec(request.sql));
    } catch (error) {
      throw await suggesting(this.library, error);
    } finally {
      this.isSchemaCertain = false;
    }
    const isInside = this.isInTransaction();
    if (isInside && !request.inside) {
      await this.control('ROLLBACK');
      throw new Error('the script began a transaction and did not end it; use db.transaction');
    }
    if (request.inside && !isInside) throw new Error('the script ended the transaction; only db.transaction may do so');
    return { ...DONE, changes: (await this.totalChanges()) - before };
  }

  private async totalChanges(): Promise<number> {
    const { prepared } = await this.statements.get('SELECT total_changes()');
    const rows = await prepared.rows([]);
    const [count] = rows.next().value as [bigint];
    while (rows.next().done !== true);
    return Number(count);
  }

  private async many(request: Request): Promise<Weighed> {
    const { prepared } = await this.kept(request.sql);
    let changes = 0;
    for (const row of request.rows ?? []) changes += (await prepared.run(row)).changes;
    if (this.wasCancelled(request.id)) throw new CancelledFault();
    return { ...DONE, changes };
  }
}
