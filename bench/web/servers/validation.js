/** Fastify with schemas for what it receives and answers; errors are collected, as in Svc. */
import fastify from 'fastify';

const [scenario, port] = process.argv.slice(2);
const app = fastify({ ajv: { customOptions: { allErrors: true } } });

const scenarios = {
  body() {
    const body = {
      type: 'object',
      required: ['title', 'text', 'email'],
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200 },
        text: { type: 'string', minLength: 1, maxLength: 5000 },
        priority: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
        kind: { type: 'string', enum: ['question', 'bug', 'wish'], default: 'question' },
        email: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[^@ ]+@[^@ ]+$' },
        tags: { type: 'array', maxItems: 10, items: { type: 'string', minLength: 1, maxLength: 30 }, default: [] },
        hours: { type: ['number', 'null'], minimum: 0, maximum: 100 },
        urgent: { type: 'boolean', default: false },
      },
    };
    const answer = {
      type: 'object',
      required: ['id', 'title', 'priority', 'tags'],
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        priority: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    };
    app.post('/', { schema: { body, response: { 200: answer } } }, ({ body: ticket }) => ({
      id: 77,
      title: ticket.title,
      priority: ticket.priority,
      tags: ticket.tags,
    }));
  },
  query() {
    const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } };
    const querystring = {
      type: 'object',
      properties: {
        page: { type: 'integer', minimum: 1, default: 1 },
        size: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        dry: { type: 'boolean', default: false },
      },
    };
    app.get('/users/:id', { schema: { params, querystring } }, ({ params: { id }, query }) => ({ id, page: query.page, size: query.size, dry: query.dry }));
  },
};

scenarios[scenario]();
await app.listen({ port: Number(port), host: '127.0.0.1' });
