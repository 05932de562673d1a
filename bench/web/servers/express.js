import cookieSession from 'cookie-session';
import express from 'express';
import { setTimeout } from 'node:timers/promises';
import { ASSETS, LAYERS, OTHER_ROUTES, SECRET, SLEEP_MS, bearerSubject, profile, rows } from './work.js';

const [scenario, port] = process.argv.slice(2);
const app = express();

const scenarios = {
  text: () => app.get('/', (req, res) => void res.type('text').send('Hello, World!')),
  params() {
    for (const route of OTHER_ROUTES) app.get(route, (req, res) => void res.send('other'));
    app.get('/users/:user/posts/:post', (req, res) => void res.json({ user: req.params.user, post: req.params.post }));
  },
  json: () => app.get('/', (req, res) => void res.json(profile())),
  post() {
    app.use(express.json());
    app.post('/', ({ body }, res) => void res.json({ id: body.id, count: body.items.length, total: body.items.reduce((sum, item) => sum + item.price * item.count, 0) }));
  },
  rows: () => app.get('/', (req, res) => void res.json(rows())),
  echo() {
    app.use(express.json());
    app.post('/', ({ body }, res) => void res.json(body));
  },
  layers() {
    for (let i = 0; i < LAYERS; i++) app.use((req, res, next) => {
      req.passed = (req.passed ?? 0) + 1;
      next();
    });
    app.use((req, res, next) => {
      req.started = true;
      res.set('X-After', 'yes');
      next();
    });
    app.get('/', (req, res) => void res.type('text').send(`${req.passed} layers`));
  },
  sleep: () => app.get('/', async (req, res) => {
    await setTimeout(SLEEP_MS);
    res.type('text').send('awake');
  }),
  static: () => app.use(express.static(ASSETS)),
  session() {
    app.use(cookieSession({ name: 'session', keys: [SECRET], sameSite: 'lax' }));
    app.get('/', (req, res) => {
      req.session.count = (req.session.count ?? 0) + 1;
      res.type('text').send(String(req.session.count));
    });
  },
  bearer: () => app.get('/', (req, res) => {
    const subject = bearerSubject(req.headers.authorization);
    res.status(subject === null ? 401 : 200).type('text').send(subject ?? 'Unauthorized');
  }),
};

scenarios[scenario]();
app.listen(Number(port), '127.0.0.1');
