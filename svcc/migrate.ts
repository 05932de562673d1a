import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseDotenv } from '../natives/io/dotenv.js';
import { Cancellation, type Driver } from '../natives/data/driver.js';
import { errorFor } from '../natives/data/asking.js';
import type { Database } from '../natives/data/database.js';
import {
  type Migration,
  migrate,
  migrationNames,
  migrationOf,
  migrationsFolder,
  migrationStates,
  noFolder,
  undo,
} from '../natives/data/migrations.js';
import { openDatabase } from '../natives/data/opening.js';
import { reasonOf } from '../natives/reasons.js';
import { Hash } from '../vm/values/hash.js';
import { SvcError } from '../vm/values/error.js';
import type { Streams } from './host.js';
import { LoadError } from './loaderror.js';
import { aligned } from './table.js';

/** Flags of `svcc migrate`. */
export interface MigrateFlags {
  /** Path or URL of the database. */
  database?: string;
  folder?: string;
}

/** The database of programs that follow the guide, unless the environment names another one. */
const DEFAULT_DATABASE = 'app.db';
const SETTINGS = '.env';
const VARIABLE = 'DATABASE_URL';

const TEMPLATE = `

-- down
`;

/** Runs an operation on a file. @throws LoadError that names it */
function reading<T>(action: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new LoadError(`cannot ${action}: ${reasonOf(error)}`, [], 1);
  }
}

function textOf(path: string): string {
  const bytes = reading(`read ${path}`, () => readFileSync(path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LoadError(`${path} is not UTF-8; save it as UTF-8`, [], 1);
  }
}

/** The database to work on: of the flag, the environment or the file `.env`. */
function databaseUrl({ database }: MigrateFlags): string {
  if (database !== undefined) return database;
  const { [VARIABLE]: url = '' } = process.env;
  if (url !== '') return url;
  const settings = existsSync(SETTINGS) ? new Map(parsed(textOf(SETTINGS))) : new Map<string, string>();
  return (settings.get(VARIABLE) ?? '') || DEFAULT_DATABASE;
}

function parsed(text: string): [string, string][] {
  try {
    return parseDotenv(text);
  } catch (error) {
    throw error instanceof SvcError ? new LoadError(`${SETTINGS}: ${error.value.message}`, [], 1) : error;
  }
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) throw new LoadError(noFolder(folder), [], 1);
  return migrationNames(
    folder,
    reading(`read ${folder}`, () => readdirSync(folder)),
  );
}

function filesIn(folder: string): Migration[] {
  return namesIn(folder).map((name) => migrationOf(folder, name, textOf(`${folder}/${name}`)));
}

/** Whether a database exists, so that a command that changes nothing does not create its file. */
function isThere({ engine, label }: Database): boolean {
  return engine !== 'sqlite' || label === ':memory:' || existsSync(label);
}

/** Runs work on a database, and closes it. */
async function using<T>(db: Database, work: (driver: Driver) => Promise<T>): Promise<T> {
  const driver = await db.driver();
  try {
    return await work(driver);
  } finally {
    await driver.close();
  }
}

/** Runs a command; prints what is wrong with its input. @returns the exit code */
async function obeying({ stderr }: Streams, work: () => number | Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof LoadError) {
      stderr(`svcc: ${thrown.message}\n`);
      return thrown.exitCode;
    }
    stderr(`svcc: ${errorFor(thrown, '').value.message}\n`);
    return 1;
  }
}

/** What the flags of a command name. */
interface Target {
  readonly folder: string;
  readonly files: readonly Migration[];
  readonly db: Database;
}

/** Runs a command on a database and its migrations. @returns the exit code */
function onTarget(flags: MigrateFlags, streams: Streams, work: (target: Target) => Promise<number>): Promise<number> {
  return obeying(streams, () => {
    const folder = migrationsFolder(flags.folder);
    const files = filesIn(folder);
    return work({ folder, files, db: openDatabase(databaseUrl(flags), new Hash()) });
  });
}

/** `svcc migrate`: runs the migrations that have not run. @returns the exit code */
export function runMigrations(flags: MigrateFlags, streams: Streams): Promise<number> {
  return onTarget(flags, streams, async ({ folder, files, db }) => {
    const names = await using(db, (driver) =>
      migrate(driver, folder, files, new Cancellation(), (name) => streams.stdout(`ran ${name}\n`)),
    );
    const all = files.length === 1 ? 'the only migration has' : `all ${files.length} migrations have`;
    if (names.length === 0)
      streams.stdout(
        files.length === 0 ? `${folder} has no migrations\n` : `nothing to do: ${all} run in ${db.label}\n`,
      );
    return 0;
  });
}

/** `svcc migrate status`: prints which migrations have run. @returns the exit code */
export function showMigrations(flags: MigrateFlags, streams: Streams): Promise<number> {
  return onTarget(flags, streams, async ({ folder, files, db }) => {
    const { states, problem } = isThere(db)
      ? await using(db, (driver) => migrationStates(driver, folder, files))
      : await migrationStates(null, folder, files);
    const rows = states.map(({ name, state, at }) => [
      name,
      state,
      at === null ? '' : new Date(at).toISOString().replace(/\.\d+/, ''),
    ]);
    streams.stdout(
      rows.length === 0
        ? `${folder} has no migrations\n`
        : `${aligned([['MIGRATION', 'STATE', 'APPLIED'], ...rows])}\n`,
    );
    if (problem !== null) streams.stderr(`svcc: ${problem}\n`);
    return problem === null ? 0 : 1;
  });
}

/** `svcc migrate down`: undoes the migration that ran last. @returns the exit code */
export function undoMigration(flags: MigrateFlags, streams: Streams): Promise<number> {
  return onTarget(flags, streams, async ({ folder, files, db }) => {
    if (!isThere(db)) throw new LoadError(`there is no database ${db.label}`, [], 1);
    const name = await using(db, (driver) => undo(driver, folder, files));
    streams.stdout(`undid ${name}\n`);
    return 0;
  });
}

/** `svcc migrate new NAME`: writes the next migration. @returns the exit code */
export function newMigration(name: string, flags: MigrateFlags, streams: Streams): Promise<number> {
  return obeying(streams, () => {
    const word = name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
    if (!/^\w{1,100}$/.test(word))
      throw new LoadError(`'${name}' is no name of a migration: use letters, digits and _, as in add_notes`);
    const folder = migrationsFolder(flags.folder);
    const count = existsSync(folder) ? namesIn(folder).length : 0;
    const path = `${folder}/${String(count + 1).padStart(4, '0')}_${word}.sql`;
    reading(`write ${path}`, () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, TEMPLATE, { flag: 'wx' });
    });
    streams.stdout(`made ${path}\n`);
    return 0;
  });
}
