/**
 * Latency of Svc and bare node:http at half of the rate that node:http reaches with the same scenario. Every server of
 * every round is a fresh process. `npx tsx bench/latency/run.ts [SCENARIO…]`; ROUNDS and SECONDS in the environment.
 */
import { Server } from '../shared/server.js';
import { median, quantile, ratios } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { load, wrkIsInstalled } from '../web/load.js';
import { scenarios, type Scenario } from '../web/scenarios.js';
import { latencies } from './steady.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 4);
const WARM_SECONDS = 2;
const GOAL = 1.2;
const USUAL = ['text', 'params', 'layers'];
const contestants = {
  bare: ({ name }: Scenario, port: string) => ['bench/web/servers/bare.js', name, port],
  svc: ({ name }: Scenario) => ['dist/svcc.js', 'run', `bench/web/svc/${name}.svc`],
};

interface Round {
  p50: number;
  p99: number;
}

/** Rate that a server reaches with as many requests as it can answer. */
async function fullRate(scenario: Scenario, port: number): Promise<number> {
  const { requests, seconds } = await load(scenario, {}, port, WARM_SECONDS);
  return requests / seconds;
}

async function measure(scenario: Scenario): Promise<string[]> {
  const rounds: Record<keyof typeof contestants, Round[]> = { bare: [], svc: [] };
  let rate = 0;
  for (let i = 0; i < ROUNDS; i++) {
    for (const name of ['bare', 'svc'] as const) {
      const server = await Server.start((port) => contestants[name](scenario, port));
      try {
        const full = await fullRate(scenario, server.port);
        if (rate === 0) rate = Math.round(full / 2);
        const all = await latencies(scenario, server.port, rate, SECONDS);
        rounds[name].push({ p50: quantile(all, 0.5), p99: quantile(all, 0.99) });
      } finally {
        await server.stop();
      }
    }
  }
  const of = (name: keyof typeof contestants, part: keyof Round): number[] => rounds[name].map((round) => round[part]);
  const times = (part: keyof Round): string[] => [digits(median(of('bare', part))), digits(median(of('svc', part)))];
  return [
    scenario.title,
    digits(rate),
    ...times('p50'),
    ...times('p99'),
    median(ratios(of('svc', 'p99'), of('bare', 'p99'))).toFixed(2),
    String(GOAL),
  ];
}

async function main(): Promise<void> {
  if (!wrkIsInstalled()) return void console.log('needs wrk (Debian: apt-get install wrk)');
  const wanted = process.argv.slice(2);
  const rows: string[][] = [];
  // Requests without body and headers.
  const plain = scenarios.filter(({ body, headers }) => body === undefined && headers === undefined);
  for (const scenario of plain.filter(({ name }) => (wanted.length === 0 ? USUAL : wanted).includes(name)))
    rows.push(await measure(scenario));
  console.log('Milliseconds from the time that a request was planned for to its response.\n');
  console.log(
    table(['scenario', 'requests/s', 'bare p50', 'Svc p50', 'bare p99', 'Svc p99', 'p99 of Svc / bare', 'goal'], rows),
  );
}

await main();
