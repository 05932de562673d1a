import { LimitedMap } from '../../limitedmap.js';
import { type Statement, SqlFailure } from '../driver.js';
import { checkPragma } from '../pragmas.js';
import type { Wish } from './job.js';
import { type Shape, shapeOf } from './text.js';
import { wireOf } from './values.js';

/** Maximum number of statements whose shape is kept. */
const LIMIT = 500;

/** Maximum number of parameters of a statement. The libraries raise different errors for more, some of them at random. */
const MAX_PARAMETERS = 32_766;

const shapes = new LimitedMap<string, Shape>(LIMIT);

/** First words of statements that change what the driver controls. */
const CONTROL = new Set(['BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'ATTACH', 'DETACH', 'PRAGMA']);

function shape(sql: string): Shape {
  const known = shapes.get(sql);
  if (known !== undefined) return known;
  const read = shapeOf(sql);
  shapes.set(sql, read);
  return read;
}

function fail(message: string): never {
  throw new SqlFailure('database', message);
}

/** Refuses statements that control transactions or change connections. @throws SqlFailure */
function checkControl(verb: string, sql: string, inside: boolean): void {
  if (!CONTROL.has(verb)) return;
  if (verb === 'ATTACH' || verb === 'DETACH') fail(`${verb} is not possible: the database has several connections`);
  if (verb === 'PRAGMA') return checkPragma(sql, inside);
  if (!inside) fail(`${verb} is not possible outside of a transaction: use db.transaction`);
  const isSavepoint = verb === 'SAVEPOINT' || verb === 'RELEASE' || (verb === 'ROLLBACK' && /\bTO\b/i.test(sql));
  if (!isSavepoint) fail(`${verb} is not possible here: db.transaction begins and ends transactions`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The request for a statement. @throws SqlFailure if the statement or its parameters are not possible */
export function wishFor(kind: 'run' | 'open', { sql, params }: Statement, inside: boolean): Wish {
  const { verb, reads, groups, parameters, hasNames, several } = shape(sql);
  if (verb === '') fail('the statement is empty');
  if (sql.includes('\0')) fail('the statement contains a NUL character');
  if (several) fail('expected one statement, found several');
  if (hasNames) fail('expected positional parameters, "?", found a name');
  if (parameters !== params.length)
    fail(
      `the statement takes ${counted(parameters, 'parameter')}, but ${counted(params.length, 'value')} came with it`,
    );
  if (parameters > MAX_PARAMETERS)
    fail(`the statement has ${parameters} parameters; SQLite takes ${MAX_PARAMETERS} at most`);
  checkControl(verb, sql, inside);
  return { kind, sql, params: params.map(wireOf), reads, grouped: groups && !inside, inside };
}
