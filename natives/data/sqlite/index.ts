import { createRequire, isBuiltin } from 'node:module';
import type { Driver, DriverOptions } from '../driver.js';
import { SqliteDatabase } from './database.js';
import type { LibraryName } from './protocol.js';

let usual: LibraryName | null = null;

/**
 * The library to use: libsql, since a statement of node:sqlite cannot be interrupted, and one that changes rows would
 * hold up all others; node:sqlite where libsql has no binaries. libsql cuts texts at a NUL and ends the process when one
 * is not UTF-8, node:sqlite does neither. One process never uses both: their locks on a file would not see each other.
 */
function usualLibrary(): LibraryName {
  if (usual !== null) return usual;
  if (!isBuiltin('node:sqlite')) return (usual = 'libsql');
  try {
    createRequire(import.meta.url)('libsql/promise');
    return (usual = 'libsql');
  } catch {
    return (usual = 'node:sqlite');
  }
}

/** Opens the database in a file, or ":memory:". Nothing happens before the first operation. */
export function openSqlite(path: string, options: DriverOptions, library: LibraryName = usualLibrary()): Driver {
  return new SqliteDatabase(path, options, library);
}
