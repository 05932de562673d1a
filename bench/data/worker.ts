/** Work on a database with a driver used directly: `worker.ts CASE URL COUNT` prints milliseconds. */
import { createRequire } from 'node:module';
import pg from 'pg';

const KEYS = 10_000;
/** Statements between two Syncs of a pipeline. */
const BATCH = 100;

const [work, url, words] = process.argv.slice(2);
const count = Number(words);

interface Statement {
  get(params: readonly unknown[]): unknown;
  run(params: readonly unknown[]): unknown;
  iterate(): Iterable<{ n: number }>;
}

interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}

/** A file of SQLite, with the library that Svc uses. */
function openSqlite(path: string): Sqlite {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => Sqlite;
  const db = new Database(path);
  db.exec('PRAGMA journal_mode=WAL');
  db.exec('PRAGMA synchronous=FULL');
  return db;
}

function print(start: number): void {
  console.log(performance.now() - start);
}

const key = (i: number): number => ((i * 7919) % KEYS) + 1;

function sqlite(): void {
  const db = openSqlite(url);
  if (work === 'select') {
    const statement = db.prepare('select * from t where id = ?');
    for (let i = 0; i < count / 5; i++) statement.get([key(i)]);
    const start = performance.now();
    for (let i = 0; i < count; i++) statement.get([key(i)]);
    print(start);
  } else if (work === 'insert') {
    const statement = db.prepare('insert into w (a, b) values (?, ?)');
    for (let i = 0; i < 20; i++) statement.run([i, 'text']);
    const start = performance.now();
    for (let i = 0; i < count; i++) statement.run([i, 'text']);
    print(start);
  } else {
    const start = performance.now();
    let sum = 0;
    for (const { n } of db.prepare('select * from t').iterate()) sum += n;
    if (sum < 0) throw new Error('wrong sum');
    print(start);
  }
}

/** What pg calls on the connection that it hands to `submit`. */
interface PgConnection {
  parse(query: { name: string; text: string; types: readonly number[] }): void;
  bind(config: { statement: string; values: readonly string[] }): void;
  execute(config: { rows: number }): void;
  sync(): void;
}

/** A batch of selects in one pipeline, which ends with one Sync. */
class Pipeline {
  rows = 0;
  constructor(
    private readonly first: number,
    private readonly prepares: boolean,
    private readonly done: (error: Error | null) => void,
  ) {}

  submit(connection: PgConnection): void {
    if (this.prepares) connection.parse({ name: 'by_key', text: 'select * from t where id = $1', types: [20] });
    for (let i = 0; i < BATCH; i++) {
      connection.bind({ statement: 'by_key', values: [String(key(this.first + i))] });
      connection.execute({ rows: 0 });
    }
    connection.sync();
  }

  handleDataRow({ fields }: { fields: readonly string[] }): void {
    const [id, name, n, x] = fields;
    const row = { id: Number(id), name, n: Number(n), x: Number(x) };
    if (row.id > 0) this.rows++;
  }

  handleReadyForQuery(): void {
    this.done(this.rows === BATCH ? null : new Error(`got ${this.rows} rows`));
  }

  handleError(error: Error): void {
    this.done(error);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

async function postgres(): Promise<void> {
  const client = new pg.Client({ connectionString: url, ssl: false });
  await client.connect();
  const batch = (first: number, prepares: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      client.query(
        new Pipeline(first, prepares, (error) =>
          error === null ? resolve() : reject(error),
        ) as unknown as pg.Submittable,
      );
    });
  await batch(0, true);
  for (let i = 0; i < count / 5; i += BATCH) await batch(i, false);
  const start = performance.now();
  for (let i = 0; i < count; i += BATCH) await batch(i, false);
  print(start);
  await client.end();
}

if (url.startsWith('postgres:')) await postgres();
else sqlite();
