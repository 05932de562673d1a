/**
 * Requests per second and processor time per request of Svc and of Fastify with schemas, for the same requests. A round
 * asks both in turn, each in a fresh process. `npx tsx bench/validation/run.ts [SCENARIO…]`; ROUNDS and SECONDS in the
 * environment limit what is run.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Server } from '../shared/server.js';
import { median, ratios, spread } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { load, prepared, wrkIsInstalled } from '../web/load.js';
import type { Scenario } from '../web/scenarios.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 2);
/** V8 keeps optimising a server for some seconds. */
const WARM_SECONDS = 3;

const TICKET = {
  title: 'The bell is broken',
  text: 'Please ring twice, the bell is old and nobody hears it on the second floor.',
  priority: 2,
  kind: 'bug',
  email: 'ada@example.org',
  tags: ['bell', 'second floor'],
  hours: 1.5,
  urgent: true,
};

// prettier-ignore
const scenarios: Scenario[] = [
  { name: 'body', title: 'JSON body of 8 fields', goal: 1, path: '/', body: JSON.stringify(TICKET), headers: { 'Content-Type': 'application/json' }, right: (body) => body === '{"id":77,"title":"The bell is broken","priority":2,"tags":["bell","second floor"]}' },
  { name: 'query', title: 'path parameter and query of 3 fields', goal: 1, path: '/users/42?page=7&dry=true', right: (body) => body === '{"id":42,"page":7,"size":20,"dry":true}' },
];

interface Round {
  rate: number;
  /** Microseconds of processor time per request. */
  cost: number;
}

const ARGUMENTS: Record<string, (scenario: string, port: string) => string[]> = {
  svc: (scenario) => ['dist/svcc.js', 'run', `bench/validation/svc/${scenario}.svc`],
  fastify: (scenario, port) => ['bench/web/servers/validation.js', scenario, port],
};

async function once(contestant: string, scenario: Scenario): Promise<Round> {
  const server = await Server.start((port) => ARGUMENTS[contestant](scenario.name, port));
  try {
    const headers = await prepared(scenario, server.port);
    await load(scenario, headers, server.port, WARM_SECONDS);
    const before = server.processorSeconds() ?? NaN;
    const { requests, seconds } = await load(scenario, headers, server.port, SECONDS);
    const after = server.processorSeconds() ?? NaN;
    return { rate: requests / seconds, cost: ((after - before) / requests) * 1e6 };
  } finally {
    await server.stop();
  }
}

async function measure(scenario: Scenario): Promise<string[]> {
  const rounds: Record<string, Round[]> = { svc: [], fastify: [] };
  for (let i = 0; i < ROUNDS; i++)
    for (const [name, list] of Object.entries(rounds)) list.push(await once(name, scenario));
  const of = (name: string, part: keyof Round): number[] => rounds[name].map((round) => round[part]);
  const cost = (name: string): string =>
    `${digits(median(of(name, 'cost')))} µs ±${(spread(of(name, 'cost')) * 100).toFixed(0)}%`;
  return [
    scenario.title,
    digits(median(of('svc', 'rate'))),
    cost('svc'),
    cost('fastify'),
    median(ratios(of('svc', 'rate'), of('fastify', 'rate'))).toFixed(2),
    median(ratios(of('fastify', 'cost'), of('svc', 'cost'))).toFixed(2),
    String(scenario.goal),
  ];
}

async function main(): Promise<void> {
  if (!wrkIsInstalled()) return void console.log('needs wrk (Debian: apt-get install wrk)');
  if (!existsSync(resolve(join(import.meta.dirname, '../web/node_modules/fastify'))))
    return void console.log('needs the peers: npm install --prefix bench/web');
  const wanted = process.argv.slice(2);
  const rows: string[][] = [];
  for (const scenario of scenarios.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
    rows.push(await measure(scenario));
  console.log('Svc beside Fastify with schemas: ratios of requests per second, and of processor time per request.\n');
  console.log(table(['scenario', 'Svc, requests/s', 'Svc, CPU', 'Fastify, CPU', 'rate', 'by CPU', "Svc's goal"], rows));
}

await main();
