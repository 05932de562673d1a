/** Hand-written node:http: the baseline of all ratios. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ASSETS, LAYERS, OTHER_ROUTES, SLEEP_MS, bearerSubject, profile, rows, seal, unseal } from './work.js';

const [scenario, port] = process.argv.slice(2);

function send(res, status, type, body, headers = {}) {
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers });
  res.end(body);
}
const text = (res, body, status = 200) => send(res, status, 'text/plain; charset=utf-8', body);
const json = (res, value) => send(res, 200, 'application/json; charset=utf-8', JSON.stringify(value));

const statics = new Set(OTHER_ROUTES);
const page = readFileSync(join(ASSETS, 'page.html'));

const handlers = {
  text: (req, res) => text(res, 'Hello, World!'),
  params(req, res) {
    if (statics.has(req.url)) return text(res, 'other');
    const [, area, user, kind, post] = req.url.split('/');
    if (area === 'users' && kind === 'posts') return json(res, { user: decodeURIComponent(user), post: decodeURIComponent(post) });
    return text(res, 'Not Found', 404);
  },
  json: (req, res) => json(res, profile()),
  post(req, res) {
    const parts = [];
    req.on('data', (part) => parts.push(part));
    req.on('end', () => {
      const order = JSON.parse(Buffer.concat(parts).toString());
      json(res, { id: order.id, count: order.items.length, total: order.items.reduce((sum, item) => sum + item.price * item.count, 0) });
    });
  },
  rows: (req, res) => json(res, rows()),
  echo(req, res) {
    const parts = [];
    req.on('data', (part) => parts.push(part));
    req.on('end', () => json(res, JSON.parse(Buffer.concat(parts).toString())));
  },
  layers(req, res) {
    req.passed = 0;
    for (let i = 0; i < LAYERS; i++) req.passed++;
    req.started = true;
    send(res, 200, 'text/plain; charset=utf-8', `${req.passed} layers`, { 'X-After': 'yes' });
  },
  sleep: (req, res) => void setTimeout(() => text(res, 'awake'), SLEEP_MS),
  static: (req, res) => send(res, 200, 'text/html; charset=utf-8', page),
  session(req, res) {
    const cookie = /(?:^|; )session=([^;]*)/.exec(req.headers.cookie ?? '')?.[1];
    const session = (cookie && unseal(cookie)) ?? { count: 0 };
    session.count++;
    send(res, 200, 'text/plain; charset=utf-8', String(session.count), { 'Set-Cookie': `session=${seal(session)}; Path=/; HttpOnly; SameSite=Lax` });
  },
  bearer(req, res) {
    const subject = bearerSubject(req.headers.authorization);
    return subject === null ? text(res, 'Unauthorized', 401) : text(res, subject);
  },
};

createServer(handlers[scenario]).listen(Number(port), '127.0.0.1');
