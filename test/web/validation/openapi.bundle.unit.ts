/** The OpenAPI document of declared routes: valid by the official schema, and its schemas accept what the server accepts. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import t, { type Test } from 'tap';
import { type Svcc, svcc } from '../../svcc/svcc.js';
import { Client, header } from '../static/site.js';
import { serve } from '../support/serve.js';

const PROGRAM = `
enum Kind(question, bug)
## Where somebody lives.
record Address(street: String(1..20), zip: String(/^\\d{5}$/, 5..5)?)
record Tree(value: Int, children: Vector<Tree>(..3) = [])
record NewTicket(title: String(1..10), priority: Int(1..5) = 3, tags: Vector<String(..3)>(..2) = [], kind: Kind = "bug", ratio: Float(0...1) = 0.5,
  due: Date?, urgent: Bool = false, address: Address?, tree: Tree?, counts: Hash<String(/^[a-z]+$/), Int(-5..)>(..2)?, either: Int | String(..2) | nil = nil, any = 1, slug: String = title.downcase)
record Ticket(id: Int, title: String, price: Decimal)
record Problem(message: String)

app.openapi("/api.json", title: "Tickets", version: "2.0", description: "All of them.", security: {token: "bearer", key: {type: "apiKey", in: "header", name: "X-Key"}})
app.post("/tickets", body: NewTicket, query: {dry: Bool = false, tags: Vector<String>?, page: Int(1..)}, returns: {201 => Ticket, 404 => Problem, 204 => nil},
  doc: "Adds a ticket.\\n\\nAnd more.", tags: ["tickets"], example: {title: "Bell"}) { |req| req.valid }
app.get("/tickets/:id/*rest", params: {id: Int(1..)}, returns: [Ticket]) { |req| [] }
app.put("/tickets/:id", body: NewTicket, accepts: "form", on_invalid: "handler", returns: String) { |req| "" }
app.get("/plain") { |req| "" }
`;

/** Starts an application with the routes of PROGRAM. */
async function start(test: Test, more = ''): Promise<{ client: Client; server: Svcc; port: number }> {
  const { server, port } = await serve(test, `app = web_app()\n${PROGRAM}\n${more}\napp.run(0)\n`);
  const client = new Client(port);
  test.teardown(() => client.close());
  return { client, server, port };
}

async function stopped(test: Test, { client, server }: { client: Client; server: Svcc }): Promise<void> {
  client.close();
  const { stderr, exitCode } = await server.stop();
  test.same([stderr, exitCode], ['', 0]);
}

interface Document {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
  security: object[];
}

/** Bodies that fit, and bodies that do not. */
// prettier-ignore
const FITTING: object[] = [
  { title: 'a' }, { title: '0123456789' }, { title: '😀'.repeat(10) }, { title: 'a', priority: 1 }, { title: 'a', priority: 5 },
  { title: 'a', tags: [] }, { title: 'a', tags: ['abc', ''] }, { title: 'a', kind: 'question' }, { title: 'a', ratio: 0 },
  { title: 'a', ratio: 0.999 }, { title: 'a', due: null }, { title: 'a', due: '2024-02-28' }, { title: 'a', due: '2024-02-28T10:00:00Z' },
  { title: 'a', urgent: true }, { title: 'a', address: null }, { title: 'a', address: { street: 'x' } },
  { title: 'a', address: { street: 'x', zip: '12345' } }, { title: 'a', tree: { value: 1, children: [{ value: 2 }] } },
  { title: 'a', counts: {} }, { title: 'a', counts: { a: -5, b: 2 } }, { title: 'a', either: 5 }, { title: 'a', either: 'ab' },
  { title: 'a', either: null }, { title: 'a', any: { x: [1] } }, { title: 'a', slug: 'x' }, { title: 'a', other: 1 },
];
// prettier-ignore
const UNFIT: unknown[] = [
  {}, [], null, 5, 'a', { title: null }, { title: 5 }, { title: '' }, { title: '01234567890' }, { title: '😀'.repeat(11) }, { title: 'a', priority: 0 },
  { title: 'a', priority: 6 }, { title: 'a', priority: 1.5 }, { title: 'a', priority: '1' }, { title: 'a', priority: null },
  { title: 'a', tags: ['a', 'b', 'c'] }, { title: 'a', tags: ['abcd'] }, { title: 'a', tags: {} }, { title: 'a', tags: [null] },
  { title: 'a', kind: 'wish' }, { title: 'a', kind: null }, { title: 'a', ratio: 1 }, { title: 'a', ratio: -0.1 }, { title: 'a', ratio: '0' },
  { title: 'a', due: 'x' }, { title: 'a', due: '2024-02-30' }, { title: 'a', due: 5 }, { title: 'a', urgent: 1 }, { title: 'a', address: {} },
  { title: 'a', address: { street: '' } }, { title: 'a', address: { street: 'x', zip: '1234' } }, { title: 'a', address: { street: 'x', zip: '123456' } },
  { title: 'a', address: { street: 'x', zip: '12345\n' } }, { title: 'a', address: [] }, { title: 'a', tree: { children: [] } },
  { title: 'a', tree: { value: 1, children: [{ value: 2, children: [{}] }] } }, { title: 'a', counts: { a: 1, b: 2, c: 3 } },
  { title: 'a', counts: { A: 1 } }, { title: 'a', counts: { a: -6 } }, { title: 'a', either: 'abc' }, { title: 'a', either: 1.5 }, { title: 'a', slug: 5 },
];

t.test('the document', async (t) => {
  const site = await start(t);
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as object as Record<string, object>,
  );
  t.ok(valid, 'is valid by the official schema of OpenAPI 3.1', { errors });
  t.strictSame(document.paths['/tickets'].post, {
    operationId: 'post_tickets',
    summary: 'Adds a ticket.',
    description: 'And more.',
    tags: ['tickets'],
    parameters: [
      { name: 'dry', in: 'query', required: false, schema: { type: 'boolean', default: false } },
      { name: 'tags', in: 'query', required: false, schema: { type: ['array', 'null'], items: { type: 'string' } } },
      { name: 'page', in: 'query', required: true, schema: { type: 'integer', minimum: 1 } },
    ],
    requestBody: {
      required: true,
      content: Object.fromEntries(
        ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
          type,
          { schema: { $ref: '#/components/schemas/NewTicket' }, example: { title: 'Bell' } },
        ]),
      ),
    },
    responses: {
      201: {
        description: 'Created',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
      },
      204: { description: 'No Content' },
      404: {
        description: 'Not Found',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
      ...Object.fromEntries(
        [
          [400, 'Bad Request'],
          [415, 'Unsupported Media Type'],
          [422, 'Unprocessable Entity'],
        ].map(([status, description]) => [
          status,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/ValidationErrors' } } },
          },
        ]),
      ),
    },
  });
  t.strictSame(document.paths['/tickets/{id}/{rest}'].get.parameters, [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
    { name: 'rest', in: 'path', required: true, schema: { type: 'string' } },
  ]);
  const put = document.paths['/tickets/{id}'].put as { requestBody: { content: object }; responses: object };
  t.strictSame(Object.keys(put.requestBody.content), ['application/x-www-form-urlencoded', 'multipart/form-data']);
  t.strictSame(Object.keys(put.responses), ['200', '400', '415']);
  t.strictSame(document.components.schemas.Address, {
    type: 'object',
    description: 'Where somebody lives.',
    required: ['street'],
    properties: {
      street: { type: 'string', minLength: 1, maxLength: 20 },
      zip: { type: ['string', 'null'], minLength: 5, maxLength: 5, pattern: '^\\d{5}$' },
    },
  });
  t.strictSame(document.components.securitySchemes, {
    token: { type: 'http', scheme: 'bearer' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  });
  t.strictSame(document.security, [{ token: [] }, { key: [] }]);
  await stopped(t, site);
});

t.test('the schemas accept what the server accepts', async (t) => {
  const site = await start(t);
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const accepts = ajv.compile({ $ref: '#/components/schemas/NewTicket', components: document.components });
  const post = async (body: unknown): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${site.port}/tickets?page=1`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  };
  for (const body of FITTING) {
    t.ok(accepts(body), `schema: ${JSON.stringify(body)}`, { errors: accepts.errors });
    t.equal(await post(body), 200, `server: ${JSON.stringify(body)}`);
  }
  for (const body of UNFIT) {
    t.notOk(accepts(body), `schema: ${JSON.stringify(body)}`);
    t.equal(await post(body), 422, `server: ${JSON.stringify(body)}`);
  }
  await stopped(t, site);
});

/** Regexes of constraints, and their patterns in the document; null if there is none. */
const PATTERNS: [regex: string, pattern: string | null][] = [
  ['/^\\d{5}$/', '^\\d{5}$'],
  ['/^[a-z]+(-[a-z]+)*$/', '^[a-z]+(-[a-z]+)*$'],
  ['/ab|cd/', 'ab|cd'],
  ['/\\A\\h+\\z/', '^[0-9a-fA-F]+$'],
  ['/^[[:alpha:]]+$/', '^[\\p{Alphabetic}]+$'],
  ['/^a.c$/', '^a[^\\n]c$'],
  ['/^a.c$/m', '(?:^a[^]c$)'],
  ['/^a.b c # no comment/x', '^a[^\\n]bc'],
  ['/^a.b c$ # no comment/mx', '(?:^a[^]bc$)'],
  ['/^ab\\Z/', '^ab(?=\\n?$)'],
  ['/^a\\R$/', '^a(?:\\r\\n|\\r(?!\\n)|[\\n\\v\\f\\x85\\u2028\\u2029])$'],
  ['/^a(?i)b|c$/', '^a(?:[bB]|[cC]$)'],
  ['/^(?i:ab)$/', null],
  ['/^ab$/i', null],
  ['/^\\p{Alpha}{2,3}$/', '^\\p{Alphabetic}{2,3}$'],
  ['/^a{,2}$/', '^a{0,2}$'],
  ['/^.{2}$/', '^[^\\n]{2}$'],
  ['/^{a}]\\-\\_\\"$/', '^\\{a\\}\\]-_"$'],
  ['/^(?<x>a|b)\\k<x>$/', '^(?<x>a|b)\\k<x>$'],
  ['/^a[^\\/#]$/', '^a[^\\/#]$'],
];
// prettier-ignore
const TEXTS = [
  '', 'a', 'b', 'ab', 'AB', 'aB', 'c', 'C', 'cd', 'xcd', 'abc', 'a-b', 'abc-de', 'aa', 'bb', 'aaa', 'ä', 'äß', 'é1', '12345', '123456', '1F', '1g',
  'a😀', '😀', '😀😀', 'a\u0301', 'aäc', 'a😀c', 'a c', 'a b c', 'abbc', 'a-bc', '{a}]-_"', 'a\\', '"', 'Ⅷa',
  ...['\n', '\r\n', '\u2028', '\x85', '\r', '\v'].flatMap((end) => [end, `a${end}`, `ab${end}`, `a${end}c`, `x${end}ab`, `12345${end}`, `a${end}bc`, `ab${end}${end}`]),
];

t.test('paths that differ in the names of parameters alone are one path', async (t) => {
  const site = await start(
    t,
    `app.get("/a/:id/b-:key.json", params: {id: Int}) { |req| "" }
app.put("/a/:number/b-:id.json", params: {number: Int(1..), id: String(..3)}) { |req| "" }
app.delete("/a/*rest") { |req| "" }
app.delete("/a/:name") { |req| "" }
app.delete("/b/:name") { |req| "" }
app.delete("/b/*rest") { |req| "" }
app.get("/b/*rest") { |req| "" }`,
  );
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as object as Record<string, object>,
  );
  t.ok(valid, 'is valid', { errors });
  const parameter = (name: string, schema: object): object => ({ name, in: 'path', required: true, schema });
  const paths = Object.entries(document.paths).filter(([path]) => /^\/[ab]\//.test(path));
  t.strictSame(
    paths.flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [method, path, operation.operationId, operation.parameters]),
    ),
    [
      [
        'get',
        '/a/{id}/b-{key}.json',
        'get_a_id_b_key_json',
        [parameter('id', { type: 'integer' }), parameter('key', { type: 'string' })],
      ],
      [
        'put',
        '/a/{id}/b-{key}.json',
        'put_a_number_b_id_json',
        [parameter('id', { type: 'integer', minimum: 1 }), parameter('key', { type: 'string', maxLength: 3 })],
      ],
      ['delete', '/a/{rest}', 'delete_a_name', [parameter('rest', { type: 'string' })]],
      ['delete', '/b/{name}', 'delete_b_name', [parameter('name', { type: 'string' })]],
      ['get', '/b/{name}', 'get_b_rest', [parameter('name', { type: 'string' })]],
    ],
  );
  await stopped(t, site);
});

t.test('objects in queries are sent by names in brackets', async (t) => {
  const site = await start(
    t,
    `record Filter(a: Int, b: String?)
app.get("/found", query: {f: Filter, g: Filter?, h: Hash<String, Int> = {}, v: Vector<Int>?, either: Int | Filter | nil, any: Any = 1, kind: Kind?}) { |req| [req.query_valid.f, req.query_valid.h, req.query_valid.v] }`,
  );
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as object as Record<string, object>,
  );
  t.ok(valid, 'is valid', { errors });
  const parameters = document.paths['/found'].get.parameters as { name: string; style?: string; explode?: boolean }[];
  t.strictSame(
    parameters.filter(({ style, explode }) => style === 'deepObject' && explode === true).map(({ name }) => name),
    ['f', 'g', 'h'],
  );
  t.strictSame(
    parameters.filter(({ style, explode }) => style === undefined && explode === undefined).map(({ name }) => name),
    ['v', 'either', 'any', 'kind'],
  );
  t.equal(
    (await site.client.get('/found?f[a]=1&f[b]=x&h[n]=2&v=1&v=2')).body.toString(),
    '[{"a":1,"b":"x"},{"n":2},[1,2]]',
  );
  await stopped(t, site);
});

t.test('Booleans that a form does not send are not required in forms', async (t) => {
  const site = await start(
    t,
    `record Consent(given: Bool, at: String)
record Leaf(name: String)
record Order(title: String, urgent: Bool, later: Bool?, consents: Vector<Consent> = [], leaf: Leaf)
app.post("/orders", body: Order) { |req| [req.valid.urgent, req.valid.consents.map { |consent| consent.given }] }
app.post("/leaves", body: Leaf) { |req| "" }`,
  );
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as object as Record<string, object>,
  );
  t.ok(valid, 'is valid', { errors });
  const refs = (path: string): unknown =>
    Object.entries((document.paths[path].post.requestBody as { content: Record<string, object> }).content).map(
      ([type, { schema }]: [string, { schema?: { $ref?: string } }]) => [type.split('/')[1], schema?.$ref?.slice(21)],
    );
  t.strictSame(refs('/orders'), [
    ['json', 'Order'],
    ['x-www-form-urlencoded', 'OrderForm'],
    ['form-data', 'OrderForm'],
  ]);
  t.strictSame(refs('/leaves'), [
    ['json', 'Leaf'],
    ['x-www-form-urlencoded', 'Leaf'],
    ['form-data', 'Leaf'],
  ]);
  t.match(document.components.schemas, {
    Order: {
      properties: { urgent: { type: 'boolean' }, consents: { items: { $ref: '#/components/schemas/Consent' } } },
      required: ['title', 'urgent', 'leaf'],
    },
    OrderForm: {
      properties: {
        urgent: { type: 'boolean', default: false },
        consents: { items: { $ref: '#/components/schemas/ConsentForm' } },
        leaf: { $ref: '#/components/schemas/Leaf' },
      },
      required: ['title', 'leaf'],
    },
    Consent: { required: ['given', 'at'] },
    ConsentForm: { required: ['at'] },
  });
  const answer = await fetch(`http://127.0.0.1:${site.port}/orders`, {
    method: 'POST',
    body: new URLSearchParams({ title: 'a', 'consents[0][at]': 'x', 'leaf[name]': 'b' }),
  });
  t.equal(await answer.text(), '[false,[false]]');
  await stopped(t, site);
});

t.test('names of components differ also when case is ignored', async (t) => {
  const site = await start(
    t,
    `record validationErrors(own: Int)
record ticket(own: Int)
types = {a: Integer}
app.post("/one", body: {b: Int}, returns: ticket) { |req| "" }
app.post("/two", body: types, returns: validationErrors) { |req| "" }
app.post("/three", body: types) { |req| "" }`,
  );
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as object as Record<string, object>,
  );
  t.ok(valid, 'is valid', { errors });
  const names = Object.keys(document.components.schemas).filter((name) => /^(ticket|body|validation)/i.test(name));
  t.strictSame(names, ['Ticket', 'ticket_2', 'body', 'validationErrors_2', 'Body_2', 'Body_3', 'ValidationErrors']);
  t.match(document.paths['/two'].post.responses, {
    200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/validationErrors_2' } } } },
    422: { content: { 'application/json': { schema: { $ref: '#/components/schemas/ValidationErrors' } } } },
  });
  await stopped(t, site);
});

t.test('patterns accept what regexes accept', async (t) => {
  const fields = PATTERNS.map(([regex], i) => `f${i}: String(${regex})?`).join(', ');
  const site = await start(
    t,
    `record Texts(${fields})\napp.post("/texts", body: Texts, on_invalid: "handler") { |req| req.errors.map { |e| e.at } }`,
  );
  const document = JSON.parse((await site.client.get('/api.json')).body.toString()) as Document;
  const { properties } = document.components.schemas.Texts as { properties: Record<string, { pattern?: string }> };
  const ajv = new Ajv2020();
  const patterns = PATTERNS.map((_, i) => properties[`f${i}`].pattern ?? null);
  t.strictSame(
    patterns,
    PATTERNS.map(([, pattern]) => pattern),
  );
  const accept = patterns.map((pattern) => (pattern === null ? null : ajv.compile({ type: 'string', pattern })));
  const differing: [regex: string, text: string][] = [];
  for (const text of TEXTS) {
    const response = await fetch(`http://127.0.0.1:${site.port}/texts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(PATTERNS.map((_, i) => [`f${i}`, text]))),
    });
    const refused = (await response.json()) as string[];
    for (const [i, accepts] of accept.entries())
      if (accepts?.(text) === refused.includes(`/f${i}`)) differing.push([PATTERNS[i][0], text]);
  }
  t.same(differing, [], 'patterns and regexes agree');
  await stopped(t, site);
});

t.test('app.api_docs', async (t) => {
  const site = await start(
    t,
    'app.api_docs(openapi: "/api.json")\napp.api_docs("/deep/er/", openapi: "/missing.json")',
  );
  const page = await site.client.get('/docs');
  t.equal(header(page, 'content-type'), 'text/html; charset=utf-8');
  t.match(header(page, 'content-security-policy'), /^default-src 'none'; script-src 'self'; style-src 'self';/);
  const links = [...page.body.toString().matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link);
  t.strictSame(links, ['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js', 'docs/start.js']);
  for (const [link, type] of [
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ]) {
    const file = await site.client.get(`/docs/${link}`);
    t.strictSame([file.status, header(file, 'content-type')], [200, type], link);
    t.ok(file.body.length > 100_000, link);
    const again = await site.client.get(`/docs/${link}`, { 'If-None-Match': header(file, 'etag') as string });
    t.equal(again.status, 304, link);
  }
  const started = async (path: string): Promise<{ url: string; validatorUrl: null }> => {
    const script = (await site.client.get(path)).body.toString();
    const [, options] = /^SwaggerUIBundle\((.*)\);\n$/.exec(script) as RegExpExecArray;
    return JSON.parse(options) as { url: string; validatorUrl: null };
  };
  t.match(await started('/docs/start.js'), { url: 'api.json', validatorUrl: null });
  // A page without a document of the application has one of its own.
  t.match(await started('/deep/er/start.js'), { url: '../deep/er/openapi-of-page.json' });
  t.match(JSON.parse((await site.client.get('/deep/er/openapi-of-page.json')).body.toString()), {
    info: { title: 'API' },
    paths: { '/plain': {} },
  });
  await stopped(t, site);
});

const MOUNTED = `sub = web_app()
sub.get("/notes/:id") { |req| "" }
sub.openapi
sub.api_docs(openapi: "/openapi.json")
sub.api_docs("/own", openapi: "/missing.json")
root = web_app()
root.get("/x") { |req| "" }
root.openapi("/")
deep = web_app()
deep.get("/y") { |req| "" }
deep.openapi("/api/:version/*name")
root.mount("/deep", deep)
app.mount("/sub", sub)
app.mount("/tenants/:tenant/t-:number", sub)
app.mount("//two", sub)
app.group("/g") { |g| g.mount("/root", root) }
alone = web_app()
alone.get("/notes/:id") { |req| "" }
alone.openapi
puts alone.client.get("/openapi.json").body
puts sub.client.get("/openapi.json").body`;

t.test('the document of a mounted application names its prefix as the server', async (t) => {
  const site = await start(t, MOUNTED);
  const text = async (path: string): Promise<string> => (await site.client.get(path)).body.toString();
  const document = async (path: string): Promise<unknown> => {
    const parsed = JSON.parse(await text(path)) as Record<string, Record<string, unknown>>;
    const { valid, errors } = await new Validator().validate(structuredClone(parsed));
    t.ok(valid, `${path} is valid`, { errors });
    return [parsed.servers, Object.keys(parsed.paths)];
  };
  const at = (url: string, ...paths: string[]): unknown => [[{ url }], paths];
  for (const prefix of ['/sub', '/tenants/a/t-1', '/tenants/a%2Fb%20c/t-2', '/sub']) {
    t.strictSame(await document(`${prefix}/openapi.json`), at(prefix, '/notes/{id}'), prefix);
    t.strictSame(await document(`${prefix}/own/openapi-of-page.json`), at(prefix, '/notes/{id}'), prefix);
  }
  t.strictSame(await document('/tenants/{a}|/t-1/openapi.json'), at('/tenants/%7Ba%7D%7C/t-1', '/notes/{id}'));
  t.strictSame(await document('//two/openapi.json'), at('/.//two', '/notes/{id}'), 'not a host');
  t.strictSame(await document('/g/root'), at('/g/root', '/x', '/deep/y'), 'of the route /');
  t.strictSame(await document('/g/root/deep/api/1/a/b/c'), at('/g/root/deep', '/y'), 'of a route with parameters');
  t.match(await document('/api.json'), [undefined, ['/tickets', '/tickets/{id}/{rest}']]);
  t.match(await text('/sub/docs/start.js'), '"url":"openapi.json"');
  t.match(await text('/tenants/a/t-1/own/start.js'), '"url":"own/openapi-of-page.json"');
  site.client.close();
  const { stdout, stderr, exitCode } = await site.server.stop();
  t.same([stderr, exitCode], ['', 0]);
  const [alone, sub] = stdout.split('\n').filter((line) => line.startsWith('{"openapi"'));
  t.equal(
    alone,
    '{"openapi":"3.1.0","info":{"title":"Svc application","version":"1.0.0"},"paths":{"/notes/{id}":{"get":{"operationId":"get_notes_id",' +
      '"responses":{"default":{"description":"The response"}},"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]}}}}',
  );
  t.equal(sub, alone, 'without the prefix, the document is the same');
});

t.test('the document and the metrics of many routes are written in pieces', async (t) => {
  const program = `app = web_app()
3000.times { |i| app.post("/notes#{i}/:id", body: {title: String}, returns: {200 => {id: Integer}}) { |req| "" } }
app.openapi
app.metrics
browser = app.client
3000.times { |i| browser.post("/notes#{i}/1", json: {title: "a"}) }
["/openapi.json", "/metrics"].each do |path|
  longest = shared(0.0)
  over = shared(false)
  watch = spawn do
    until over.get
      pause = benchmark { sleep(0) }
      longest.update { |ms| max(ms, pause) }
    end
  end
  status = 0
  all = benchmark { status = browser.get(path).status }
  over.set(true)
  await(watch)
  puts "#{status} #{(longest.get / all).round(2)}"
end
document = browser.get("/openapi.json").json
puts document.paths.length, document.components.schemas.keys.last(2)
`;
  const { stdout, stderr } = await svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': program }) });
  t.equal(stderr, '');
  const [openapi, metrics, ...rest] = stdout.split('\n');
  for (const line of [openapi, metrics]) {
    const [status, share] = line.split(' ');
    t.equal(status, '200');
    t.ok(Number(share) < 0.33, `the longest pause of another thread: ${share} of the time`);
  }
  t.same(rest, ['3000', '[Body_3001, ValidationErrors]', '']);
});
