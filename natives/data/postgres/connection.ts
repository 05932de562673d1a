import { constants } from 'node:buffer';
import { type RowRoom, SqlFailure, UNLIMITED } from '../driver.js';
import { cancelledFailure, reasonOf, type ServerError } from './failures.js';
import { type Alterations, PreparedStatements } from './prepared.js';
import { place, type Target } from './url.js';
import { requestCancel, type LoggedIn, type Message, type Wire } from './wire.js';

/** Messages that the server answers with one ReadyForQuery, and what is done with the answer. */
export abstract class Exchange {
  /** The server's error; null without one. */
  error: ServerError | null = null;
  /** Whether its caller has cancelled it. */
  isCancelled = false;
  /** Whether a cancel request for an earlier statement of the connection could hit it. */
  isExposed = false;
  /** Milliseconds that the server took, from the end of the exchange before; without the way there and back. */
  duration = 0;
  /** Milliseconds that the server is likely to take. */
  expected = 0;
  /** Whether it was sent when no answer was due. */
  isAlone = false;

  abstract write(wire: Wire, connection: Connection): void;

  /** Called for each message of the server but errors and ReadyForQuery. */
  abstract receive(message: Message, wire: Wire): void;

  /** Called instead of `receive` for a row of `bytes` bytes for which there is no room. */
  refuseRow(_bytes: number): void {}

  /** Called when the server is ready for the next statement: what it ran is committed, unless there is an error. */
  abstract finish(): void;

  /** Called when the connection has broken. @param mayHaveRun whether the server could have run it */
  abstract lost(failure: SqlFailure, mayHaveRun: boolean): void;
}

/** Bytes of answers that are handled in one turn of the event loop. */
const TURN_BYTES = 64 * 1024;

/** Bytes in memory for each byte of a row: a text that is not ASCII takes two for each character. */
const ROW_MEMORY = 2;

/** Number of answers after which the quickest one tells how long the way to the server and back takes. */
const WAYS = 5;

/** Milliseconds between two cancel requests for the same statement: at first, and at most. */
const CANCEL_AGAIN_MS = { first: 25, most: 1000 };

/**
 * A connection that sends exchanges without waiting for the answers to earlier ones. It keeps the process alive only
 * while answers are pending.
 */
export class Connection {
  readonly prepared: PreparedStatements;
  /** Whether the server is in a transaction, as of the last answer. */
  status: Message['status'] = 'I';
  /** Why the connection cannot be used; null while it can. */
  failure: SqlFailure | null = null;
  /** Milliseconds that exchanges without an answer are likely to take. */
  backlog = 0;
  /** Called after each answer, and when exchanges can be sent again after a cancel request. */
  onProgress: () => void = () => {};
  /** Called once, when the connection has broken or was closed. */
  onLost: () => void = () => {};

  private readonly wire: Wire;
  /** Sent exchanges; the server runs the first. */
  private readonly sent: Exchange[] = [];
  /** Exchanges that wait until a cancel request has been delivered. */
  private held: Exchange[] = [];
  private headSince = 0;
  /** Milliseconds until the quickest answer to an exchange that was sent alone, and the number of such answers. */
  private wayMs = Infinity;
  private ways = 0;
  private isCorked = false;
  private isCancelling = false;
  private received = 0;

  constructor(
    private readonly target: Target,
    private readonly login: LoggedIn,
    private readonly room: RowRoom = UNLIMITED,
    alterations?: Alterations,
  ) {
    this.prepared = new PreparedStatements(alterations);
    const { wire, gate } = login;
    this.wire = wire;
    gate.refuses = (bytes) => this.refusesRow(bytes);
    wire.on('message', (message: Message) => this.receive(message));
    wire.on('error', (error: Error) => this.lose(this.broken(reasonOf(error))));
    wire.on('end', () => this.lose(this.broken('the server closed the connection')));
    wire.stream.on('data', (chunk: Buffer) => this.pace(chunk.length));
    wire.stream.unref();
  }

  /** Number of exchanges that have no answer yet. */
  get pending(): number {
    return this.sent.length + this.held.length;
  }

  /** Whether exchanges are sent at once. */
  get isOpen(): boolean {
    return this.failure === null && !this.isCancelling;
  }

  /** Milliseconds for which the server has run the current statement. */
  busyFor(now: number): number {
    return this.sent.length === 0 ? 0 : now - this.headSince;
  }

  send(exchange: Exchange): void {
    if (this.failure === null && !this.wire.stream.writable) this.lose(this.broken('the server closed the connection'));
    if (this.failure !== null) {
      exchange.lost(this.failure, false);
      return;
    }
    if (this.pending === 0) this.wire.stream.ref();
    this.backlog += exchange.expected;
    if (this.isCancelling) this.held.push(exchange);
    else this.transmit(exchange);
  }

  /** Cancels an exchange. If it was not sent yet, its `lost` is called; else its answer follows. */
  cancel(exchange: Exchange): void {
    const index = this.held.indexOf(exchange);
    exchange.isCancelled = true;
    if (index !== -1) {
      this.held.splice(index, 1);
      this.backlog -= exchange.expected;
      exchange.lost(cancelledFailure(), false);
    } else {
      void this.pursueCancel(CANCEL_AGAIN_MS.first);
    }
  }

  /** Cancels all pending exchanges. */
  interrupt(): void {
    for (const exchange of [...this.sent, ...this.held]) this.cancel(exchange);
  }

  /** Closes the connection at once; pending exchanges fail with `failure`. */
  destroy(failure: SqlFailure): void {
    const isBusy = this.sent.length > 0;
    this.lose(failure);
    // Without a request, the server would notice only when it sends rows.
    if (isBusy) void requestCancel(this.target, this.login);
  }

  /** Closes the connection with a message to the server. One with pending exchanges is destroyed. */
  end(failure: SqlFailure): void {
    if (this.failure !== null) return;
    if (this.pending > 0) {
      this.destroy(failure);
      return;
    }
    this.failure = failure;
    this.wire.end();
    this.onLost();
  }

  /** @param code SQLSTATE, if the server has said why */
  private broken(reason: string, code = ''): SqlFailure {
    return new SqlFailure('connection', `the connection to ${place(this.target)} broke: ${reason}`, code);
  }

  private transmit(exchange: Exchange): void {
    const { stream } = this.wire;
    if (!this.isCorked) {
      this.isCorked = true;
      stream.cork();
      // All statements of a turn leave in one packet.
      process.nextTick(() => {
        this.isCorked = false;
        stream.uncork();
      });
    }
    if (this.sent.push(exchange) === 1) {
      this.headSince = performance.now();
      exchange.isAlone = true;
    }
    exchange.write(this.wire, this);
  }

  private receive(message: Message): void {
    const [head] = this.sent;
    if (message.name === 'readyForQuery') {
      this.status = message.status;
      this.advance();
    } else if (message.name === 'error') {
      // pg passes errors of the server as the message itself.
      const error = message as unknown as ServerError;
      if (head === undefined) this.lose(this.broken(error.message, error.code));
      else head.error ??= error;
    } else {
      head?.receive(message, this.wire);
    }
  }

  private advance(): void {
    const done = this.sent.shift();
    const now = performance.now();
    if (done !== undefined) done.duration = this.durationOf(done, now - this.headSince);
    this.headSince = now;
    this.backlog = this.pending === 0 ? 0 : this.backlog - (done?.expected ?? 0);
    if (this.pending === 0) this.wire.stream.unref();
    done?.finish();
    if (this.sent[0]?.isCancelled) void this.pursueCancel(CANCEL_AGAIN_MS.first);
    this.onProgress();
  }

  /** @param ms milliseconds from the end of the exchange before, or from when it was sent */
  private durationOf({ isAlone }: Exchange, ms: number): number {
    if (!isAlone) return ms;
    this.wayMs = Math.min(this.wayMs, ms);
    return ++this.ways < WAYS ? ms : ms - this.wayMs;
  }

  /** Refuses a row that V8 cannot hold as a text, or for which memory has no room. */
  private refusesRow(bytes: number): boolean {
    if (bytes < constants.MAX_STRING_LENGTH && this.room.fits(bytes * ROW_MEMORY)) return false;
    this.sent[0]?.refuseRow(bytes);
    return true;
  }

  /** Continues to read in the next turn if much has been read in this one, so that large results delay no other work. */
  private pace(bytes: number): void {
    this.received += bytes;
    if (this.received < TURN_BYTES) return;
    const { stream } = this.wire;
    this.received = 0;
    stream.pause();
    setImmediate(() => stream.resume());
  }

  /**
   * Cancels the statement that the server runs, if its caller wants that. The request names the connection, not the
   * statement. Until it has been delivered, nothing more is sent; statements that were sent before are marked, because
   * it could hit them. A request that arrives before the server has begun the statement has no effect: it is repeated.
   */
  private async pursueCancel(pause: number): Promise<void> {
    const [head] = this.sent;
    if (head === undefined || !head.isCancelled || !this.isOpen) return;
    this.isCancelling = true;
    for (const exchange of this.sent) exchange.isExposed = true;
    await requestCancel(this.target, this.login);
    this.isCancelling = false;
    if (this.failure !== null) return;
    const { held } = this;
    this.held = [];
    for (const exchange of held) this.transmit(exchange);
    if (this.sent[0] === head) {
      const timer = setTimeout(() => void this.pursueCancel(Math.min(pause * 2, CANCEL_AGAIN_MS.most)), pause);
      timer.unref();
    } else {
      void this.pursueCancel(CANCEL_AGAIN_MS.first);
    }
    this.onProgress();
  }

  private lose(failure: SqlFailure): void {
    if (this.failure !== null) return;
    const sent = this.sent.splice(0);
    // The server says why it closes a connection; what was sent after that statement has not run.
    const stated = sent[0]?.error ?? null;
    const reason = stated === null || failure.kind === 'closed' ? failure : this.broken(stated.message, stated.code);
    this.failure = reason;
    this.wire.stream.destroy();
    sent.forEach((exchange, i) => exchange.lost(reason, i === 0 || stated === null));
    for (const exchange of this.held.splice(0)) exchange.lost(reason, false);
    this.onLost();
  }
}
