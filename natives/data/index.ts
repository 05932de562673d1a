/** SQL databases: `database(…)` and the methods of what it returns. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import { kindName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { functions, methodsOf } from '../core/declare.js';
import { installDecimal } from '../decimal/index.js';
import { ask, type Asking, atOnce, type Call, callOf, runCall, runQuery, runStatement } from './asking.js';
import { type Built, counting, deleting, selecting, updating } from './building.js';
import { type Database, DATABASE, DATABASES } from './database.js';
import type { ColumnInfo, Result } from './driver.js';
import { databaseErrorMethods } from './errors.js';
import { reportMetrics } from './metrics.js';
import { migrateDatabase } from './migrating.js';
import { MIGRATIONS_FOLDER } from './migrations.js';
import { openDatabase } from './opening.js';
import { insert, insertMany, upsert } from './rows.js';
import { runScript } from './scripts.js';
import type { SqlText } from './sqltext.js';
import { eachRow, streamed } from './streaming.js';
import { isolationOf, transact } from './transacting.js';
import { firstRow, firstValue } from './values.js';

/** The statement of a call: values one by one, as a vector, or by name as a hash or as named arguments. */
function called(db: Database, sql: string, given: readonly Value[], named: Hash): Call {
  const [first] = given;
  if (named.size > 0) {
    if (given.length > 0) fail(Errors.ArgumentError, 'pass the values by position or by name, not both');
    return callOf(db, sql, [], byName(named));
  }
  if (given.length === 1 && Array.isArray(first)) return callOf(db, sql, first, null);
  if (given.length === 1 && first instanceof Hash) return callOf(db, sql, [], byName(first));
  return callOf(db, sql, given, null);
}

function byName(hash: Hash): ReadonlyMap<string, Value> {
  return new Map([...hash.entries()].map(([name, value]) => [String(name), value]));
}

function runBuilt(
  vm: NativeContext,
  db: Database,
  built: Built,
  shape: (result: Result) => Generator<void, Value, void>,
): undefined {
  return runCall(vm, db, callOf(db, built.sql, built.params, null), shape);
}

const changes = atOnce((result: Result) => result.changes);

function* isThere(result: Result): Generator<void, Value, void> {
  return (yield* firstRow(result)) !== null;
}

/** First words of statements that may change tables, or undo a change. */
const DEFINING = new Set(['create', 'alter', 'drop', 'do', 'rollback']);

/** `db.exec`: one statement, or a script without parameters. */
function exec(vm: NativeContext, db: Database, sql: string, given: Value[], named: Hash): Value | undefined {
  const text = db.texts.get(sql);
  if (!text.isScript || given.length > 0 || named.size > 0) {
    const call = called(db, sql, given, named);
    if (!DEFINING.has(text.verb)) return runCall(vm, db, call, changes);
    return define(vm, db, call.text, (asking) => runStatement(asking, db, call).then(({ changes }) => changes));
  }
  if (text.count > 0) fail(Errors.ArgumentError, 'a text with several statements takes no parameters');
  return define(vm, db, { sql, written: sql }, (asking) => runScript(asking, text));
}

/** Waits for an operation that may change tables. */
function define(
  vm: NativeContext,
  db: Database,
  { sql, written }: Pick<SqlText, 'sql' | 'written'>,
  operation: (asking: Asking) => Promise<number>,
): undefined {
  return ask(
    vm,
    db,
    sql,
    async (asking) => {
      try {
        return await operation(asking);
      } finally {
        asking.tables.forget();
      }
    },
    atOnce((count) => count),
    written,
  );
}

/** Conditions of a function that changes rows: at least one, unless `all: true`. */
function conditionsOf(name: string, where: Hash | null, all: boolean): Hash {
  if (all) {
    if (where !== null && where.size > 0) fail(Errors.ArgumentError, `${name}(): all: true allows no conditions`);
    return new Hash();
  }
  if (where !== null && where.size > 0) return where;
  return fail(
    Errors.ArgumentError,
    `${name}() needs conditions; all: true ${name === 'delete' ? 'deletes' : 'changes'} every row`,
  );
}

function find(
  vm: NativeContext,
  db: Database,
  table: string,
  where: Hash | null,
  options: Hash,
  one: boolean,
): undefined {
  const finding = findingOf(options, where === null ? 'find_all' : one ? 'find_one' : 'find');
  if (one) finding.limit ??= 1;
  const built = selecting(table, where ?? new Hash(), finding, db.engine);
  return one ? runBuilt(vm, db, built, firstRow) : runQuery(vm, db, callOf(db, built.sql, built.params, null));
}

const OPTIONS = 'order, limit, offset, columns';

/** The options of the find function `called`. @throws ArgumentError, TypeError */
function findingOf(options: Hash, called: 'find' | 'find_all' | 'find_one') {
  const finding: { order: string | null; limit: Value; offset: Value; columns: Value[] | null } = {
    order: null,
    limit: null,
    offset: null,
    columns: null,
  };
  for (const [name, value] of options.entries()) {
    if (name === 'limit' || name === 'offset') finding[name] = value;
    else if (name === 'order')
      finding.order =
        typeof value === 'string' || value === null ? value : wrongOption(`${called}(): order:`, 'String', value);
    else if (name === 'columns')
      finding.columns =
        Array.isArray(value) || value === null ? value : wrongOption(`${called}(): columns:`, 'Vector', value);
    else {
      const hint = called === 'find_all' ? '; find() takes conditions' : '';
      fail(Errors.ArgumentError, `there is no option '${String(name)}'; the options are ${OPTIONS}${hint}`);
    }
  }
  return finding;
}

function wrongOption(name: string, type: string, value: Value): never {
  return fail(Errors.TypeError, `${name} must be ${type}, got ${kindName(value)}`);
}

function columnHash({ name, type, nullable, fallback, primary }: ColumnInfo): Hash {
  return Hash.from([
    ['name', name],
    ['type', type],
    ['null', nullable],
    ['default', fallback],
    ['primary', primary],
  ]);
}

/** `db.each` without a block, or with one that the compiler does not pass to an iterator of the prelude. */
function each(
  vm: NativeContext,
  db: Database,
  sql: string,
  values: Value[],
  named: Hash,
  block: Value,
): Value | undefined {
  const call = called(db, sql, values, named);
  return block === null ? streamed(db, call) : eachRow(vm, db, call, block);
}

/** Closes the connections; later calls raise an error. */
function close(vm: NativeContext, db: Database): Value | undefined {
  if (db.closed) return null;
  db.closed = true;
  DATABASES.of(vm).delete(db);
  const { opened } = db;
  if (opened === null) return null;
  return vm.wait('database', (resume) => {
    void opened.close().then(
      () => resume(null),
      () => resume(null),
    );
  });
}

function open(vm: NativeContext, url: string, options: Hash): Database {
  const db = openDatabase(url, options);
  DATABASES.of(vm).add(db);
  reportMetrics(vm);
  return db;
}

function lastId(vm: NativeContext, db: Database): Value {
  const fiber = vm.scheduler.current;
  return fiber === null ? null : (db.lastIds.get(fiber) ?? null);
}

// prettier-ignore
const databaseFunctions = functions([
  ['database db_open', 'url: String, **options: Any', 'Database', 'A database: a file of SQLite (a path, `sqlite:PATH` or `:memory:`) or a server (`postgres://user:password@host/name`). Options: `readonly`, `pool` (connections), `timeout` (seconds to wait for one), `durable` (SQLite: each commit reaches the disk). It is opened when it is first used.', open],
]);

const STATEMENT = 'sql: String, *values: Any, **named: Any';

// prettier-ignore
const databaseMethods = methodsOf('Database', [
  ['query', STATEMENT, 'Vector', 'The rows of a statement as hashes. Values take the places of `?`, a Hash or named arguments those of `:name`.', (vm: NativeContext, db: Database, sql: string, values: Value[], named: Hash) => runQuery(vm, db, called(db, sql, values, named))],
  ['query_one', STATEMENT, 'Hash?', 'The first row of a statement, or nil.', (vm: NativeContext, db: Database, sql: string, values: Value[], named: Hash) => runCall(vm, db, called(db, sql, values, named), firstRow)],
  ['value', STATEMENT, 'Any', 'The first column of the first row of a statement, or nil.', (vm: NativeContext, db: Database, sql: string, values: Value[], named: Hash) => runCall(vm, db, called(db, sql, values, named), firstValue)],
  ['each', `${STATEMENT}, &block: Function?`, 'Sequence', 'The rows of a statement, fetched while they are used: with a block, passes each row to it and returns the database; without one, a sequence. A block that is left ends the statement.', each],
  ['exec', STATEMENT, 'Integer', 'Runs a statement and returns the number of rows it changed; without values also several statements.', exec],
  ['insert', 'table: String, row: Hash', 'Any', 'Inserts a row and returns its id: the rowid of SQLite, the primary key of PostgreSQL.', insert],
  ['insert_many', 'table: String, rows: Vector', 'Integer', 'Inserts rows with the same columns, all or none, and returns their number.', insertMany],
  ['upsert', 'table: String, row: Hash, key: Vector', 'Any', 'Inserts a row, or changes the one with the same values in the columns `key`; returns its id.', upsert],
  ['find_all', 'table: String, **options: Any', 'Vector', 'All rows of a table. Options: `order: "name desc"`, `limit`, `offset`, `columns`.', (vm: NativeContext, db: Database, table: string, options: Hash) => find(vm, db, table, null, options, false)],
  ['find', 'table: String, where: Hash, **options: Any', 'Vector', 'The rows that meet conditions: a value, nil, a Vector (one of these), a Range; keys may end in an operator, as in `"age >"`. Options as for find_all.', (vm: NativeContext, db: Database, table: string, where: Hash, options: Hash) => find(vm, db, table, where, options, false)],
  ['find_one', 'table: String, where: Hash, **options: Any', 'Hash?', 'The first row that meets conditions, or nil.', (vm: NativeContext, db: Database, table: string, where: Hash, options: Hash) => find(vm, db, table, where, options, true)],
  ['update', 'table: String, values: Hash, where: Hash? = nil, all: Boolean = false', 'Integer', 'Sets values in the rows that meet conditions, in every row with `all: true`; returns their number.', (vm: NativeContext, db: Database, table: string, values: Hash, where: Hash | null, all: boolean) => runBuilt(vm, db, updating(table, values, conditionsOf('update', where, all), db.engine), changes)],
  ['delete', 'table: String, where: Hash? = nil, all: Boolean = false', 'Integer', 'Deletes the rows that meet conditions, every row with `all: true`; returns their number.', (vm: NativeContext, db: Database, table: string, where: Hash | null, all: boolean) => runBuilt(vm, db, deleting(table, conditionsOf('delete', where, all), db.engine), changes)],
  ['count', 'table: String, where: Hash? = nil', 'Integer', 'Number of rows that meet conditions.', (vm: NativeContext, db: Database, table: string, where: Hash | null) => runBuilt(vm, db, counting(table, where ?? new Hash(), false, db.engine), firstValue)],
  ['exists?', 'table: String, where: Hash? = nil', 'Boolean', 'Whether a row meets conditions.', (vm: NativeContext, db: Database, table: string, where: Hash | null) => runBuilt(vm, db, counting(table, where ?? new Hash(), true, db.engine), isThere)],
  ['transaction', 'isolation: String? = nil, readonly: Boolean = false, retries: Integer = 0, &block: Function', 'Any', 'Runs the block in a transaction of this thread and returns its value; an error, a timeout or a cancellation rolls back. Within another transaction it is a savepoint. `retries` runs the block again after serialization failures.', (vm: NativeContext, db: Database, isolation: string | null, readonly: boolean, retries: number | bigint, block: Value) => transact(vm, db, block, { isolation: isolationOf(isolation), readonly, retries: Number(retries) })],
  ['migrate', `folder: String = "${MIGRATIONS_FOLDER}"`, 'Vector', 'Runs the migrations of a folder that have not run, in order, and returns their names. Each runs in a transaction, and once, though several processes start at the same time.', migrateDatabase],
  ['last_id', '', 'Any', 'The id of the row that this thread inserted last, or nil.', lastId],
  ['tables', '', 'Vector', 'Names of the tables.', (vm: NativeContext, db: Database) => ask(vm, db, '', ({ session, cancel }) => session.tables(cancel), atOnce((names) => names))],
  ['columns', 'table: String', 'Vector', 'The columns of a table: hashes with name, type, null, default, primary.', (vm: NativeContext, db: Database, table: string) => ask(vm, db, '', ({ session, cancel }) => session.columns(table, cancel), atOnce((columns) => columns.map(columnHash)))],
  ['engine', '', 'String', 'The engine: "sqlite" or "postgres".', (_vm: NativeContext, db: Database) => db.engine],
  ['close', '', 'Nil', 'Closes the connections. Programs rarely need it: they are closed at the end.', close],
]);

for (const fn of databaseMethods) DATABASE.methods.set(fn.name, fn);

/** Functions and methods of databases. */
export const data: readonly NativeFunction[] = [...databaseFunctions, ...databaseMethods, ...databaseErrorMethods];

/** Defines the database functions in a VM. */
export function installData(vm: NativeContext): void {
  installDecimal(vm);
  vm.define(data);
  vm.globals.set(DATABASE.name, DATABASE);
}
