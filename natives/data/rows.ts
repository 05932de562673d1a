/** Functions that insert rows. */
import type { Fiber } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { kindName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { ask, type Asking, callOf, paramsOf } from './asking.js';
import { type Built, columnsOf, inserting, insertText, upserting } from './building.js';
import type { Database } from './database.js';
import type { Result, Row, SqlValue } from './driver.js';
import { allRows, firstValue, toSql } from './values.js';

/** Runs a statement that was built. */
async function runBuilt(db: Database, { sql, params }: Built, asking: Asking): Promise<Result> {
  const call = callOf(db, sql, params, null);
  return asking.session.run({ sql: call.text.sql, params: await asking.inTurns(paramsOf(call, db)) }, asking.cancel);
}

/** Names of the primary key's columns. */
async function primaryKey(db: Database, table: string, { driver, cancel }: Asking): Promise<readonly string[]> {
  let key = db.primaryKeys.get(table);
  if (key !== undefined) return key;
  key = (await driver.columns(table, cancel)).filter(({ primary }) => primary).map(({ name }) => name);
  db.primaryKeys.set(table, key);
  return key;
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
  return result.lastId === null ? null : toNumber(result.lastId);
}

function toNumber(id: bigint): Value {
  const n = Number(id);
  return Number.isSafeInteger(n) ? n : id;
}

/** `db.insert(table, row)`. */
export function insert(vm: NativeContext, db: Database, table: string, row: Hash): undefined {
  const plain = inserting(table, row, []);
  const fiber = vm.scheduler.current;
  return ask(
    vm,
    db,
    plain.sql,
    async (asking) => {
      const key = db.engine === 'postgres' ? await primaryKey(db, table, asking) : [];
      return runBuilt(db, key.length === 0 ? plain : inserting(table, row, key), asking);
    },
    (result) => noted(fiber, db, result),
  );
}

/** `db.upsert(table, row, key: […])`. */
export function upsert(vm: NativeContext, db: Database, table: string, row: Hash, key: Value[]): undefined {
  const plain = upserting(table, row, key, []);
  const fiber = vm.scheduler.current;
  return ask(
    vm,
    db,
    plain.sql,
    async (asking) => {
      const primary = await primaryKey(db, table, asking);
      return runBuilt(db, primary.length === 0 ? plain : upserting(table, row, key, primary), asking);
    },
    (result) => noted(fiber, db, result),
  );
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
    for (const [c, value] of valuesAt(rows, i, columns).entries()) {
      const steps = toSql(value, `row ${i}, column ${columns[c]}`, db.engine);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      out.push(step.value);
    }
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
    ({ session, cancel }) => session.insertMany(table, columns, driverRows(db, rows, columns), cancel),
    count,
  );
}

// eslint-disable-next-line require-yield -- needs no steps
function* count(n: number): Generator<void, Value, void> {
  return n;
}
