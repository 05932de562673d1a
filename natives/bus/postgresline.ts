import { Connection } from '../data/postgres/connection.js';
import { Exchange } from '../data/postgres/connection.js';
import type { Target } from '../data/postgres/url.js';
import { connect, type Message, type Wire } from '../data/postgres/wire.js';
import { SqlFailure } from '../data/driver.js';
import { retryDelay } from '../redis/connection.js';
import { SILENCE_MS } from './driver.js';

/** A row of texts. */
type TextRow = readonly (string | null)[];

/** Runs one statement whose parameters are texts, and collects its rows. */
class TextStatement extends Exchange {
  private readonly rows: TextRow[] = [];

  constructor(
    private readonly sql: string,
    private readonly values: readonly string[],
    private readonly done: (rows: TextRow[]) => void,
    private readonly failed: (error: Error) => void,
  ) {
    super();
  }

  write(wire: Wire): void {
    wire.parse({ name: '', text: this.sql, types: [] });
    wire.bind({ portal: '', statement: '', values: this.values });
    wire.execute({ portal: '', rows: 0 });
    wire.sync();
  }

  receive({ name, fields }: Message): void {
    if (name === 'dataRow') this.rows.push(fields as TextRow);
  }

  finish(): void {
    if (this.error === null) this.done(this.rows);
    else this.failed(new SqlFailure('database', this.error.message, this.error.code ?? ''));
  }

  lost(failure: SqlFailure): void {
    this.failed(failure);
  }
}

/** A connection that is opened again whenever it breaks. */
export class Line {
  private connection: Connection | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private isClosed = false;

  /**
   * @param onReady called for each new connection
   * @param onLost called when a connection broke or could not be opened
   * @param onNotification called for each notification of a channel
   */
  constructor(
    private readonly target: Target,
    private readonly onReady: () => void,
    private readonly onLost: (reason: string) => void,
    private readonly onNotification: (channel: string, payload: string) => void = () => {},
  ) {}

  get isReady(): boolean {
    return this.connection !== null;
  }

  async open(): Promise<void> {
    try {
      const login = await connect(this.target, SILENCE_MS);
      const connection = new Connection(this.target, login);
      if (this.isClosed) {
        connection.destroy(CLOSED);
        return;
      }
      login.wire.on('notification', ({ channel, payload }: { channel: string; payload: string }) =>
        this.onNotification(channel, payload),
      );
      connection.onLost = () => this.lost(connection.failure?.message ?? '');
      this.connection = connection;
      this.attempts = 0;
      this.onReady();
    } catch (error) {
      this.lost((error as Error).message);
    }
  }

  /** Runs a statement whose parameters are texts. Rejects with SqlFailure. */
  run(sql: string, values: readonly string[] = []): Promise<TextRow[]> {
    const { connection } = this;
    if (connection === null) return Promise.reject(new SqlFailure('connection', 'there is no connection'));
    return new Promise((resolve, reject) => connection.send(new TextStatement(sql, values, resolve, reject)));
  }

  /** Pings the server; ends the connection if it has not answered for SILENCE_MS. */
  ping(): void {
    const { connection } = this;
    if (connection === null) return;
    if (connection.busyFor(performance.now()) > SILENCE_MS)
      connection.destroy(new SqlFailure('connection', `no answer for ${SILENCE_MS / 1000} s`));
    else if (connection.pending === 0) this.run('SELECT 1').catch(() => {});
  }

  close(): void {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.connection?.end(CLOSED);
    this.connection = null;
  }

  private lost(reason: string): void {
    this.connection = null;
    if (this.isClosed) return;
    this.onLost(reason);
    this.timer = setTimeout(() => void this.open(), retryDelay(++this.attempts));
  }
}

const CLOSED = new SqlFailure('closed', 'the bus is closed');
