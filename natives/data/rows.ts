/** Functions that insert rows. */
import type { Fiber } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { finish } from '../../vm/values/steps.js';
import { kindName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { ask, type Asking, atOnce, callOf, runStatement } from './asking.js';
import { type Built, columnsOf, inserting, insertText, returning, upserting } from './building.js';
import { insertMany as insertRows, insertManyInside } from './inserting.js';
import type { Database } from './database.js';
import { lacksColumn, type Result, type Row, SqlFailure, type SqlValue } from './driver.js';
import { quoteName } from './sqltext.js';
import { allRows, firstValue, toInteger, toSql } from './values.js';

/** Names of the primary key's columns. */
async function primaryKey(
  { engine }: Database,
  table: string,
  { tables, session, cancel }: Asking,
): Promise<readonly string[]> {
  const { key } = tables.of(table);
  if (key !== undefined) return key;
  const { version } = tables;
  const columns = await session.columns(engine === 'sqlite' ? withoutSchema(table) : table, cancel);
  const names = columns.filter(({ primary }) => primary).map(({ name }) => name);
  if (columns.length > 0) tables.note(table, { key: names }, version);
  return names;
}

function withoutSchema(table: string): string {
  return table.slice(table.lastIndexOf('.') + 1);
}

/** Index of the column of `PRAGMA table_list` that is 1 for a table WITHOUT ROWID. */
const WITHOUT_ROWID = 4;

/**
 * Whether a table of SQLite has rowids: after an insert into one that has none, SQLite reports the rowid of an earlier
 * row. Asks by a PRAGMA, which needs no connection that reads.
 */
async function hasRowids(table: string, { tables, session, cancel }: Asking): Promise<boolean> {
  const { version } = tables;
  const name = quoteName(withoutSchema(table), 'table');
  const { pieces } = await session.run({ sql: `PRAGMA table_list(${name})`, params: [] }, cancel);
  const [row] = pieces.flat();
  if (row === undefined) return true;
  const has = row[WITHOUT_ROWID] !== 1n;
  tables.note(table, { hasRowids: has }, version);
  return has;
}

/** Keeps the id of the row that the thread inserted last. */
function* noted(fiber: Fiber | null, db: Database, result: Result): Generator<void, Value, void> {
  const value = yield* idOf(result);
  if (fiber !== null) db.lastIds.set(fiber, value);
  return value;
}

/** The primary key of an inserted row: its value, those of several columns, or nil. */
function* idOf(result: Result): Generator<void, Value, void> {
  if (result.columns.length === 1) return yield* firstValue(result);
  if (result.columns.length > 1) {
    const [row] = yield* allRows(result);
    return row instanceof Hash ? row.values() : null;
  }
  return result.lastId === null ? null : toInteger(result.lastId);
}

/** Runs a statement that returns the primary key. If another process has changed the key, asks for it and runs again. */
async function runKeyed(db: Database, table: string, built: Built, asking: Asking): Promise<Result> {
  const run = (key: readonly string[]): Promise<Result> => {
    const { sql, params } = returning(built, key);
    return runStatement(asking, db, callOf(db, sql, params, null));
  };
  const key = await primaryKey(db, table, asking);
  try {
    return await run(key);
  } catch (failure) {
    if (!(failure instanceof SqlFailure && lacksColumn(failure))) throw failure;
    if (!key.some((name) => failure.message.includes(name))) throw failure;
    asking.tables.drop(table);
    // The failure has ended the transaction.
    if (asking.transaction !== null && db.engine === 'postgres') throw failure;
    const changed = await primaryKey(db, table, asking);
    if (changed.length === key.length && changed.every((name, i) => name === key[i])) throw failure;
    return run(changed);
  }
}

/** Runs a statement that inserts a row. @param keyed whether it returns the primary key, as far as the table has one */
function insertRow(vm: NativeContext, db: Database, table: string, built: Built, keyed: boolean): undefined {
  const fiber = vm.scheduler.current;
  return ask(
    vm,
    db,
    built.sql,
    async (asking) => {
      if (keyed) return runKeyed(db, table, built, asking);
      const { tables } = asking;
      let hasId = tables.of(table).hasRowids ?? (await hasRowids(table, asking));
      const { version } = tables;
      const result = await runStatement(asking, db, callOf(db, built.sql, built.params, null));
      // The answer reports that another process has changed tables.
      if (tables.version !== version) hasId = await hasRowids(table, asking);
      return hasId ? result : { ...result, lastId: null };
    },
    (result) => noted(fiber, db, result),
  );
}

/** `db.insert(table, row)`. */
export function insert(vm: NativeContext, db: Database, table: string, row: Hash): undefined {
  // SQLite reports the rowid without being asked.
  return insertRow(vm, db, table, inserting(table, row), db.engine === 'postgres');
}

/** `db.upsert(table, row, key: […])`. */
export function upsert(vm: NativeContext, db: Database, table: string, row: Hash, key: Value[]): undefined {
  return insertRow(vm, db, table, upserting(table, row, key), true);
}

/** The columns of rows that are all alike. @throws TypeError, ArgumentError that name the row */
function commonColumns(rows: readonly Value[]): string[] {
  const columns = columnsOf(hashAt(rows, 0));
  if (columns.length === 0) fail(Errors.ArgumentError, 'row 0 has no columns');
  return columns;
}

function hashAt(rows: readonly Value[], i: number): Hash {
  const row = rows[i];
  return row instanceof Hash ? row : fail(Errors.TypeError, `row ${i} must be Hash, got ${kindName(row)}`);
}

/** The values of row `i` in the order of `columns`. @throws ArgumentError if it has other columns */
function valuesAt(rows: readonly Value[], i: number, columns: readonly string[]): Value[] {
  const row = hashAt(rows, i);
  const values = columns.map((name) => row.get(name) ?? (row.has(name) ? null : lacks(i, name)));
  if (row.size > columns.length) {
    const known = new Set<Value>(columns);
    const other = row.keys().find((name) => !known.has(name));
    fail(Errors.ArgumentError, `row ${i} has the column '${String(other)}', which row 0 does not have`);
  }
  return values;
}

function lacks(i: number, name: string): never {
  return fail(Errors.ArgumentError, `row ${i} lacks the column '${name}' of row 0`);
}

/** The rows as drivers take them, made one after another. */
function* driverRows(db: Database, rows: readonly Value[], columns: readonly string[]): Generator<Row, void, void> {
  for (let i = 0; i < rows.length; i++) {
    const out: SqlValue[] = [];
    for (const [c, value] of valuesAt(rows, i, columns).entries())
      out.push(finish(toSql(value, `row ${i}, column ${columns[c]}`, db.engine)));
    yield out;
  }
}

/** `db.insert_many(table, rows)`. */
export function insertMany(vm: NativeContext, db: Database, table: string, given: readonly Value[]): Value | undefined {
  if (given.length === 0) return 0;
  const rows = given.slice();
  const columns = commonColumns(rows);
  return ask(
    vm,
    db,
    insertText(table, columns),
    ({ transaction, driver, cancel }) => {
      const insertion = { table, columns, rows: driverRows(db, rows, columns) };
      return transaction === null
        ? insertRows(driver, insertion, cancel)
        : insertManyInside(transaction, db.engine, insertion, cancel);
    },
    atOnce((count) => count),
  );
}
