import t from 'tap';
import { Connection } from './connection.js';
import { parseExchanges } from './exchange.js';
import { play } from './play.js';
import { serveExample } from './serve.js';

const ROUTES = `# No notes yet.
GET /notes

=> 200
content-type: application/json; charset=utf-8

{"count":0,"notes":[]}
---
POST /notes
Content-Type: application/json

{"title": " Milk ", "text": "Two bottles"}

=> 201
location: /notes/1
content-type: application/json; charset=utf-8

{"id":1,"title":"Milk","text":"Two bottles"}
---
# The text may be left out.
POST /notes

{"title": "Brötchen"}

=> 201
location: /notes/2

{"id":2,"title":"Brötchen","text":""}
---
GET /notes

=> 200

{"count":2,"notes":[{"id":1,"title":"Milk","text":"Two bottles"},{"id":2,"title":"Brötchen","text":""}]}
---
# A search reads titles and texts, in any letter case.
GET /notes?q=BOTTLE

=> 200

{"count":1,"notes":[{"id":1,"title":"Milk","text":"Two bottles"}]}
---
GET /notes?q=br%C3%B6tchen

=> 200

{"count":1,"notes":[{"id":2,"title":"Brötchen","text":""}]}
---
GET /notes?q=nothing

=> 200

{"count":0,"notes":[]}
---
GET /notes/1

=> 200

{"id":1,"title":"Milk","text":"Two bottles"}
---
HEAD /notes/1

=> 200
content-length: 44
---
GET /notes/9

=> 404
content-type: text/plain; charset=utf-8

no note 9
---
GET /notes/one

=> 404

no note one
---
POST /notes

no JSON

=> 422
content-type: application/json; charset=utf-8

{"error":"the body must be a JSON object"}
---
POST /notes

[1]

=> 422

{"error":"the body must be a JSON object"}
---
POST /notes

{"text": "x"}

=> 422

{"error":"title must be a string"}
---
POST /notes

{"title": "  "}

=> 422

{"error":"title must not be empty"}
---
POST /notes

{"title": "x", "text": 5}

=> 422

{"error":"text must be a string"}
---
DELETE /notes/1

=> 204

<empty>
---
DELETE /notes/1

=> 404

no note 1
---
# Identifiers are not used again.
POST /notes

{"title": "x"}

=> 201
location: /notes/3
---
PATCH /notes/2

=> 404

{"error":"nothing at PATCH /notes/2"}
---
GET /elsewhere

=> 404
content-type: application/json; charset=utf-8

{"error":"nothing at GET /elsewhere"}
---
OPTIONS /notes

=> 204
allow: ~GET.*POST
`;

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
  for (const { actual, expected } of await play(port, parseExchanges(ROUTES))) t.equal(actual, expected);
  const { stdout, stderr, exitCode } = await server.stop();
  t.equal(stdout.split('\n').slice(2).join('\n'), LOG, 'one line of log for each request that a route matched');
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

const CLIENTS = 50;

interface Note { id: number; title: string; text: string }

async function request(connection: Connection, method: string, path: string, body = ''): Promise<{ status: number; value: unknown }> {
  connection.send(`${method} ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const response = await connection.response(method);
  const text = response.body.toString();
  return { status: response.status, value: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Creates, reads, finds and deletes a note of its own; leaves a second one behind. */
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
  // Equally long names, none of which is part of another.
  const names = Array.from({ length: CLIENTS }, (_, i) => `note${100 + i}`);
  const results = await Promise.all(names.map((name) => client(port, name)));
  t.strictSame(results, names.map((name) => {
    const note = `{"title":"${name}","text":"temporary"}`;
    return `201 200 200 204 404 201 ${note} {"count":1,"notes":[${note}]}`;
  }));
  const last = await Connection.open(port);
  const { value } = await request(last, 'GET', '/notes');
  last.socket.destroy();
  const { count, notes } = value as { count: number; notes: Note[] };
  t.equal(count, CLIENTS);
  t.strictSame(notes.map(({ title }) => title).sort(), names, 'nobody lost a note');
  t.equal(new Set(notes.map(({ id }) => id)).size, CLIENTS, 'nobody shares an identifier');
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('hello.svc serves', async (t) => {
  const { server, port } = await serveExample(t, 'hello.svc');
  const exchanges = parseExchanges(`GET /

=> 200
content-type: text/plain; charset=utf-8

Hello, world!
---
GET /hello/J%C3%BCrgen

=> 200

Hello, Jürgen!
---
GET /json?x=y

=> 200
content-type: application/json; charset=utf-8

{"message":"Hello, world!","path":"/json","numbers":[1,2,3]}
---
GET /nowhere

=> 404

404 Not Found
`);
  for (const { actual, expected } of await play(port, exchanges)) t.equal(actual, expected);
  const { stdout, stderr, exitCode } = await server.stop('SIGINT');
  t.match(stdout, /^Svc web server running on http:\/\/0\.0\.0\.0:\d+\n[^\n]+\n$/, 'where it runs, and how to stop it');
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});
