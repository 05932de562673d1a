/**
 * Requests per second and processor time per request of Svc, bare node:http, Fastify, Hono and Express in the same
 * scenarios, as ratios to bare node:http in the same round. Every server of every round is a fresh process. `npx tsx
 * bench/web/run.ts [SCENARIO…]`; ROUNDS, SECONDS and PEERS (names with commas) in the environment limit what is run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from '../shared/server.js';
import { digits, table } from '../shared/table.js';
import { median, ratios, spread } from '../shared/stats.js';
import { load, prepared, wrkIsInstalled } from './load.js';
import { scenarios, type Scenario } from './scenarios.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 2);
/** V8 keeps optimising a server for some seconds; in production it runs for weeks. */
const WARM_SECONDS = 3;
const peers = process.env.PEERS?.split(',') ?? ['svc', 'fastify', 'hono', 'express'];

interface Round {
  rate: number;
  /** Microseconds of processor time per request. */
  cost: number;
}

/** Arguments for node; paths are relative to the repository's root. */
function argumentsFor(contestant: string, scenario: string, port: string): string[] {
  return contestant === 'svc'
    ? ['dist/svcc.js', 'run', `bench/web/svc/${scenario}.svc`]
    : [`bench/web/servers/${contestant}.js`, scenario, port];
}

async function once(contestant: string, scenario: Scenario): Promise<Round> {
  const server = await Server.start((port) => argumentsFor(contestant, scenario.name, port));
  try {
    const headers = await prepared(scenario, server.port);
    await load(scenario, headers, server.port, WARM_SECONDS);
    const before = server.processorSeconds();
    const { requests, seconds } = await load(scenario, headers, server.port, SECONDS);
    const after = server.processorSeconds();
    return {
      rate: requests / seconds,
      cost: before === null || after === null ? NaN : ((after - before) / requests) * 1e6,
    };
  } finally {
    await server.stop();
  }
}

async function measure(scenario: Scenario): Promise<string[][]> {
  const rounds = new Map<string, Round[]>(['bare', ...peers].map((name) => [name, []]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, list] of rounds) list.push(await once(name, scenario));
  }
  const of = (name: string, part: keyof Round): number[] => (rounds.get(name) ?? []).map((round) => round[part]);
  const share = (name: string): string =>
    `${median(ratios(of(name, 'rate'), of('bare', 'rate'))).toFixed(2)} (${median(ratios(of('bare', 'cost'), of(name, 'cost'))).toFixed(2)})`;
  console.log(
    [
      scenario.title,
      ...[...rounds.keys()].map(
        (name) => `${name} ${digits(median(of(name, 'cost')))} µs ±${(spread(of(name, 'cost')) * 100).toFixed(0)}%`,
      ),
    ].join(' · '),
  );
  return [
    [
      scenario.title,
      digits(median(of('bare', 'rate'))),
      `${digits(median(of('bare', 'cost')))} µs`,
      ...peers.map(share),
      String(scenario.goal),
    ],
  ];
}

async function main(): Promise<void> {
  if (!wrkIsInstalled()) return void console.log('needs wrk (Debian: apt-get install wrk)');
  if (!existsSync(join(import.meta.dirname, 'node_modules/fastify')))
    return void console.log('needs the peers: npm install --prefix bench/web');
  const wanted = process.argv.slice(2);
  const rows: string[][] = [];
  for (const scenario of scenarios.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
    rows.push(...(await measure(scenario)));
  console.log(
    `\nRate as a share of bare node:http's, and in brackets the same share from processor time per request.\n`,
  );
  console.log(table(['scenario', 'bare, requests/s', 'bare, CPU', ...peers, "Svc's goal"], rows));
}

await main();
