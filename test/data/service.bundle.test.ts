/** A service with a database: clients that leave, other threads beside long statements, metrics. */
import { join } from 'node:path';
import t from 'tap';
import { happens, until } from '../patience.js';
import { Connection } from '../web/support/connection.js';
import { get, serve } from '../web/support/serve.js';
import { findPostgres, PostgresServer } from './postgresserver.js';

type Test = typeof t;

/** A statement that runs until it is cancelled. */
const ENDLESS = {
  sqlite: 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r',
  postgres: 'SELECT pg_sleep(100000)',
};

/** Writes `ended` when a statement of /endless is over, however that happened. */
const program = (url: string, endless: string): string => `
db = database(${JSON.stringify(url)}, pool: 2)
app = web_app()
app.metrics("/metrics")
app.get("/endless") do |req|
  begin
    puts "begun"
    db.transaction { db.value(${JSON.stringify(endless)}) }
  ensure
    puts "ended"
  end
end
app.get("/quick/:n") { |req| "#{db.value("SELECT 40 + 2")}" }
app.run(0)
`;

async function serviceCases(t: Test, url: string, endless: string): Promise<void> {
  const { server, port } = await serve(t, program(url, endless));
  t.equal((await get(port, '/quick/0')).body, '42');

  // More clients than the pool has connections: each that leaves gives its connection back.
  for (let round = 1; round <= 6; round++) {
    const connection = await Connection.open(port);
    connection.send('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('a statement to begin', () => (server.stdout.match(/^begun$/gm)?.length ?? 0) === round);
    t.equal((await get(port, `/quick/${round}`)).body, '42', 'others are answered beside it');
    connection.socket.destroy();
    await until('the statement to end', () => (server.stdout.match(/^ended$/gm)?.length ?? 0) === round);
  }
  const { body: metrics } = await get(port, '/metrics');
  t.match(metrics, /^svc_database_connections\{database=/m);
  t.match(metrics, /^svc_database_seconds_count\{.*statement="SELECT 40 \+ 2"\} 7$/m);
  t.notMatch(metrics, 'p@ss');
}

t.test('SQLite', (t) => serviceCases(t as Test, join(t.testdir({}), 'app.db'), ENDLESS.sqlite));

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  const name = await server.createDatabase();
  await serviceCases(t as Test, server.url(name), ENDLESS.postgres);
  const left = async (): Promise<boolean> => {
    const rows = await server.query(
      name,
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(100%' AND pid <> pg_backend_pid() AND state = 'active'",
    );
    return rows.length === 0;
  };
  t.ok(await happens(left), 'no statement runs on the server');
});
