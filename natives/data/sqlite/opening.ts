/** Opens the file of a database. Explains failures in plain words. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, faultOf, lacksDescriptors, TOO_MANY_FILES, unopened } from './faults.js';
import { type Library, openLibrary } from './libraries.js';
import type { ConnectionSettings, Fault, ThreadSettings } from './protocol.js';

const READONLY = 8;
const CANNOT_OPEN = 14;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const BUSY = 5;

/** Milliseconds that SQLite waits for locks of other processes. */
const BUSY_TIMEOUT_MS = 5_000;

/** Milliseconds between two attempts to open a file whose journal another process is changing. */
const RETRY_MS = 20;

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Why a file cannot be opened; null if there is no visible reason. */
function obstacle({ path, access }: ConnectionSettings): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isDirectory()) return `${path} is a folder; expected the file of a database`;
  if (file === undefined && !isAccessible(dirname(path), constants.F_OK))
    return `cannot create the database ${path}: there is no folder ${dirname(path)}`;
  if (file === undefined && access === 'readonly') return `there is no database ${path}`;
  if (file !== undefined && !isAccessible(path, constants.R_OK)) return `cannot read the database ${path}`;
  if (!isAccessible(dirname(path), constants.W_OK))
    return `cannot open the database ${path}: its folder is read-only, and SQLite keeps a journal beside the file`;
  if (file !== undefined && access === 'write' && !isAccessible(path, constants.W_OK))
    return `cannot open the database ${path} for writing: the file is read-only; open it with readonly: true`;
  return null;
}

function explain(error: unknown, settings: ConnectionSettings): Fault {
  const { path } = settings;
  const { code, message } = faultOf(error);
  if (code === NOT_A_DATABASE) return { code, message: `${path} is not an SQLite database` };
  if ((code & 0xff) === CORRUPT) return { code, message: `the database ${path} is damaged: ${message}` };
  const isUnopened = code === 0 || [CANNOT_OPEN, READONLY].includes(code & 0xff);
  const reason = isUnopened && path !== ':memory:' ? obstacle(settings) : null;
  return {
    code: isUnopened && reason !== null ? CANNOT_OPEN : code,
    message: reason ?? unopened(path, lacksDescriptors(error) ? TOO_MANY_FILES : message),
  };
}

function pragmas({ access, durable }: ConnectionSettings): string[] {
  const common = [`PRAGMA busy_timeout=${access === 'lock' ? 0 : BUSY_TIMEOUT_MS}`];
  if (access === 'lock') return common;
  common.push('PRAGMA foreign_keys=ON');
  if (access !== 'write') return [...common, 'PRAGMA query_only=ON', 'SELECT count(*) FROM sqlite_master'];
  return [
    ...common,
    'PRAGMA journal_mode=WAL',
    `PRAGMA synchronous=${durable ? 'FULL' : 'NORMAL'}`,
    'SELECT count(*) FROM sqlite_master',
  ];
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Runs a statement; waits while another process changes the journal, for which SQLite itself does not wait. */
async function patiently(library: Library, sql: string): Promise<void> {
  for (const end = performance.now() + BUSY_TIMEOUT_MS; ; sleep(RETRY_MS)) {
    try {
      const rows = await (await library.prepare(sql)).rows([]);
      while (rows.next().done !== true);
      return;
    } catch (error) {
      if ((codeOf(error) & 0xff) !== BUSY || performance.now() > end) throw error;
    }
  }
}

/** Opens a connection and sets its pragmas. Returns a fault if that fails. */
export async function openConnection(settings: ThreadSettings): Promise<{ library: Library } | { fault: Fault }> {
  try {
    const library = openLibrary(settings);
    for (const sql of pragmas(settings)) await patiently(library, sql);
    return { library };
  } catch (error) {
    return { fault: explain(error, settings) };
  }
}
