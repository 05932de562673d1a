import { SqlFailure, type SqlValue } from '../driver.js';
import { Exchange, type Connection } from './connection.js';
import { CANCELLED, cancelledFailure, failureOf, isStale } from './failures.js';
import type { Encoded } from './encode.js';
import type { Prepared, Shape } from './prepared.js';
import { type Reading, Rows, shapeOf } from './rows.js';
import type { Message, Wire } from './wire.js';

/** Receives the result of an exchange. */
export interface Outcome<T> {
  done(this: void, value: T): void;
  /** @param isUndone whether the statement certainly had no effect, so that outside of a transaction it can be repeated */
  failed(this: void, failure: SqlFailure, isUndone: boolean): void;
}

/** An exchange with an outcome. */
export abstract class Asking<T> extends Exchange {
  constructor(
    protected readonly sql: string,
    protected readonly outcome: Outcome<T>,
  ) {
    super();
  }

  protected hasValues(): boolean {
    return false;
  }

  /** The value of an exchange without an error. @throws SqlFailure */
  protected abstract value(): T;

  /** Whether an error shows that the statement has not begun. */
  protected isUndone(): boolean {
    return false;
  }

  /** Why the exchange fails whatever the server answers; null if it does not. */
  protected ownFailure(): SqlFailure | null {
    return null;
  }

  override finish(): void {
    const { error, isCancelled } = this;
    const own = this.ownFailure();
    if (own !== null) {
      this.outcome.failed(own, false);
    } else if (error !== null) {
      const isStray = error.code === CANCELLED && this.isExposed && !isCancelled;
      const asked = { sql: this.sql, hasValues: this.hasValues(), isCancelled };
      this.outcome.failed(failureOf(error, asked), isStray || this.isUndone());
    } else if (isCancelled) {
      this.outcome.failed(cancelledFailure(), false);
    } else {
      this.deliver();
    }
  }

  private deliver(): void {
    let value: T;
    try {
      value = this.value();
    } catch (error) {
      this.outcome.failed(error as SqlFailure, false);
      return;
    }
    this.outcome.done(value);
  }

  override lost(failure: SqlFailure, mayHaveRun: boolean): void {
    const own = this.ownFailure();
    if (own !== null) this.outcome.failed(own, false);
    else if (this.isCancelled) this.outcome.failed(cancelledFailure(), false);
    else this.outcome.failed(failure, !mayHaveRun);
  }
}

/** Rows changed, from a tag such as `INSERT 0 5`. */
function changesOf(tag: string): number {
  return /^(?:INSERT|UPDATE|DELETE|MERGE|COPY)\b/.test(tag) ? Number(/\d+$/.exec(tag)?.[0] ?? 0) : 0;
}

/** SQLSTATE of a prepared statement that the server has forgotten. */
const NOT_PREPARED = '26000';

/** SQLSTATEs of a value that a parameter's type does not take, and of types and functions that do not exist. */
const MISTYPED = /^(?:22|42)|^XX000$/;

/** Maximum number of parameters whose types the server is asked for: pg reads their number as a signed one. */
export const MAX_DESCRIBED = 32_767;

/** A statement with its parameters, as it is sent. */
export interface Sendable {
  readonly sql: string;
  readonly values: readonly Encoded[];
  /** Types that are declared for the parameters; empty if there are none. */
  readonly declared: readonly number[];
  /** Whether a prepared form of it did not take the values: the server parses the text again. */
  mustParse: boolean;
}

/** The rows of a statement, not yet all converted, and its number of changed rows. */
export interface Answer {
  readonly shape: Shape;
  readonly pieces: SqlValue[][][];
  readonly changes: number;
}

/** Runs a statement as a prepared one, and gathers all its rows. */
export class QueryExchange extends Asking<Answer> {
  protected readonly rows: Rows;
  private readonly key: string;
  private entry: Prepared | null = null;
  private isNew = false;
  /** Whether the server has read the values. */
  private isBound = false;
  private connection: Connection | null = null;
  private tag = '';

  constructor(
    private readonly statement: Sendable,
    reading: Reading,
    outcome: Outcome<Answer>,
  ) {
    super(statement.sql, outcome);
    this.rows = new Rows(reading);
    this.key = statement.declared.length === 0 ? statement.sql : `${statement.sql}\0${statement.declared.join()}`;
  }

  override write(wire: Wire, connection: Connection): void {
    const { sql, values, declared } = this.statement;
    this.connection = connection;
    let known = connection.prepared.find(this.key);
    if (known !== undefined && this.statement.mustParse && known.isReady) {
      connection.prepared.suspect(this.key, known);
      known = undefined;
    }
    for (const discarded of connection.prepared.takeDiscarded()) wire.close({ type: 'S', name: discarded });
    if (known === undefined) {
      const { entry, surplus } = connection.prepared.add(this.key);
      this.entry = entry;
      this.isNew = true;
      if (surplus !== null) wire.close({ type: 'S', name: surplus });
    } else if (known.isReady && !known.isLossy) {
      this.entry = known;
    }
    const name = this.entry?.name ?? '';
    if (this.isNew || name === '') wire.parse({ name, text: sql, types: declared });
    const asksTypes = this.isNew && values.length <= MAX_DESCRIBED;
    if (asksTypes) wire.describe({ type: 'S', name });
    wire.bind({ portal: '', statement: name, values });
    if (this.entry?.shape) this.rows.describe(this.entry.shape);
    else if (!asksTypes) wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '', rows: 0 });
    wire.sync();
  }

  override receive(message: Message): void {
    if (message.name === 'dataRow') this.addRow(message);
    else if (message.name === 'bindComplete') this.isBound = true;
    else if (message.name === 'commandComplete') this.complete(message.text);
    else if (message.name === 'parameterDescription') this.learn(message.dataTypeIDs);
    else if (message.name === 'parseComplete') this.confirm();
    else if (message.name === 'rowDescription') this.describe(shapeOf(message));
    else if (message.name === 'noData') this.describe({ names: [], types: [], decoders: [] });
    else if (message.name === 'copyInResponse') this.connection?.destroy(this.unexpectedCopy());
  }

  override refuseRow(bytes: number): void {
    this.rows.refuseRow(bytes);
    this.endRefused();
  }

  protected override hasValues(): boolean {
    return this.statement.values.length > 0;
  }

  protected override ownFailure(): SqlFailure | null {
    return this.rows.failure?.kind === 'memory' ? this.rows.failure : null;
  }

  protected override value(): Answer {
    if (this.rows.failure !== null) throw this.rows.failure;
    return { shape: this.rows.shape, pieces: this.rows.take(), changes: changesOf(this.tag) };
  }

  protected override isUndone(): boolean {
    const { entry, error } = this;
    return entry !== null && error !== null && (isStale(error) || error.code === NOT_PREPARED || this.isMistyped());
  }

  /** Whether the prepared statement did not take the values, perhaps because the types of columns have changed. */
  private isMistyped(): boolean {
    const { entry, error, isNew, isBound } = this;
    return entry !== null && !isNew && !isBound && MISTYPED.test(error?.code ?? '');
  }

  override finish(): void {
    const { entry, error } = this;
    if (entry !== null && this.isMistyped()) {
      this.connection?.prepared.suspect(this.key, entry);
      this.statement.mustParse = true;
    } else if (entry !== null && (!entry.isReady || this.isUndone()))
      this.connection?.prepared.forget(this.key, entry, error !== null && isStale(error));
    super.finish();
  }

  private complete(tag: string): void {
    this.tag = tag;
    this.connection?.prepared.note(tag, this.connection.status !== 'I');
  }

  private learn(parameters: readonly number[]): void {
    if (this.entry !== null) this.connection?.prepared.learn(this.key, this.entry, parameters);
  }

  private addRow(message: Message): void {
    this.rows.add(message);
    this.endRefused();
  }

  /** Ends the statement if its rows do not fit into memory: it could return any number. */
  private endRefused(): void {
    if (this.ownFailure() !== null && !this.isCancelled) this.connection?.cancel(this);
  }

  private confirm(): void {
    if (this.isNew && this.entry !== null) this.entry.isReady = true;
  }

  private describe(shape: Shape): void {
    if (this.entry !== null) this.entry.shape = shape;
    this.rows.describe(shape);
  }

  private unexpectedCopy(): SqlFailure {
    return new SqlFailure('connection', 'the statement expected data of COPY, which is not possible here');
  }
}

/** Runs statements without parameters, any number in one text. */
export class SimpleExchange extends Asking<{ changes: number; tag: string }> {
  private changes = 0;
  private tag = '';
  private connection: Connection | null = null;

  override write(wire: Wire, connection: Connection): void {
    this.connection = connection;
    wire.query(this.sql);
  }

  override receive(message: Message, wire: Wire): void {
    if (message.name === 'commandComplete') {
      this.tag = message.text;
      this.changes += changesOf(message.text);
      this.connection?.prepared.note(message.text, this.connection.status !== 'I');
    } else if (message.name === 'copyInResponse') {
      wire.sendCopyFail('there are no data here: use insert_many');
    }
  }

  protected override value(): { changes: number; tag: string } {
    return { changes: this.changes, tag: this.tag };
  }
}

/** Ends a transaction. */
export class CommitExchange extends SimpleExchange {
  constructor(outcome: Outcome<{ changes: number; tag: string }>) {
    super('COMMIT', outcome);
  }

  override finish(): void {
    // The request to cancel it came too late.
    if (this.error === null) this.isCancelled = false;
    super.finish();
  }

  override lost(failure: SqlFailure, mayHaveRun: boolean): void {
    const { kind, message, code } = failure;
    const isUnknown = mayHaveRun && kind === 'connection';
    const doubt = `${message}; it is not known whether the transaction was committed`;
    super.lost(isUnknown ? new SqlFailure(kind, doubt, code) : failure, mayHaveRun);
  }
}

/** Asks the server for the types of a statement's parameters. */
export class DescribeExchange extends Asking<number[]> {
  private parameters: number[] = [];

  constructor(
    sql: string,
    private readonly declared: readonly number[],
    outcome: Outcome<number[]>,
  ) {
    super(sql, outcome);
  }

  override write(wire: Wire): void {
    wire.parse({ name: '', text: this.sql, types: this.declared });
    wire.describe({ type: 'S', name: '' });
    wire.sync();
  }

  override receive(message: Message): void {
    if (message.name === 'parameterDescription') this.parameters = message.dataTypeIDs;
  }

  protected override value(): number[] {
    return this.parameters;
  }
}

/** Rows of a portal, and whether there are more. */
export interface Fetched extends Answer {
  readonly bytes: number;
  readonly isEnd: boolean;
}

/** Opens a portal, or fetches from one; it exists until the transaction ends. */
export class PortalExchange extends Asking<Fetched> {
  private readonly rows: Rows;
  private isEnd = true;

  /**
   * @param statement the statement that the portal is for; null to fetch from an open one
   * @param shape what the rows of an open portal are like
   */
  constructor(
    private readonly portal: string,
    private readonly statement: Sendable | null,
    shape: Shape | null,
    private readonly count: number,
    reading: Reading,
    outcome: Outcome<Fetched>,
  ) {
    super(statement?.sql ?? '', outcome);
    this.rows = new Rows(reading);
    if (shape !== null) this.rows.describe(shape);
  }

  override write(wire: Wire): void {
    const { portal, statement } = this;
    if (statement !== null) {
      wire.parse({ name: '', text: statement.sql, types: statement.declared });
      wire.bind({ portal, statement: '', values: statement.values });
      wire.describe({ type: 'P', name: portal });
    }
    wire.execute({ portal, rows: this.count });
    wire.sync();
  }

  override receive(message: Message): void {
    if (message.name === 'dataRow') this.rows.add(message);
    else if (message.name === 'rowDescription') this.rows.describe(shapeOf(message));
    else if (message.name === 'portalSuspended') this.isEnd = false;
  }

  override refuseRow(bytes: number): void {
    this.rows.refuseRow(bytes);
  }

  protected override hasValues(): boolean {
    return true;
  }

  protected override value(): Fetched {
    if (this.rows.failure !== null) throw this.rows.failure;
    const { shape, bytes } = this.rows;
    return { shape, bytes, pieces: this.rows.take(), changes: 0, isEnd: this.isEnd };
  }
}

/** Asks the server for an answer only, to see that the connection works. */
export class ProbeExchange extends Asking<void> {
  constructor(outcome: Outcome<void>) {
    super('', outcome);
  }

  override write(wire: Wire): void {
    wire.sync();
  }

  override receive(): void {}

  protected override value(): void {}
}

/** Ends the statement of a portal. */
export class ClosePortalExchange extends Asking<void> {
  constructor(
    private readonly portal: string,
    outcome: Outcome<void>,
  ) {
    super('', outcome);
  }

  override write(wire: Wire): void {
    wire.close({ type: 'P', name: this.portal });
    wire.sync();
  }

  override receive(): void {}

  protected override value(): void {}
}

/** Makes a promise of an exchange's outcome. */
export function asPromise<T>(start: (outcome: Outcome<T>) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => start({ done: resolve, failed: reject }));
}
