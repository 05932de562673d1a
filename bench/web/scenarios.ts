/** Requests of each scenario, and the responses that every contestant must send. */
import { createHmac } from 'node:crypto';

export interface Scenario {
  name: string;
  title: string;
  /** Target rate as a fraction of bare node:http's. */
  goal: number;
  path: string;
  body?: string;
  /** Keep-alive connections; 50 if absent. */
  connections?: number;
  headers?: Record<string, string>;
  /** Whether a body is correct. */
  right(body: string): boolean;
}

const ORDER = {
  id: 77,
  customer: 'Ada Lovelace',
  note: 'Please ring twice, the bell is old',
  items: [
    { sku: 'nut-8', price: 3, count: 40 },
    { sku: 'bolt-8', price: 7, count: 12 },
    { sku: 'washer-8', price: 1, count: 9 },
  ],
};
/** JSON of 50 KB. */
const LONG = JSON.stringify(
  Array.from({ length: 400 }, (_, i) => ({ id: i, name: `name ${i}`, note: 'x'.repeat(90) })),
);
const signature = createHmac('sha256', 'bench-secret').update('ada').digest('hex');

// prettier-ignore
export const scenarios: Scenario[] = [
  { name: 'text', title: 'plain text', goal: 0.97, path: '/', right: (body) => body === 'Hello, World!' },
  { name: 'params', title: 'two parameters, 100 routes', goal: 0.97, path: '/users/42/posts/7', right: (body) => body === '{"user":"42","post":"7"}' },
  { name: 'json', title: 'JSON of 5 keys', goal: 0.97, path: '/', right: (body) => body.startsWith('{"id":42,') && body.endsWith('["math","poetry"]}') },
  { name: 'post', title: 'POST JSON 200 bytes', goal: 0.9, path: '/', body: JSON.stringify(ORDER), headers: { 'Content-Type': 'application/json' }, right: (body) => body === '{"id":77,"count":3,"total":213}' },
  { name: 'rows', title: 'JSON of 400 rows', goal: 0.97, path: '/', right: (body) => body.startsWith('[{"id":1,') && body.endsWith('"note":"note 2800"}]') },
  { name: 'echo', title: 'JSON of 50 KB, read and answered', goal: 0.9, path: '/', body: LONG, headers: { 'Content-Type': 'application/json' }, right: (body) => body === LONG },
  { name: 'layers', title: '5 middleware + filters', goal: 0.9, path: '/', right: (body) => body === '5 layers' },
  { name: 'static', title: 'static file 10 KB', goal: 0.5, path: '/page.html', right: (body) => body.length === 10_240 },
  // The handler sleeps for 5 ms before it answers.
  { name: 'sleep', title: '500 sleeping connections', goal: 1, path: '/', connections: 500, right: (body) => body === 'awake' },
  // The cookie comes from the first response: every request of the load counts from 1 to 2.
  { name: 'session', title: 'signed cookie session counter', goal: 0.75, path: '/', right: (body) => body === '2' },
  { name: 'bearer', title: 'bearer HMAC check', goal: 0.8, path: '/', headers: { Authorization: `Bearer ada:${signature}` }, right: (body) => body === 'ada' },
];
