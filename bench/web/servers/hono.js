import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { getSignedCookie, setSignedCookie } from 'hono/cookie';
import { relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ASSETS, LAYERS, OTHER_ROUTES, SECRET, SLEEP_MS, bearerSubject, profile, rows } from './work.js';

const [scenario, port] = process.argv.slice(2);
const app = new Hono();

const scenarios = {
  text: () => app.get('/', (c) => c.text('Hello, World!')),
  params() {
    for (const route of OTHER_ROUTES) app.get(route, (c) => c.text('other'));
    app.get('/users/:user/posts/:post', (c) => c.json({ user: c.req.param('user'), post: c.req.param('post') }));
  },
  json: () => app.get('/', (c) => c.json(profile())),
  post: () => app.post('/', async (c) => {
    const order = await c.req.json();
    return c.json({ id: order.id, count: order.items.length, total: order.items.reduce((sum, item) => sum + item.price * item.count, 0) });
  }),
  rows: () => app.get('/', (c) => c.json(rows())),
  echo: () => app.post('/', async (c) => c.json(await c.req.json())),
  layers() {
    for (let i = 0; i < LAYERS; i++) app.use(async (c, next) => {
      c.set('passed', (c.get('passed') ?? 0) + 1);
      await next();
    });
    app.use(async (c, next) => {
      c.set('started', true);
      await next();
      c.header('X-After', 'yes');
    });
    app.get('/', (c) => c.text(`${c.get('passed')} layers`));
  },
  sleep: () => app.get('/', async (c) => {
    await setTimeout(SLEEP_MS);
    return c.text('awake');
  }),
  static: () => app.use('/*', serveStatic({ root: relative(process.cwd(), ASSETS) })),
  session: () => app.get('/', async (c) => {
    const signed = await getSignedCookie(c, SECRET, 'session');
    const session = signed ? JSON.parse(signed) : { count: 0 };
    session.count++;
    await setSignedCookie(c, 'session', JSON.stringify(session), SECRET, { path: '/', httpOnly: true, sameSite: 'Lax' });
    return c.text(String(session.count));
  }),
  bearer: () => app.get('/', (c) => {
    const subject = bearerSubject(c.req.header('Authorization'));
    return subject === null ? c.text('Unauthorized', 401) : c.text(subject);
  }),
};

scenarios[scenario]();
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
