import cookie from '@fastify/cookie';
import files from '@fastify/static';
import fastify from 'fastify';
import { setTimeout } from 'node:timers/promises';
import { ASSETS, LAYERS, OTHER_ROUTES, SECRET, SLEEP_MS, bearerSubject, profile, rows } from './work.js';

const [scenario, port] = process.argv.slice(2);
const app = fastify();

const scenarios = {
  text: () => app.get('/', (req, reply) => void reply.type('text/plain').send('Hello, World!')),
  params() {
    for (const route of OTHER_ROUTES) app.get(route, () => 'other');
    app.get('/users/:user/posts/:post', (req) => ({ user: req.params.user, post: req.params.post }));
  },
  json: () => app.get('/', () => profile()),
  post: () => app.post('/', ({ body }) => ({ id: body.id, count: body.items.length, total: body.items.reduce((sum, item) => sum + item.price * item.count, 0) })),
  rows: () => app.get('/', () => rows()),
  echo: () => app.post('/', ({ body }) => body),
  layers() {
    app.decorateRequest('passed', 0);
    app.decorateRequest('started', false);
    for (let i = 0; i < LAYERS; i++) app.addHook('onRequest', (req, reply, done) => {
      req.passed++;
      done();
    });
    app.addHook('preHandler', (req, reply, done) => {
      req.started = true;
      done();
    });
    app.addHook('onSend', (req, reply, payload, done) => {
      reply.header('X-After', 'yes');
      done();
    });
    app.get('/', (req) => `${req.passed} layers`);
  },
  sleep: () => app.get('/', async (req, reply) => {
    await setTimeout(SLEEP_MS);
    return reply.type('text/plain').send('awake');
  }),
  static: () => app.register(files, { root: ASSETS }),
  session() {
    app.register(cookie, { secret: SECRET });
    app.get('/', (req, reply) => {
      const signed = req.cookies.session === undefined ? null : req.unsignCookie(req.cookies.session);
      const session = signed?.valid ? JSON.parse(signed.value) : { count: 0 };
      session.count++;
      reply.setCookie('session', JSON.stringify(session), { signed: true, path: '/', httpOnly: true, sameSite: 'lax' });
      return String(session.count);
    });
  },
  bearer: () => app.get('/', (req, reply) => bearerSubject(req.headers.authorization) ?? reply.code(401).send('Unauthorized')),
};

scenarios[scenario]();
await app.listen({ port: Number(port), host: '127.0.0.1' });
