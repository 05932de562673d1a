// The same route on Fastify: `route.js URL PORT`. Fastify is installed by `npm install --prefix bench/web`.
import { createRequire } from 'node:module';
import pg from 'pg';

const fastify = createRequire(new URL('../web/package.json', import.meta.url))('fastify');
const [url, port] = process.argv.slice(2);
const app = fastify();

if (url.startsWith('postgres:')) {
  const pool = new pg.Pool({ connectionString: url, ssl: false, max: 10 });
  app.get('/rows/:id', async ({ params }) => {
    const { rows } = await pool.query({
      name: 'by_key',
      text: 'select * from t where id = $1',
      values: [Number(params.id)],
    });
    return rows[0];
  });
} else {
  const Database = createRequire(import.meta.url)('libsql');
  const statement = new Database(url).prepare('select * from t where id = ?');
  app.get('/rows/:id', ({ params }, reply) => void reply.send(statement.get([Number(params.id)])));
}

await app.listen({ port: Number(port), host: '127.0.0.1' });
