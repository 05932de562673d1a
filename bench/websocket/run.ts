/**
 * Echoed messages per second and processor time per message of Svc and of the plain `ws` package; memory of idle
 * connections. `npx tsx bench/websocket/run.ts`; ROUNDS, SECONDS and IDLE (connections) in the environment limit what
 * is run.
 */
import { Server } from '../shared/server.js';
import { median, ratios } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { echo } from './client.js';
import { idle, openMany } from './idle.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 2);
const IDLE = Number(process.env.IDLE ?? 10_000);
const CASES = [
  [50, 100],
  [500, 100],
  [50, 16_384],
  [500, 16_384],
];

const contestants: Record<string, (port: string) => string[]> = {
  ws: (port) => ['bench/websocket/echo.js', port, 'bytes'],
  'ws with strings': (port) => ['bench/websocket/echo.js', port, 'text'],
  svc: () => ['dist/svcc.js', 'run', 'bench/websocket/echo.svc'],
};

interface Round {
  rate: number;
  /** Processor time of server and of client per message, in microseconds. */
  cost: number;
  clientCost: number;
}

async function once(name: string, connections: number, size: number): Promise<Round> {
  const server = await Server.start(contestants[name]);
  try {
    const sockets = await openMany(server.port, connections);
    await echo(sockets, size, 1);
    const before = server.processorSeconds() ?? NaN;
    const own = process.cpuUsage();
    const messages = await echo(sockets, size, SECONDS);
    const { user, system } = process.cpuUsage(own);
    const cost = (((server.processorSeconds() ?? NaN) - before) / messages) * 1e6;
    for (const socket of sockets) socket.destroy();
    return { rate: messages / SECONDS, cost, clientCost: (user + system) / messages };
  } finally {
    await server.stop();
  }
}

async function echoes(connections: number, size: number): Promise<string[]> {
  const rounds = new Map<string, Round[]>(Object.keys(contestants).map((name) => [name, []]));
  for (let i = 0; i < ROUNDS; i++) for (const [name, list] of rounds) list.push(await once(name, connections, size));
  const of = (name: string, part: keyof Round): number[] => (rounds.get(name) ?? []).map((round) => round[part]);
  const share = (base: string): string =>
    `${median(ratios(of('svc', 'rate'), of(base, 'rate'))).toFixed(2)} (${median(ratios(of(base, 'cost'), of('svc', 'cost'))).toFixed(2)})`;
  return [
    `${connections} × ${size} bytes`,
    digits(median(of('ws', 'rate'))),
    `${digits(median(of('ws', 'cost')))} µs`,
    `${digits(median(of('svc', 'cost')))} µs`,
    `${digits(median(of('ws', 'clientCost')))} µs`,
    share('ws'),
    share('ws with strings'),
  ];
}

const rows: string[][] = [];
for (const [connections, size] of CASES) rows.push(await echoes(connections, size));
console.log(
  "Svc's share of the rate, and in brackets the same share from processor time per message. The client is not the limit where its own time per message is below the server's.\n",
);
console.log(
  table(
    ['echo', 'ws, messages/s', 'ws, CPU', 'svc, CPU', 'client, CPU', 'against ws', 'against ws with strings'],
    rows,
  ),
);
const held: string[][] = [];
for (const name of ['ws', 'svc']) {
  const { held: count, each } = await idle(contestants[name], IDLE);
  held.push([name, String(count), each.toFixed(1)]);
}
console.log(`\n${table(['idle connections', 'held', 'KB each'], held)}`);
