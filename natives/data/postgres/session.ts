import { nearest } from '../../../vm/bytecode/nearest.js';
import {
  Cancellation,
  lacksTable,
  SqlFailure,
  type ColumnInfo,
  type Cursor,
  type Result,
  type Session,
  type SqlValue,
  type Statement,
} from '../driver.js';
import { columnsOf, tablesOf } from './catalogue.js';
import type { Exchange } from './connection.js';
import { declaredTypes, encodeAll, isVector } from './encode.js';
import {
  DescribeExchange,
  MAX_DESCRIBED,
  QueryExchange,
  type Answer,
  type Outcome,
  type Sendable,
} from './exchanges.js';
import { FIRST_OWN_TYPE } from './oids.js';
import type { Shape } from './prepared.js';
import type { Reading } from './rows.js';

/** SQLSTATE of a prepared statement whose tables have changed. */
const NOT_SUPPORTED = '0A000';

/** Domains with the types below them, which may be domains as well. */
const BASES = `
  WITH RECURSIVE below(oid, base) AS (
    SELECT oid, typbasetype FROM pg_catalog.pg_type WHERE oid = ANY ($1::pg_catalog.oid[]) AND typtype = 'd'
    UNION ALL
    SELECT below.oid, type.typbasetype FROM below JOIN pg_catalog.pg_type type ON type.oid = below.base
    WHERE type.typtype = 'd')
  SELECT below.oid, below.base FROM below JOIN pg_catalog.pg_type type ON type.oid = below.base
  WHERE type.typtype <> 'd'`;

/** What all sessions of a driver share. */
export interface Shared extends Reading {
  /** Types of the parameters of statements that take vectors. */
  readonly described: Map<string, readonly number[]>;
  /** Names of the tables, for suggestions. */
  tables(): Promise<readonly string[]>;
}

/** Runs statements as exchanges. Subclasses choose the connection. */
export abstract class PostgresSession implements Session {
  constructor(protected readonly shared: Shared) {}

  /** Sends an exchange. @param sql text by which its duration is remembered */
  protected abstract exchange<T>(
    sql: string,
    cancel: Cancellation,
    make: (outcome: Outcome<T>) => Exchange,
  ): Promise<T>;

  /** Refuses statements that are not possible in this session. @throws SqlFailure */
  protected abstract check(sql: string): void;

  abstract open(statement: Statement, cancel: Cancellation): Promise<Cursor>;
  abstract script(sql: string, cancel: Cancellation): Promise<number>;

  async run(statement: Statement, cancel: Cancellation): Promise<Result> {
    this.check(statement.sql);
    try {
      const sendable = await this.sendable(statement, cancel);
      const { types } = this.shared;
      const make = (outcome: Outcome<Answer>): Exchange => new QueryExchange(sendable, this.shared, outcome);
      const { shape, pieces, changes } = await this.exchange(sendable.sql, cancel, make);
      if (!types.knows(shape)) await this.convert(pieces, shape);
      return { columns: shape.names, pieces, changes, lastId: null };
    } catch (failure) {
      throw await this.explained(failure);
    }
  }

  tables(cancel: Cancellation): Promise<string[]> {
    return tablesOf((statement) => this.run(statement, cancel));
  }

  columns(table: string, cancel: Cancellation): Promise<ColumnInfo[]> {
    return columnsOf((statement) => this.run(statement, cancel), table);
  }

  /** Encodes the parameters. The server is asked for their types if there are vectors: these are JSON or arrays. */
  protected async sendable({ sql, params }: Statement, cancel: Cancellation): Promise<Sendable> {
    const declared = declaredTypes(params);
    const asksTypes = params.length <= MAX_DESCRIBED && params.some(isVector);
    const types = asksTypes ? await this.parameterTypes(sql, declared, cancel) : null;
    return { sql, values: encodeAll(params, types), declared, mustParse: false };
  }

  protected async parameterTypes(
    sql: string,
    declared: readonly number[],
    cancel: Cancellation,
  ): Promise<readonly number[]> {
    const { described } = this.shared;
    const key = `${sql}\0${declared.join()}`;
    const known = described.get(key);
    if (known !== undefined) return known;
    const make = (outcome: Outcome<number[]>): Exchange => new DescribeExchange(sql, declared, outcome);
    const types = await this.exchange(`${sql}\0describe`, cancel, make);
    const bases = types.some((oid) => oid >= FIRST_OWN_TYPE) ? await this.baseTypes(types, cancel) : types;
    described.set(key, bases);
    return bases;
  }

  /** The types with those of domains replaced by the types below them. */
  private async baseTypes(types: readonly number[], cancel: Cancellation): Promise<readonly number[]> {
    const own = types.filter((oid) => oid >= FIRST_OWN_TYPE).map(BigInt);
    const { pieces } = await this.run({ sql: BASES, params: [own] }, cancel);
    const bases = new Map(pieces.flat().map(([oid, base]) => [Number(oid), Number(base)]));
    return types.map((oid) => bases.get(oid) ?? oid);
  }

  /** Converts values of types that the server has to be asked for. */
  protected async convert(pieces: SqlValue[][][], shape: Shape): Promise<void> {
    const { types } = this.shared;
    const columns = await types.learn(shape, (statement) => this.run(statement, new Cancellation()));
    for (const piece of pieces) types.convert(piece, columns, shape);
  }

  /** Adds a suggestion to the failure of a statement that names an unknown table. */
  protected async explained(failure: unknown): Promise<unknown> {
    if (!(failure instanceof SqlFailure)) return failure;
    // Types of parameters may have changed with the tables.
    if (failure.kind === 'database' || failure.code === NOT_SUPPORTED) this.shared.described.clear();
    if (!lacksTable(failure)) return failure;
    const name = /"([^"]*)"/.exec(failure.message)?.[1].split('.').at(-1);
    const tables = await this.shared.tables().catch(() => []);
    const close = name === undefined ? null : nearest(name, tables);
    if (close === null) return failure;
    const message = `${failure.message}; did you mean "${close}"?`;
    return new SqlFailure(failure.kind, message, failure.code, null, failure.position);
  }
}
