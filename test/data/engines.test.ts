/** Programs that give the same output on every engine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFile } from '#embed';
import t from 'tap';
import { isInShare } from '../share.js';
import { readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';
import { findPostgres, PostgresServer } from './postgresserver.js';

const FOLDER = join(import.meta.dirname, 'programs');

/** Runs each program with a database of its own. */
async function runAll(t: Tap, url: (name: string) => Promise<string>): Promise<void> {
  for (const file of readdirSync(FOLDER).filter((name) => isInShare(name))) {
    const expected = readExpectations(readFileSync(join(FOLDER, file), 'utf8'));
    process.env.DATABASE_URL = await url(file);
    const outcome = await runFile(join(FOLDER, file), { args: expected.args, stdin: expected.stdin });
    const { actual, expected: right } = compare(file, expected, outcome);
    t.equal(actual, right, file);
  }
}

type Tap = typeof t;

process.env.TZ = 'UTC';

t.test('SQLite', async (t) => {
  const folder = t.testdir({});
  await runAll(t as Tap, (file) => Promise.resolve(join(folder, `${file}.db`)));
});

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  await runAll(t as Tap, async () => server.url(await server.createDatabase()));
});
