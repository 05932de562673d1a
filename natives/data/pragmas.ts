import { SqlFailure } from './driver.js';

/** Pragmas of SQLite whose argument changes no connection: it selects what they show or do, or is kept in the file. */
const HARMLESS: ReadonlySet<string> = new Set([
  'application_id',
  'auto_vacuum',
  'foreign_key_check',
  'foreign_key_list',
  'incremental_vacuum',
  'index_info',
  'index_list',
  'index_xinfo',
  'integrity_check',
  'optimize',
  'quick_check',
  'table_info',
  'table_list',
  'table_xinfo',
  'user_version',
  'wal_checkpoint',
]);

/** Pragmas that migrations need to change tables. */
const OF_MIGRATIONS: ReadonlySet<string> = new Set(['foreign_keys', 'legacy_alter_table']);

/** Sets the pragmas of migrations as they are when a connection is opened. */
export const RESET_PRAGMAS = 'PRAGMA foreign_keys=ON; PRAGMA legacy_alter_table=OFF';

const SETTING = /\bpragma\s+(?:[^\s=(]+?\s*\.\s*)?(\w+)\s*[=(]/i;

function hintFor(name: string): string {
  if (OF_MIGRATIONS.has(name)) return 'a migration whose first line is `-- no transaction` may set it, until its end';
  if (name === 'defer_foreign_keys') return 'set it within db.transaction, at whose end it is reset';
  if (name === 'query_only') return 'use readonly: true of database() or db.transaction';
  return name === 'synchronous' ? 'use durable: true of database()' : 'all threads share the connections';
}

/**
 * Refuses a PRAGMA of a program that changes a connection, which other threads use too.
 * @param inside whether a transaction is open
 * @throws SqlFailure
 */
export function checkPragma(sql: string, inside: boolean): void {
  const name = SETTING.exec(sql)?.[1].toLowerCase();
  if (name === undefined || HARMLESS.has(name) || (inside && name === 'defer_foreign_keys')) return;
  throw new SqlFailure('database', `PRAGMA ${name} cannot be set here: ${hintFor(name)}`);
}
