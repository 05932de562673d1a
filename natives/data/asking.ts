/** Operations of drivers as waits of threads. */
import { Acquisition } from '../../vm/fibers/fiber.js';
import { controllerFor } from '../../vm/fibers/operations.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail, SvcError } from '../../vm/values/error.js';
import type { Steps } from '../../vm/values/steps.js';
import type { Value } from '../../vm/values/value.js';
import { childSpan, type Span } from '../core/tracing.js';
import { spanOf, workOf } from '../core/work.js';
import { type Database, transactionOf } from './database.js';
import {
  Cancellation,
  type Driver,
  type Result,
  type RowSink,
  type Session,
  SqlFailure,
  type SqlValue,
  type Transaction,
} from './driver.js';
import { databaseError } from './errors.js';
import { collectRefused } from './room.js';
import type { SqlText } from './sqltext.js';
import type { TableFacts } from './tablefacts.js';
import { Rows, toSql, toSqlAtOnce } from './values.js';

/** Steps that an operation may take before it continues in later turns of the event loop. */
const AT_ONCE = 1;

/** Characters of a statement in its span. */
const MAX_SHOWN = 2048;

/** Runs `steps`: at once if they are few, else in pieces between which others run. */
function inPieces<T>(vm: NativeContext, steps: Generator<void, T, void>, signal: () => AbortSignal): T | Promise<T> {
  for (let n = 0; n <= AT_ONCE; n++) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  // Long work passes its result on unread.
  return vm.laterInPieces(steps as unknown as Steps, signal()) as unknown as Promise<T>;
}

/** @throws DatabaseError for a database that the program has closed */
export function checkOpen(db: Database): void {
  if (db.closed) fail(Errors.DatabaseError, `the database ${db.label} is closed`);
}

/** The span of a statement; null without tracing. */
function querySpan(vm: NativeContext, { engine }: Database, sql: string): Span | null {
  // The usual case, in which reading the verb would take longer than all else here.
  if (spanOf(vm) === null) return null;
  const verb = /^\s*(\w{1,20})/.exec(sql)?.[1].toUpperCase() ?? 'SQL';
  return childSpan(vm, verb, 'client', () => ({
    'db.system.name': engine,
    'db.operation.name': verb,
    'db.query.text': sql.slice(0, MAX_SHOWN),
  }));
}

/** What an operation works with. */
export interface Asking {
  /** The transaction of the thread, or null. */
  readonly transaction: Transaction | null;
  /** That transaction, or the database. */
  readonly session: Session;
  readonly driver: Driver;
  /** What the session knows about tables. */
  readonly tables: TableFacts;
  readonly cancel: Cancellation;
  /** Runs steps, in pieces if they are many. */
  inTurns<T>(steps: Generator<void, T, void>): T | Promise<T>;
}

/**
 * Ends an operation of the running thread, which begins to wait for it. Where the operation waits for another thread's,
 * a virtual clock advances meanwhile.
 */
export function cancellationFor(vm: NativeContext): Cancellation {
  const cancel = new Cancellation(workOf(vm));
  const { current: fiber } = vm.scheduler;
  if (vm.host.behind === undefined || fiber === null) return cancel;
  cancel.waitsInside = (isWaiting) => {
    if (fiber.state !== 'waiting') return;
    fiber.waitEndedBy = isWaiting ? 'thread' : 'outside';
    // Nobody may run any more who would let the clock advance.
    vm.host.defer(() => {
      if (vm.scheduler.isQuiet) vm.scheduler.onQuiet();
    });
  };
  return cancel;
}

/** Begins an operation that may throw before it returns its promise. */
function begun<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return operation();
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * For natives: waits for an operation of the thread's transaction, or of the database; return the result of this call.
 * The operation is cancelled with the thread. `sql` appears in messages and metrics.
 * @param shape makes the value of the result, in steps
 * @param written the statement as the program wrote it, for errors
 * @param returned called if the thread is ended just before it receives the value
 */
export function ask<T>(
  vm: NativeContext,
  db: Database,
  sql: string,
  operation: (asking: Asking) => Promise<T>,
  shape: (result: T) => Generator<void, Value, void>,
  written = sql,
  returned?: () => void,
): undefined {
  checkOpen(db);
  const open = transactionOf(vm, db);
  const startedAt = performance.now();
  const span = querySpan(vm, db, sql);
  open?.busy(vm, sql);
  return vm.wait('database', (resume, failed) => {
    const context = workOf(vm);
    const cancel = cancellationFor(vm);
    let converting: AbortController | null = null;
    const done = (error?: SvcError): void => {
      if (error !== undefined) span?.failed(error.value);
      span?.end();
      open?.idle(vm);
      db.latencies.note(sql, (performance.now() - startedAt) / 1000);
    };
    const inTurns: Asking['inTurns'] = (steps) =>
      inPieces(vm, steps, () => (converting ??= controllerFor(context)).signal);
    const give = (value: Value): void => {
      done();
      if (!cancel.isCancelled) resume(value);
    };
    const refuse = (error: unknown): void => {
      let raised: SvcError | undefined;
      if (error instanceof SqlFailure && error.kind === 'memory') collectRefused();
      try {
        raised = errorFor(error, sql, written);
      } finally {
        done(raised);
      }
      if (!cancel.isCancelled) failed(raised);
    };
    const take = (result: T): void => {
      let value: Value | Promise<Value>;
      try {
        value = cancel.isCancelled ? null : inTurns(shape(result));
      } catch (error) {
        return refuse(error);
      }
      if (value instanceof Promise) value.then(give, refuse);
      else give(value);
      return undefined;
    };
    const run = (driver: Driver): void => {
      if (cancel.isCancelled) return give(null);
      const transaction = open?.transaction ?? null;
      const tables = open?.tables ?? db.tables;
      const asking = { transaction, session: transaction ?? driver, driver, tables, cancel, inTurns };
      begun(() => operation(asking)).then(take, refuse);
      return undefined;
    };
    // No async function here and in `runStatement`: its promises take longer than a short statement.
    if (db.opened !== null) run(db.opened);
    else db.driver().then(run, refuse);
    const stop = (): void => {
      cancel.cancel();
      converting?.abort();
    };
    return returned === undefined ? stop : new Acquisition(stop, returned);
  });
}

/** For `ask`: a shape that needs no steps. */
export function atOnce<T>(shape: (result: T) => Value): (result: T) => Generator<void, Value, void> {
  // eslint-disable-next-line require-yield -- needs no steps
  return function* (result) {
    return shape(result);
  };
}

/** The Svc error for what an operation rejected with; rethrows a bug. `written` is the statement as its program wrote it. */
export function errorFor(error: unknown, sql: string, written = sql): SvcError {
  if (error instanceof SvcError) return error;
  if (error instanceof SqlFailure) return databaseError(error, sql, written);
  throw error;
}

/** The values of a statement's parameters, from the arguments of a call. @throws ArgumentError */
function valuesFor(text: SqlText, args: readonly Value[], named: ReadonlyMap<string, Value> | null): readonly Value[] {
  if (text.names === null) {
    if (named !== null)
      fail(
        Errors.ArgumentError,
        'a Hash gives values for :name parameters, which the statement does not have; pass [hash] to store it as JSON',
      );
    if (args.length !== text.count)
      fail(
        Errors.ArgumentError,
        `the statement has ${text.count} parameter${text.count === 1 ? '' : 's'}, got ${args.length} value${args.length === 1 ? '' : 's'}`,
      );
    return args;
  }
  if (named === null)
    fail(
      Errors.ArgumentError,
      `the statement has named parameters: pass a Hash with ${text.names.map((name) => `\`${name}\``).join(', ')}`,
    );
  const wanted = new Set(text.names);
  for (const name of named.keys())
    if (!wanted.has(name)) fail(Errors.ArgumentError, `the statement has no parameter :${name}`);
  return text.names.map((name) => named.get(name) ?? missing(named, name));
}

function missing(named: ReadonlyMap<string, Value>, name: string): Value {
  return named.has(name) ? null : fail(Errors.ArgumentError, `the value of parameter :${name} is missing`);
}

/** A statement with its values, checked; values of drivers are made in steps. */
export interface Call {
  readonly text: SqlText;
  readonly values: readonly Value[];
}

/** @throws ArgumentError */
export function callOf(
  db: Database,
  sql: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value> | null,
): Call {
  const text = db.texts.get(sql);
  if (text.verb === '') fail(Errors.ArgumentError, 'the statement is empty');
  if (text.isScript)
    fail(Errors.ArgumentError, 'the text has several statements: only exec without parameters runs them');
  return { text, values: valuesFor(text, args, named) };
}

/** The parameters of a call for the driver. @throws TypeError, OverflowError, ValueError that name the parameter */
export function* paramsOf({ text, values }: Call, db: Database): Generator<void, SqlValue[], void> {
  const out: SqlValue[] = [];
  for (let i = 0; i < values.length; i++) {
    const simple = toSqlAtOnce(values[i]);
    out.push(simple === undefined ? yield* toSql(values[i], placeOf(text, i), db.engine) : simple);
  }
  return out;
}

/** A parameter in messages. */
function placeOf({ names }: SqlText, i: number): string {
  return names === null ? `parameter ${i + 1}` : `parameter :${names[i]}`;
}

/** Runs the statement of a call. @param sink may take the first rows over */
export function runStatement(
  { session, cancel, inTurns }: Asking,
  db: Database,
  call: Call,
  sink?: RowSink,
): Promise<Result> {
  const { sql } = call.text;
  const params = inTurns(paramsOf(call, db));
  return params instanceof Promise
    ? params.then((made) => session.run({ sql, params: made, sink }, cancel))
    : session.run({ sql, params, sink }, cancel);
}

/** For natives: runs a statement. Return the result of this call. */
export function runCall(
  vm: NativeContext,
  db: Database,
  call: Call,
  shape: (result: Result) => Generator<void, Value, void>,
): undefined {
  const { sql, written } = call.text;
  return ask(vm, db, sql, (asking) => runStatement(asking, db, call), shape, written);
}

/** For natives: runs a statement for all its rows. Return the result of this call. */
export function runQuery(vm: NativeContext, db: Database, call: Call): undefined {
  const { sql, written } = call.text;
  const rows = new Rows();
  return ask(
    vm,
    db,
    sql,
    (asking) => runStatement(asking, db, call, rows),
    (result) => rows.all(result),
    written,
  );
}
