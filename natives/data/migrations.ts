/** Migrations: files of SQL that change the schema of a database, each once and in order. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { Errors, fail } from '../../vm/values/error.js';
import {
  Cancellation,
  type Driver,
  type Session,
  SqlDate,
  SqlFailure,
  type SqlValue,
  USUAL_TRANSACTION,
} from './driver.js';
import { databaseError } from './errors.js';
import { RESET_PRAGMAS } from './pragmas.js';
import { type Part, splitStatements } from './statements.js';

/** Folder of migrations unless another one is named. */
export const MIGRATIONS_FOLDER = 'db/migrations';

/** The name of a folder without the slashes at its end. */
export function migrationsFolder(given = MIGRATIONS_FOLDER): string {
  return given.replace(/(?<=.)\/+$/, '');
}

/** What is wrong if a folder is missing. Names where it was sought, as a relative one depends on the working directory. */
export function noFolder(folder: string): string {
  return `there is no folder ${resolve(folder)}; \`svcc migrate new NAME\` makes the first migration`;
}

/** Table of the migrations that have run. */
const TABLE = 'svc_migrations';

const FILE_NAME = /^(\d{1,15})_[\w-]+\.sql$/;
const DOWN = /^[ \t]*--[ \t]*down[ \t]*:?[ \t]*\r?$/gim;
const NO_TRANSACTION = /^--[ \t]*no transaction[ \t]*(?:\r?\n|$)/i;
/** First words of statements that would end the transaction of a migration. */
const CONTROL: ReadonlySet<string> = new Set(['begin', 'start', 'commit', 'end', 'rollback', 'abort']);

/** A file of the folder. */
export interface Migration {
  readonly name: string;
  /** Folder and name, for messages. */
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly checksum: string;
}

/** Number at the start of a file name. */
function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/**
 * Names of the migrations in a folder, in the order of their numbers, which begin at 1 without gaps. Other files than
 * `.sql` are ignored. @throws ValueError
 */
export function migrationNames(folder: string, names: Iterable<string>): string[] {
  const files = [...names].filter((name) => /\.sql$/i.test(name) && !name.startsWith('.')).sort();
  for (const name of files)
    if (!FILE_NAME.test(name))
      fail(
        Errors.ValueError,
        `${folder}/${name} is no name of a migration: expected a number, _ and a name of letters, digits, _ and -, as in 0001_notes.sql`,
      );
  files.sort((a, b) => numberOf(a) - numberOf(b));
  for (const [i, name] of files.entries()) {
    const number = numberOf(name);
    if (number === i + 1) continue;
    if (i > 0 && number === numberOf(files[i - 1]))
      fail(
        Errors.ValueError,
        `${folder} has two migrations with number ${number}: ${files[i - 1]} and ${name}; rename the one that was written later`,
      );
    const text = String(i + 1).padStart(4, '0');
    fail(
      Errors.ValueError,
      i === 0
        ? `${folder} begins with ${name}; the numbers of migrations begin at ${text}`
        : `${folder} has no migration ${text} between ${files[i - 1]} and ${name}; the numbers of migrations have no gaps`,
    );
  }
  return files;
}

/** A migration from the text of its file. The checksum does not depend on the ends of lines. */
export function migrationOf(folder: string, name: string, text: string): Migration {
  const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
  return { name, path: `${folder}/${name}`, number: numberOf(name), text, checksum };
}

/** A migration that has run. */
interface Applied {
  readonly name: string;
  readonly checksum: string;
  /** Milliseconds since 1970; null if the table holds something else. */
  readonly at: number | null;
}

async function run(
  session: Session,
  sql: string,
  params: readonly SqlValue[],
  cancel: Cancellation,
): Promise<readonly SqlValue[][]> {
  return (await session.run({ sql, params }, cancel)).pieces.flat();
}

/** The migrations that have run, in the order of their numbers. */
async function applied(driver: Driver, cancel: Cancellation): Promise<Applied[]> {
  if (!(await driver.tables(cancel)).includes(TABLE)) return [];
  const rows = await run(driver, `SELECT name, checksum, applied_at FROM ${TABLE}`, [], cancel);
  return rows
    .map(([name, checksum, at]) => ({
      name: String(name),
      checksum: String(checksum),
      at: at instanceof SqlDate ? at.ms : null,
    }))
    .sort((a, b) => numberOf(a.name) - numberOf(b.name));
}

/** Why the files do not fit what has run, or null. */
function problemOf(folder: string, files: readonly Migration[], done: readonly Applied[]): string | null {
  const byName = new Map(files.map((file) => [file.name, file]));
  for (const { name, checksum } of done) {
    const file = byName.get(name);
    if (file === undefined)
      return `${folder}/${name} has run, but the file is missing: restore it, and undo its changes in a new migration`;
    if (file.checksum !== checksum)
      return `${file.path} has changed since it ran: restore it, and write the change as a new migration`;
  }
  const ran = new Set(done.map(({ name }) => name));
  const late = files.slice(0, done.length).find(({ name }) => !ran.has(name));
  return late === undefined
    ? null
    : `${late.path} has not run, but ${done[done.length - 1].name} has: give it a higher number`;
}

/** The migrations that have not run. @throws DatabaseError if the files do not fit those that have */
function pending(folder: string, files: readonly Migration[], done: readonly Applied[]): readonly Migration[] {
  const problem = problemOf(folder, files, done);
  return problem === null ? files.slice(done.length) : fail(Errors.DatabaseError, problem);
}

/** Whether a migration has run, and whether its file is as it was. */
export interface State {
  readonly name: string;
  readonly state: 'applied' | 'pending' | 'changed' | 'missing';
  /** Milliseconds since 1970, or null. */
  readonly at: number | null;
}

/** The state of all migrations, and why they could not run now, or null. */
export async function migrationStates(
  driver: Driver | null,
  folder: string,
  files: readonly Migration[],
): Promise<{ states: State[]; problem: string | null }> {
  const done = driver === null ? [] : await applied(driver, new Cancellation());
  const checksums = new Map(files.map(({ name, checksum }) => [name, checksum]));
  const ran = new Set(done.map(({ name }) => name));
  const states = done.map(({ name, checksum, at }): State => {
    const now = checksums.get(name);
    return { name, at, state: now === undefined ? 'missing' : now === checksum ? 'applied' : 'changed' };
  });
  for (const { name } of files) if (!ran.has(name)) states.push({ name, state: 'pending', at: null });
  states.sort((a, b) => numberOf(a.name) - numberOf(b.name));
  return { states, problem: problemOf(folder, files, done) };
}

/** Rejects if the thread has ended meanwhile. */
function goOn(cancel: Cancellation): void {
  if (cancel.isCancelled) throw new SqlFailure('cancelled', 'the migration was cancelled');
}

/**
 * Runs the migrations that have not run; resolves with their names. Processes that do so at once wait for each other.
 * @param ran called after each one
 */
export async function migrate(
  driver: Driver,
  folder: string,
  files: readonly Migration[],
  cancel: Cancellation,
  ran: (name: string) => void = () => {},
): Promise<string[]> {
  // The usual case needs neither the lock nor the right to change the schema.
  if (pending(folder, files, await applied(driver, cancel)).length === 0) return [];
  return driver.locked(TABLE, async () => {
    goOn(cancel);
    const time = driver.engine === 'sqlite' ? 'DATETIME' : 'timestamptz';
    await driver.script(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at ${time} NOT NULL)`,
      cancel,
    );
    const names: string[] = [];
    for (const migration of pending(folder, files, await applied(driver, cancel))) {
      await apply(driver, migration, 'up', cancel);
      names.push(migration.name);
      ran(migration.name);
    }
    return names;
  });
}

/** Runs the down section of the migration that ran last; resolves with its name. @throws DatabaseError without one */
export function undo(driver: Driver, folder: string, files: readonly Migration[]): Promise<string> {
  const cancel = new Cancellation();
  return driver.locked(TABLE, async () => {
    const done = await applied(driver, cancel);
    pending(folder, files, done);
    if (done.length === 0) fail(Errors.DatabaseError, `no migration has run in ${driver.label}`);
    const last = files[done.length - 1];
    await apply(driver, last, 'down', cancel);
    return last.name;
  });
}

type Direction = 'up' | 'down';

/** The statements of a section. @throws ValueError for sections and statements that cannot run */
function statementsOf({ text, path }: Migration, direction: Direction, engine: Driver['engine']): Part[] {
  const marks = [...text.matchAll(DOWN)];
  if (marks.length > 1)
    fail(Errors.ValueError, `${path}:${lineAt(text, marks[1].index)}: a second section \`-- down\``);
  const end = marks[0]?.index ?? text.length;
  // Blanks in place of the first section keep the positions.
  const section = direction === 'up' ? text.slice(0, end) : text.slice(0, end).replaceAll(/\S/g, ' ') + text.slice(end);
  const parts = splitStatements(section, engine);
  if (parts.length === 0)
    fail(
      Errors.ValueError,
      direction === 'up'
        ? `${path} has no statements`
        : `${path} has no statements after \`-- down\`: what it did cannot be undone`,
    );
  const control = parts.find(({ words }) => CONTROL.has(words[0] ?? ''));
  if (control !== undefined)
    fail(
      Errors.ValueError,
      `${path}:${lineAt(text, control.start)}: a migration cannot contain ${(control.words[0] ?? '').toUpperCase()}: it runs in a transaction, or without one if its first line is \`-- no transaction\``,
    );
  return parts;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The error for a statement that failed; names file and line. */
function failed(error: unknown, migration: Migration, part: Part, note: string): unknown {
  if (!(error instanceof SqlFailure) || error.kind === 'cancelled') return error;
  const { kind, code, violation, position } = error;
  const line = lineAt(migration.text, part.start + Math.max(0, position));
  const out = databaseError(
    new SqlFailure(kind, `${migration.path}:${line}: ${error.message}${note}`, code, violation),
    '',
  );
  out.value.details = { ...out.value.details, sql: part.sql };
  return out;
}

/** Runs a section and notes it: all of it or nothing, unless the file says otherwise. */
async function apply(driver: Driver, migration: Migration, direction: Direction, cancel: Cancellation): Promise<void> {
  const parts = statementsOf(migration, direction, driver.engine);
  if (NO_TRANSACTION.test(migration.text)) return runAlone(driver, migration, parts, direction, cancel);
  const transaction = await driver.begin(USUAL_TRANSACTION, cancel);
  try {
    await runParts(transaction, driver, migration, parts, direction, cancel);
    goOn(cancel);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  try {
    await transaction.commit(cancel);
  } catch (error) {
    // A constraint that is checked at the end has no line.
    throw error instanceof SqlFailure
      ? databaseError(
          new SqlFailure(error.kind, `${migration.path}: ${error.message}`, error.code, error.violation),
          '',
        )
      : error;
  }
}

/** Runs a section without a transaction. Pragmas that it set are reset, because other statements share the connection. */
async function runAlone(
  driver: Driver,
  migration: Migration,
  parts: readonly Part[],
  direction: Direction,
  cancel: Cancellation,
): Promise<void> {
  try {
    await runParts(driver, driver, migration, parts, direction, cancel);
  } finally {
    if (driver.engine === 'sqlite' && parts.some(({ words }) => words[0] === 'pragma'))
      await driver.script(RESET_PRAGMAS, new Cancellation());
  }
}

async function runParts(
  session: Session,
  driver: Driver,
  migration: Migration,
  parts: readonly Part[],
  direction: Direction,
  cancel: Cancellation,
): Promise<void> {
  for (const [i, part] of parts.entries()) {
    try {
      await session.script(part.sql, cancel);
    } catch (error) {
      const stays = session === driver && i > 0;
      throw failed(
        error,
        migration,
        part,
        stays ? '; without a transaction, what the statements before it did stays' : '',
      );
    }
  }
  const { name, checksum } = migration;
  const [first, second, third] = driver.engine === 'sqlite' ? ['?', '?', '?'] : ['$1', '$2', '$3'];
  if (direction === 'down') await run(session, `DELETE FROM ${TABLE} WHERE name = ${first}`, [name], cancel);
  else
    await run(
      session,
      `INSERT INTO ${TABLE} (name, checksum, applied_at) VALUES (${first}, ${second}, ${third})`,
      [name, checksum, new SqlDate(Date.now())],
      cancel,
    );
}
