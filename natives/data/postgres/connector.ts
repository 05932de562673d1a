import { setTimeout as sleep } from 'node:timers/promises';
import { type DriverOptions, type RowRoom, type SqlFailure, UNLIMITED } from '../driver.js';
import { Connection } from './connection.js';
import { SimpleExchange, asPromise } from './exchanges.js';
import { Alterations } from './prepared.js';
import type { Target } from './url.js';
import { connect, ConnectFailure, connectLimit, type LoggedIn, noAnswer } from './wire.js';

/**
 * Settings of each connection: the formats that are parsed, and UTC, so that a `timestamp` that the server writes means
 * the same as one that a program writes.
 */
const SETTINGS =
  "SET datestyle = 'ISO'; SET timezone = 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 3; " +
  'SET standard_conforming_strings = on';

/** Milliseconds between two attempts to reach a server that restarts: at first, and at most. */
const RETRY_MS = { first: 50, most: 500 };

/** Opens connections to one database. */
export class Connector {
  private readonly connections = new Set<Connection>();
  private readonly alterations = new Alterations();
  private hasConnected = false;
  private closed: SqlFailure | null = null;
  /** Why the last attempt to connect failed, and when; null if a later one succeeded. */
  private failed: { readonly failure: SqlFailure; readonly at: number } | null = null;
  /** Number of attempts to connect under way. */
  private attempts = 0;
  private readonly settings: string;
  /** Milliseconds that connecting may take, if that is less than usual. */
  private readonly timeout: number;
  private readonly room: RowRoom;

  constructor(
    readonly target: Target,
    { timeout, readonly, room = UNLIMITED }: DriverOptions,
  ) {
    this.timeout = timeout * 1000;
    this.room = room;
    this.settings = readonly ? `${SETTINGS}; SET default_transaction_read_only = on` : SETTINGS;
  }

  /** Number of open connections. */
  get size(): number {
    for (const connection of this.connections) if (connection.failure !== null) this.connections.delete(connection);
    return this.connections.size;
  }

  /**
   * Why someone who has waited since `time` got no connection: the last attempt has failed after it, or the first ones
   * are still without an answer. Null if connections can be made.
   */
  failureSince(time: number): SqlFailure | null {
    if (this.failed !== null && this.failed.at >= time) return this.failed.failure;
    return this.attempts > 0 && this.size === 0 ? noAnswer(this.target, this.timeout) : null;
  }

  /** Opens a connection. A server that has answered before, or that is starting, is awaited. */
  async connect(): Promise<Connection> {
    const connection = new Connection(this.target, await this.login(), this.room, this.alterations);
    this.connections.add(connection);
    // The answer is not awaited: statements are sent right after it.
    this.configure(connection).catch((failure: SqlFailure) => connection.destroy(failure));
    return connection;
  }

  /** Undoes all that programs have set on a connection. */
  async reset(connection: Connection): Promise<void> {
    connection.prepared.clear();
    await asPromise((outcome) => connection.send(new SimpleExchange('DISCARD ALL', outcome)));
    await this.configure(connection);
  }

  close(failure: SqlFailure): void {
    this.closed = failure;
  }

  private async configure(connection: Connection): Promise<void> {
    await asPromise((outcome) => connection.send(new SimpleExchange(this.settings, outcome)));
  }

  private async login(): Promise<LoggedIn> {
    const end = performance.now() + Math.min(connectLimit(this.target), this.timeout);
    let earlier: unknown = null;
    for (let pause = RETRY_MS.first; ; pause = Math.min(pause * 2, RETRY_MS.most)) {
      if (this.closed !== null) throw this.closed;
      this.attempts++;
      try {
        const login = await connect(this.target, Math.max(1, Math.round(end - performance.now())));
        this.hasConnected = true;
        this.failed = null;
        return login;
      } catch (error) {
        // An attempt that had only the rest of the time says less than the one before.
        const failure = (earlier !== null && performance.now() >= end ? earlier : error) as SqlFailure;
        this.failed = { failure, at: performance.now() };
        if (!this.isPassing(error) || performance.now() + pause > end) throw failure;
        earlier = error;
      } finally {
        this.attempts--;
      }
      await sleep(pause);
    }
  }

  private isPassing(failure: unknown): boolean {
    if (!(failure instanceof ConnectFailure) || !failure.isPassing) return false;
    return this.hasConnected || failure.code !== '';
  }
}
