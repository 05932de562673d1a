/** `db.migrate`. */
import { readdir } from 'node:fs/promises';
import { controllerFor } from '../../vm/fibers/operations.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { ON_MIGRATIONS } from '../core/migrationfolders.js';
import { assetNames } from '../io/assets.js';
import { io } from '../io/errors.js';
import { checkPath } from '../io/files.js';
import { readPlainText } from '../io/filetext.js';
import { ask, atOnce } from './asking.js';
import { type Database, transactionOf } from './database.js';
import { type Migration, migrate, migrationNames, migrationOf, migrationsFolder, noFolder } from './migrations.js';

/** Names in a folder on disk. @throws FileNotFoundError that says how to make it */
async function namesOnDisk(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return io(`read ${folder}`, () => Promise.reject(error));
    return fail(Errors.FileNotFoundError, noFolder(folder));
  }
}

/** The migrations of a folder, of the artefact if it has the folder. @throws IOError, ValueError */
async function readMigrations(vm: NativeContext, folder: string, signal: AbortSignal): Promise<Migration[]> {
  const names = assetNames(vm, folder) ?? (await namesOnDisk(folder));
  const files: Migration[] = [];
  for (const name of migrationNames(folder, names))
    files.push(migrationOf(folder, name, await readPlainText(vm, `${folder}/${name}`, signal)));
  return files;
}

/** `db.migrate(folder)`: returns the names of the migrations that it ran. */
export function migrateDatabase(vm: NativeContext, db: Database, given: string): undefined {
  const folder = migrationsFolder(checkPath(given));
  if (folder === '') fail(Errors.ArgumentError, 'migrate() needs the name of a folder');
  if (transactionOf(vm, db) !== null)
    fail(Errors.DatabaseError, 'migrate() cannot run inside of a transaction: each migration has its own');
  ON_MIGRATIONS.of(vm)?.(folder);
  return ask(
    vm,
    db,
    '',
    async ({ driver, cancel }) => {
      const reading = controllerFor(cancel.context);
      cancel.onCancel(() => reading.abort());
      const files = await readMigrations(vm, folder, reading.signal);
      cancel.onCancel(null);
      const names = await migrate(driver, folder, files, cancel);
      if (names.length > 0) db.tables.forget();
      return names;
    },
    atOnce((names) => names),
  );
}
