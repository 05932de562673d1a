/** `database(…)`: which engine, and its options. */
import { nearest } from '../../vm/bytecode/nearest.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Hash } from '../../vm/values/hash.js';
import { inspect } from '../../vm/values/text/text.js';
import { kindName } from '../../vm/values/types.js';
import { Float, isNumber, type Value } from '../../vm/values/value.js';
import { withoutPassword } from '../address.js';
import { inSeconds } from '../core/dates/duration.js';
import { Database } from './database.js';
import type { DriverOptions } from './driver.js';
import { rowRoom } from './room.js';

const DEFAULTS: DriverOptions = { readonly: false, pool: 10, timeout: 30, durable: false };

const MAX_POOL = 1000;

function flag(name: string, value: Value): boolean {
  return typeof value === 'boolean'
    ? value
    : fail(Errors.TypeError, `database(): ${name} must be Boolean, got ${kindName(value)}`);
}

function poolSize(value: Value): number {
  if (typeof value === 'number' && value >= 1 && value <= MAX_POOL) return value;
  return fail(Errors.ArgumentError, `database(): pool must be an Integer from 1 to ${MAX_POOL}, got ${inspect(value)}`);
}

function seconds(given: Value): number {
  const value = inSeconds(given);
  const n = value instanceof Float ? value.n : Number(value);
  if (isNumber(value) && n > 0) return n;
  return fail(Errors.ArgumentError, `database(): timeout must be more than 0 seconds, got ${inspect(given)}`);
}

/** @throws ArgumentError, TypeError */
function optionsOf(given: Hash): DriverOptions {
  const options: { -readonly [K in keyof DriverOptions]: DriverOptions[K] } = { ...DEFAULTS };
  for (const [name, value] of given.entries()) {
    if (name === 'readonly' || name === 'durable') options[name] = flag(name, value);
    else if (name === 'pool') options.pool = poolSize(value);
    else if (name === 'timeout') options.timeout = seconds(value);
    else {
      const near = nearest(String(name), Object.keys(DEFAULTS));
      fail(
        Errors.ArgumentError,
        `database() has no option '${String(name)}'${near === null ? `; its options are ${Object.keys(DEFAULTS).join(', ')}` : `, did you mean '${near}'?`}`,
      );
    }
  }
  return options;
}

const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** The path of an SQLite database, or null if the URL is of PostgreSQL. @throws ArgumentError for other schemes */
function pathOf(url: string): string | null {
  if (url === '' || url.includes('\0')) fail(Errors.ArgumentError, 'database() needs a path or a URL');
  if (url === ':memory:') return url;
  const scheme = SCHEME.exec(url)?.[1].toLowerCase();
  if (scheme === undefined) return url;
  if (scheme === 'sqlite' || scheme === 'file') {
    const rest = url.slice(scheme.length + 1);
    if (/^\/\/[^/]/.test(rest))
      fail(
        Errors.ArgumentError,
        `database(): after ${scheme}:// a host would follow, which SQLite does not have; write "${scheme}:${rest.slice(2)}", or "${scheme}:///…" for a path from the root`,
      );
    const path = rest.replace(/^\/\/(?=\/|$)/, '');
    return path === ''
      ? fail(Errors.ArgumentError, `database(): ${scheme}: needs a path, as in "sqlite:app.db"`)
      : path;
  }
  if (scheme === 'postgres' || scheme === 'postgresql') return null;
  return fail(
    Errors.ArgumentError,
    `database() does not know ${scheme}: — it takes a path, "sqlite:PATH", ":memory:" or "postgres://user:password@host/name"`,
  );
}

/** The database that `url` names. @throws ArgumentError, TypeError */
export function openDatabase(url: string, given: Hash): Database {
  const options = { ...optionsOf(given), room: rowRoom() };
  const path = pathOf(url);
  if (path !== null)
    return new Database('sqlite', path, options, async () =>
      (await import('./sqlite/index.js')).openSqlite(path, options),
    );
  return new Database('postgres', withoutPassword(url), options, async () =>
    (await import('./postgres/index.js')).openPostgres(url, options),
  );
}
