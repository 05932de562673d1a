/** Engines that are gone, start again, or do not answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t from 'tap';
import { SqlFailure } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import { type StoreDriver, StoreFailure } from '../../natives/keystore/drivers/driver.js';
import { PostgresStore } from '../../natives/keystore/drivers/postgres.js';
import { RedisStore } from '../../natives/keystore/drivers/redis.js';
import { SqliteStore } from '../../natives/keystore/drivers/sqlite.js';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';

type Test = typeof t;

t.setTimeout(300_000);

/** Milliseconds that operations wait for engines that do not come back. */
const BRIEFLY = 300;
/** Milliseconds for engines that do. */
const LONG = 60_000;

/** An engine that can be ended, started and stopped. */
interface Engine {
  readonly url: string;
  /** Whether values outlive its end. */
  readonly keepsData: boolean;
  end(): Promise<void>;
  launch(): Promise<void>;
  pause(): void;
  resume(): void;
}

type Open = (url: string, timeout: number) => StoreDriver;

async function failure(operation: Promise<unknown>): Promise<StoreFailure> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof StoreFailure) return error;
    throw error;
  }
  throw new Error('the operation did not fail');
}

function cases(t: Test, engine: Engine, open: Open, label: RegExp): void {
  const opened = (t: Test, timeout: number): StoreDriver => {
    const store = open(engine.url, timeout);
    t.teardown(() => store.close());
    return store;
  };
  /** The store works within some time, which may be longer than one operation waits. */
  const recovers = (store: StoreDriver): Promise<true> =>
    until('the store', async () => {
      try {
        await store.put('k', '"again"', null, 'always');
        return true;
      } catch (error) {
        if (error instanceof StoreFailure) return null;
        throw error;
      }
    });

  void t.test('an engine that is gone', async (t) => {
    const [brief, patient] = [opened(t as Test, BRIEFLY), opened(t as Test, LONG)];
    await recovers(brief);
    await patient.put('k', '1', null, 'always');
    await engine.end();
    for (const operation of [
      () => brief.get('k'),
      () => brief.put('k', '2', 1000, 'absent'),
      () => brief.increment('k', 1n, null),
      () => brief.acquire('l', 'owner', 1000),
    ]) {
      const { kind, message } = await failure(Promise.resolve(operation()));
      t.equal(kind, 'connection');
      t.match(message, label);
      t.match(message, /cannot be reached \(waited 0\.3 s\): |broke: whether the value was changed is unknown$/);
      t.notMatch(message, /p@ss|p%40/, 'no password');
    }
    const waiting = Promise.resolve(patient.get('k'));
    await engine.launch();
    t.equal(await waiting, engine.keepsData ? '1' : null, 'an operation waits for it');
    t.ok(await recovers(brief), 'it works again by itself');
    t.equal(await brief.get('k'), '"again"');
  });

  void t.test('an engine that does not answer', async (t) => {
    const store = opened(t as Test, BRIEFLY);
    await recovers(store);
    engine.pause();
    try {
      const { kind, message } = await failure(Promise.resolve(store.get('k')));
      t.equal(kind, 'connection');
      t.match(message, /does not answer \(waited 0\.3 s\)$|cannot be reached \(waited 0\.3 s\)/);
    } finally {
      engine.resume();
    }
    t.ok(await recovers(store));
  });

  void t.test('locks: a waiter gets the lock after a restart', async (t) => {
    const [holder, waiter] = [opened(t as Test, LONG), opened(t as Test, LONG)];
    await holder.acquire('l', 'one', 1000);
    let changes = 0;
    const stop = waiter.watch('l', () => changes++);
    await until('the watch', () => changes > 0);
    await engine.end();
    await engine.launch();
    await recovers(holder);
    // The server reports releases again.
    const before = changes;
    await until('a report', async () => {
      await holder.acquire('l', 'one', 1000);
      await holder.release('l', 'one');
      return changes > before + 1;
    });
    stop();
    t.ok('token' in (await waiter.acquire('l', 'two', 1000)));
  });

  void t.test('operations after close', async (t) => {
    const store = opened(t as Test, LONG);
    await store.get('k');
    await store.close();
    t.match(await failure(Promise.resolve(store.get('k'))), { kind: 'closed', message: /is closed$/ });
  });
}

const redis = findRedis();
t.test('Redis', { skip: redis === null && NO_REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string, 'p@ss');
  t.teardown(() => server.stop());
  const engine: Engine = {
    url: server.url(),
    keepsData: false,
    end: () => server.kill(),
    launch: () => server.launch(),
    pause: () => server.pause(),
    resume: () => server.resume(),
  };
  cases(t as Test, engine, (url, timeout) => new RedisStore(url, timeout), /redis:\/\/127\.0\.0\.1:\d+\/0/);

  void t.test('an increment that is under way when the connection breaks is not repeated', async (t) => {
    const store = new RedisStore(server.url(), LONG);
    t.teardown(() => store.close());
    await store.get('k');
    server.pause();
    const failed = failure(store.increment('n', 1n, null));
    const read = store.get('k');
    // The commands of a turn are sent in the next one.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.kill();
    t.match((await failed).message, /broke: whether the value was changed is unknown$/);
    await server.launch();
    t.equal(await read, null, 'one that reads is');
  });

  void t.test('errors of scripts', async (t) => {
    const store = new RedisStore(server.url(), 10_000);
    const admin = new Redis(server.url());
    t.teardown(async () => {
      await store.close();
      await admin.quit();
    });
    const label = `the key store redis://127.0.0.1:${server.port}/0`;
    await admin.rpush('svc:k:list', 'x');
    const { message } = await failure(store.increment('list', 1n, null));
    t.equal(message, `${label}: the key holds a value that was not written by a key store of Svc`);
    await admin.config('SET', 'maxmemory', '1');
    const { message: full } = await failure(store.increment('n', 1n, null));
    t.equal(full, `${label}: OOM command not allowed when used memory > 'maxmemory'.`);
    await admin.config('SET', 'maxmemory', '0');
  });

  void t.test('a wrong password', async (t) => {
    const store = new RedisStore(`redis://:wrong@127.0.0.1:${server.port}`, BRIEFLY);
    t.teardown(() => store.close());
    const { kind, message } = await failure(store.get('k'));
    t.equal(kind, 'connection');
    t.match(message, /WRONGPASS|NOAUTH/);
    t.notMatch(message, /:wrong@/);
  });
});

t.test('Redis: nothing listens', async (t) => {
  const store = new RedisStore(`redis://127.0.0.1:${await freePort()}`, BRIEFLY);
  t.teardown(() => store.close());
  t.match((await failure(store.get('k'))).message, /cannot be reached \(waited 0\.3 s\): connection refused$/);
});

t.test('SQLite: an operation that has failed by its timeout is not tried again', async (t) => {
  let attempts = 0;
  const open = (): Promise<never> => {
    attempts++;
    return Promise.reject(new SqlFailure('timeout', 'busy'));
  };
  const store = new SqliteStore('/nowhere/store.db', BRIEFLY, open, () => Date.now());
  t.teardown(() => store.close());
  t.match((await failure(store.get('k'))).message, /does not answer \(waited 0\.3 s\)$/);
  t.ok(attempts > 1, 'it was tried again before');
  const before = attempts;
  // Longer than the longest pause between two attempts.
  await sleep(1000);
  t.equal(attempts, before);
});

/** Process numbers of a PostgreSQL server and of its children. */
function processes(folder: string): number[] {
  const pid = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return [pid, ...children];
}

const programs = findPostgres();
const skip =
  (programs === null && 'PostgreSQL is not installed') ||
  (process.platform !== 'linux' && 'needs the processes in /proc');
t.test('PostgreSQL', { skip }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  let stopped: number[] = [];
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const pid of stopped) {
      try {
        process.kill(pid, name);
      } catch {
        // A process of the server that has ended in the meantime.
      }
    }
  };
  const engine: Engine = {
    url: server.url(await server.createDatabase()),
    keepsData: true,
    end: () => server.halt(),
    launch: () => server.launch(),
    pause: () => {
      stopped = processes(server.folder);
      signal('SIGSTOP');
    },
    resume: () => signal('SIGCONT'),
  };
  const open: Open = (url, timeout) =>
    new PostgresStore(url.replace(/:[^:@]*@/, '@'), url, timeout, async () =>
      openPostgres(url, { readonly: false, pool: 10, timeout: timeout / 1000, durable: false }),
    );
  cases(t as Test, engine, open, /postgres:\/\/svc@127\.0\.0\.1:\d+\/test1/);
});
