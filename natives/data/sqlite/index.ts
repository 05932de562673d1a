import { isBuiltin } from 'node:module';
import type { Driver, DriverOptions } from '../driver.js';
import { SqliteDatabase } from './database.js';
import type { LibraryName } from './protocol.js';

/**
 * The library to use. node:sqlite reads texts as they are; libsql cuts them at a NUL, and ends the process when one is
 * not UTF-8. One process never uses both: their locks on a file would not see each other.
 */
function usualLibrary(): LibraryName {
  return isBuiltin('node:sqlite') ? 'node:sqlite' : 'libsql';
}

/** Opens the database in a file, or ":memory:". Nothing happens before the first operation. */
export function openSqlite(path: string, options: DriverOptions, library: LibraryName = usualLibrary()): Driver {
  return new SqliteDatabase(path, options, library);
}
