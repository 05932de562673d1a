/** The programs of spec-tests/keystore give the same output on every engine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFile } from '#embed';
import { Redis } from 'ioredis';
import t from 'tap';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { isInShare } from '../share.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';

const FOLDER = join(import.meta.dirname, '../../spec-tests/keystore');

type Tap = typeof t;

/** Runs each program with a store. @param label the store in messages */
async function runAll(t: Tap, url: string, label: string): Promise<void> {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.svc') && isInShare(name))) {
    const expected = readExpectations(readFileSync(join(FOLDER, file), 'utf8'));
    process.env.STORE_URL = url;
    process.env.STORE_LABEL = label;
    const outcome = await runFile(join(FOLDER, file), { args: expected.args, stdin: expected.stdin });
    const { actual, expected: right } = compare(file, expected, outcome);
    t.equal(actual, right, file);
  }
}

process.env.TZ = 'UTC';

t.test('SQLite', async (t) => {
  const url = `sqlite:${join(t.testdir({}), 'store.db')}`;
  await runAll(t as Tap, url, url);
});

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  const url = server.url(await server.createDatabase());
  await runAll(t as Tap, url, url.replace(/:[^:@]*@/, '@'));
});

const redis = findRedis();
t.test('Redis', { skip: redis === null && NO_REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string, 'p@ss');
  t.teardown(() => server.stop());
  await runAll(t as Tap, server.url(), `redis://127.0.0.1:${server.port}/0`);
});

/** A program that uses all operations with keys of its own. */
const LIMITED = `store = key_store(env("STORE_URL"), prefix: "shop:")
store.set("a", 1)
puts [store.get("a"), store.increment("a"), store.update("a") { |n| n + 1 }, store.lock("a") { "held" }]
first = spawn { store.fetch("b") { sleep(0.05); "made" } }
puts [first.value, store.fetch("b") { "again" }, store.lock("b\\u0001fetch") { "held" }]
waiting = spawn { store.lock("c") { sleep(0.05) } }
store.lock("c") { puts "free" }
await(waiting)
key_store(env("STORE_URL"), prefix: "other:").fetch("b") { 1 }
`;

t.test('a user of Redis who may only use the prefix of the store', { skip: redis === null && NO_REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string);
  t.teardown(() => server.stop());
  const admin = new Redis(server.url());
  const rights = ['~svc:k:shop:*', '~svc:l:shop:*', '~svc:token', '&svc:l:shop:*', '+@all'];
  await admin.call('ACL', 'SETUSER', 'app', 'on', '>word', ...rights);
  await admin.quit();
  process.env.STORE_URL = server.url().replace('redis://', 'redis://app:word@');
  const folder = t.testdir({ 'limited.svc': LIMITED });
  const { stdout, stderr } = await runFile(join(folder, 'limited.svc'), { args: [] });
  t.equal(stdout, '[1, 2, 3, held]\n[made, made, held]\nfree\n');
  t.match(stderr, /NOPERM/);
});
