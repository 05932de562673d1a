import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Connection } from '../support/connection.js';
import { type Exchange, parseExchanges } from '../support/exchange.js';
import { play } from '../support/play.js';
import { serveExample } from '../support/serve.js';

async function exchangesOf(example: string): Promise<Exchange[]> {
  return parseExchanges(await readFile(join(import.meta.dirname, `${example}.http`), 'utf8'));
}

const LOG = `200 GET /notes
201 POST /notes
201 POST /notes
200 GET /notes
200 GET /notes
200 GET /notes
200 GET /notes
200 GET /notes/1
200 HEAD /notes/1
404 GET /notes/9
404 GET /notes/one
422 POST /notes
422 POST /notes
422 POST /notes
422 POST /notes
422 POST /notes
204 DELETE /notes/1
404 DELETE /notes/1
201 POST /notes
`;

t.test('notes.svc: all routes', async (t) => {
  const { server, port } = await serveExample(t, 'notes.svc');
  for (const { actual, expected } of await play(port, await exchangesOf('notes'))) t.equal(actual, expected);
  const { stdout, stderr, exitCode } = await server.stop();
  t.equal(stdout.split('\n').slice(2).join('\n'), LOG, 'one line of log for each request that a route matched');
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

const CLIENTS = 50;

interface Note {
  id: number;
  title: string;
  text: string;
}

async function request(
  connection: Connection,
  method: string,
  path: string,
  body = '',
): Promise<{ status: number; value: unknown }> {
  connection.send(
    `${method} ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const response = await connection.response(method);
  const text = response.body.toString();
  return { status: response.status, value: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Creates, reads, finds and deletes a note, then creates a second one. */
async function client(port: number, name: string): Promise<string> {
  const connection = await Connection.open(port);
  const created = await request(connection, 'POST', '/notes', JSON.stringify({ title: name, text: 'temporary' }));
  const note = created.value as Note;
  const read = await request(connection, 'GET', `/notes/${note.id}`);
  const found = await request(connection, 'GET', `/notes?q=${name}`);
  const deleted = await request(connection, 'DELETE', `/notes/${note.id}`);
  const gone = await request(connection, 'GET', `/notes/${note.id}`);
  const kept = await request(connection, 'POST', '/notes', JSON.stringify({ title: name }));
  connection.socket.destroy();
  const statuses = [created, read, found, deleted, gone, kept].map(({ status }) => status).join(' ');
  return `${statuses} ${JSON.stringify(read.value)} ${JSON.stringify(found.value)}`.replaceAll(`"id":${note.id},`, '');
}

t.test(`notes.svc: ${CLIENTS} clients at once`, async (t) => {
  const { server, port } = await serveExample(t, 'notes.svc');
  // Names of equal length, so that none is part of another.
  const names = Array.from({ length: CLIENTS }, (_, i) => `note${100 + i}`);
  const results = await Promise.all(names.map((name) => client(port, name)));
  t.strictSame(
    results,
    names.map((name) => {
      const note = `{"title":"${name}","text":"temporary"}`;
      return `201 200 200 204 404 201 ${note} {"count":1,"notes":[${note}]}`;
    }),
  );
  const last = await Connection.open(port);
  const { value } = await request(last, 'GET', '/notes');
  last.socket.destroy();
  const { count, notes } = value as { count: number; notes: Note[] };
  t.equal(count, CLIENTS);
  t.strictSame(notes.map(({ title }) => title).sort(), names, 'no note is lost');
  t.equal(new Set(notes.map(({ id }) => id)).size, CLIENTS, 'identifiers are unique');
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('hello.svc serves', async (t) => {
  const { server, port } = await serveExample(t, 'hello.svc');
  for (const { actual, expected } of await play(port, await exchangesOf('hello'))) t.equal(actual, expected);
  const { stdout, stderr, exitCode } = await server.stop('SIGINT');
  t.match(stdout, /^Svc web server running on http:\/\/0\.0\.0\.0:\d+\n[^\n]+\n$/, 'where it runs, and how to stop it');
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});
