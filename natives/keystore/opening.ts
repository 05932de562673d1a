/** Native `key_store`: selects the engine, checks the options. */
import { nearest } from '../../vm/bytecode/nearest.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Hash } from '../../vm/values/hash.js';
import { inspect } from '../../vm/values/text/text.js';
import { kindName } from '../../vm/values/types.js';
import { isNumber, type Value } from '../../vm/values/value.js';
import { withoutPassword } from '../address.js';
import { rowRoom } from '../data/room.js';
import { DurationValue } from '../core/dates/duration.js';
import { firstProcess } from '../cluster/firstprocess.js';
import { isRedisUrl } from '../redis/connection.js';
import type { StoreDriver } from './drivers/driver.js';
import { FirstStore } from './drivers/first.js';
import { MemoryStore } from './drivers/memory.js';
import { KeyStore, MEMORY_STORES, millisecondsOf, type OpenStore } from './keystore.js';

/** Options of `key_store`, checked. */
interface StoreOptions {
  /** Milliseconds that an operation may take. */
  timeout: number;
  prefix: string;
}

const TIMEOUT_MS = 5000;
const MAX_PREFIX = 100;
const NAMES = ['timeout', 'prefix'];

/** Checks the options. @throws ArgumentError, TypeError */
function optionsOf(given: Hash): StoreOptions {
  const options: StoreOptions = { timeout: TIMEOUT_MS, prefix: '' };
  for (const [name, value] of given.entries()) {
    if (name === 'timeout') options.timeout = timeoutOf(value);
    else if (name === 'prefix') options.prefix = prefixOf(value);
    else {
      const near = nearest(String(name), NAMES);
      fail(
        Errors.ArgumentError,
        `key_store() has no option '${String(name)}'${near === null ? `; its options are ${NAMES.join(', ')}` : `, did you mean '${near}'?`}`,
      );
    }
  }
  return options;
}

function timeoutOf(value: Value): number {
  if (!isNumber(value) && !(value instanceof DurationValue))
    return fail(Errors.TypeError, `key_store(): timeout must be Number or Duration, got ${kindName(value)}`);
  return millisecondsOf('key_store(): timeout', value) as number;
}

function prefixOf(value: Value): string {
  if (typeof value === 'string' && value.length <= MAX_PREFIX) return value;
  return fail(
    Errors.ArgumentError,
    `key_store(): prefix must be a String of at most ${MAX_PREFIX} characters, got ${inspect(value)}`,
  );
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** Makes the store that `url` names, without connecting. @throws ArgumentError, TypeError */
export function openStore(vm: NativeContext, url: string, given: Hash): KeyStore {
  const { timeout, prefix } = optionsOf(given);
  const make = (label: string, open: OpenStore): KeyStore => new KeyStore(vm, label, prefix, open);
  const scheme = SCHEME.exec(url)?.[1].toLowerCase();
  if (scheme === 'memory') return make(url, () => memoryStore(vm, url, timeout));
  if (scheme === 'sqlite') {
    const path = url.slice(scheme.length + 1).replace(/^\/\/(?=\/)/, '');
    if (path === '' || path.includes('\0'))
      fail(Errors.ArgumentError, 'key_store(): sqlite: needs a path, as in "sqlite:store.db"');
    return make(`sqlite:${path}`, () => sqliteStore(vm, path, timeout));
  }
  if (scheme === 'postgres' || scheme === 'postgresql')
    return make(withoutPassword(url), () => postgresStore(url, timeout));
  if (isRedisUrl(url)) return make(withoutPassword(url), () => redisStore(url, timeout));
  return fail(
    Errors.ArgumentError,
    `key_store() does not know ${scheme === undefined ? inspect(url) : `${scheme}:`} — it takes "memory:", "sqlite:PATH", "postgres://user:password@host/name" or "redis://host"`,
  );
}

/** The `memory:` store of this URL: in this process, or, in a worker of `--workers`, in the first process. */
function memoryStore(vm: NativeContext, label: string, timeout: number): StoreDriver {
  const stores = MEMORY_STORES.of(vm);
  let store = stores.get(label);
  if (store === undefined) {
    const first = firstProcess();
    store = first === null ? new MemoryStore(label, vm.host) : new FirstStore(label, first, timeout);
    stores.set(label, store);
  }
  return store;
}

const databaseOptions = (timeout: number) => ({
  readonly: false,
  pool: 10,
  timeout: timeout / 1000,
  durable: false,
  room: rowRoom(),
});

async function sqliteStore(vm: NativeContext, path: string, timeout: number) {
  const { SqliteStore } = await import('./drivers/sqlite.js');
  const { openSqlite } = await import('../data/sqlite/index.js');
  const open = () => Promise.resolve(openSqlite(path, databaseOptions(timeout)));
  return new SqliteStore(path, timeout, open, () => vm.host.wallClock());
}

async function postgresStore(url: string, timeout: number) {
  const { PostgresStore } = await import('./drivers/postgres.js');
  const { openPostgres } = await import('../data/postgres/index.js');
  const open = async () => openPostgres(url, databaseOptions(timeout));
  return new PostgresStore(withoutPassword(url), url, timeout, open);
}

async function redisStore(url: string, timeout: number) {
  const { RedisStore } = await import('./drivers/redis.js');
  return new RedisStore(url, timeout);
}
