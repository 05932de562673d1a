/**
 * The same load for servers without preemption: /loop burns two seconds, because an endless loop would stop the whole
 * server.
 */
import { createRequire } from 'node:module';
import { createServer } from 'node:http';

const [kind, port] = process.argv.slice(2);
const require = createRequire(new URL('../web/package.json', import.meta.url));

function burn() {
  const end = performance.now() + 2000;
  let n = 0;
  while (performance.now() < end) n++;
  return String(n);
}

const answer = (url) => (url.startsWith('/loop') ? burn() : 'ok');
if (kind === 'bare') createServer((req, res) => res.end(answer(req.url))).listen(Number(port), '127.0.0.1');
else if (kind === 'express')
  require('express')()
    .use((req, res) => void res.send(answer(req.url)))
    .listen(Number(port), '127.0.0.1');
else
  require('fastify')()
    .get('/*', (req) => answer(req.url))
    .listen({ port: Number(port), host: '127.0.0.1' });
