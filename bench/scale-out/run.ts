/**
 * What several processes and hosts cost: the goals in one table. `npx tsx bench/scale-out/run.ts [PART…]`, where parts are
 * workers, messages, reads, queues, locks, sockets. ROUNDS in the environment is the number of rounds (5); MESSAGES, READS,
 * JOBS and IDLE are the amounts of work. Servers that are not installed are left out. Details are in the suites bus,
 * keystore, jobs, scale and websocket, whose functions run here.
 */
import { cpus } from 'node:os';
import { ENGINES } from '../../test/bus/engines.js';
import { findRedis, NO_REDIS, RedisServer } from '../../test/redisserver.js';
import { betweenPrograms, overEngine, overWorkers } from '../bus/rates.js';
import { type Figures, onPostgres, onSqlite, perSecond } from '../jobs/measures.js';
import { handOvers, reads } from '../keystore/measures.js';
import { workers } from '../scale/http.js';
import { median, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { idle } from '../websocket/idle.js';

const amount = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const ROUNDS = amount('ROUNDS', 5);
const MESSAGES = amount('MESSAGES', 20_000);
const READS = amount('READS', 100_000);
const JOBS = amount('JOBS', 10_000);
const IDLE = amount('IDLE', 10_000);
/** Processors with which two workers and the client have one each. */
const ENOUGH = 3;

const rows: string[][] = [];

interface Row {
  readonly what: string;
  readonly own: string;
  readonly byHand?: string;
  /** Svc's share of the peer's rate; above 1 is better. */
  readonly ratio?: number;
  /** The same share, computed from processor time. */
  readonly processor?: number;
  readonly goal: string;
  /** Whether the goal is reached; null if it cannot be shown here. */
  readonly reached: boolean | null;
}

function add({ what, own, byHand = '–', ratio, processor, goal, reached }: Row): void {
  const share = (n: number | undefined): string => (n === undefined || Number.isNaN(n) ? '–' : n.toFixed(2));
  const verdict = reached === null ? 'not shown' : reached ? 'yes' : 'no';
  rows.push([what, own, byHand, share(ratio), share(processor), goal, goal === '' ? '' : verdict]);
}

/** A row for rates in rounds, and the processor time for each piece of work. */
interface Rated {
  readonly perSecond: number;
  readonly processor: number;
}

function addRates(what: string, own: readonly Rated[], byHand: readonly Rated[]): void {
  const of = (list: readonly Rated[], part: keyof Rated): number[] => list.map((entry) => entry[part]);
  const ratio = median(ratios(of(own, 'perSecond'), of(byHand, 'perSecond')));
  add({
    what,
    own: `${summary(of(own, 'perSecond'))}/s`,
    byHand: `${summary(of(byHand, 'perSecond'))}/s`,
    ratio,
    processor: median(ratios(of(byHand, 'processor'), of(own, 'processor'))),
    goal: '≥ 0.8',
    reached: ratio >= 0.8,
  });
}

async function ofWorkers(): Promise<void> {
  const rounds: [one: Rated, two: Rated][] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [one, two] = [await workers.measure(1), await workers.measure(2)].map(({ cells }) => ({
      perSecond: cells['requests/s'],
      processor: cells['processor µs for a request'],
    }));
    rounds.push([one, two]);
  }
  const [one, two] = [rounds.map(([first]) => first), rounds.map(([, second]) => second)];
  const of = (list: readonly Rated[], part: keyof Rated): number[] => list.map((entry) => entry[part]);
  const ratio = median(ratios(of(two, 'perSecond'), of(one, 'perSecond')));
  add({
    what: 'requests: `--workers 2` beside `--workers 1`',
    own: `${summary(of(two, 'perSecond'))}/s`,
    byHand: `${summary(of(one, 'perSecond'))}/s`,
    ratio,
    processor: median(ratios(of(one, 'processor'), of(two, 'processor'))),
    goal: '≥ 1.8',
    reached: cpus().length >= ENOUGH || ratio >= 1.8 ? ratio >= 1.8 : null,
  });
}

async function ofMessages(): Promise<void> {
  // The first round warms up.
  const rates = (await overWorkers(MESSAGES * 10, ROUNDS + 1)).slice(1);
  add({ what: 'messages over `--workers`', own: `${summary(rates)}/s`, goal: '≥ 100,000/s', reached: median(rates) >= 1e5 }); // prettier-ignore
  const programs = await betweenPrograms(MESSAGES, ROUNDS);
  add({
    what: 'the same, values of programs',
    own: `${summary(programs)}/s`,
    goal: '≥ 100,000/s',
    reached: median(programs) >= 1e5,
  });
  for (const kind of ENGINES) {
    const found = await overEngine(kind, MESSAGES, ROUNDS);
    if (found === null) console.log(`left out: ${kind.missing}`);
    else addRates(`messages over ${kind.name}`, found.own, found.byHand);
  }
}

/** Runs a part with a Redis server of its own. */
async function withRedis(part: (url: string) => Promise<void>): Promise<void> {
  const program = findRedis();
  if (program === null) return void console.log(`left out: ${NO_REDIS}`);
  const server = await RedisServer.start(program);
  try {
    await part(server.url());
  } finally {
    await server.stop();
  }
}

async function ofReads(url: string): Promise<void> {
  const { own, byHand } = await reads(url, READS, ROUNDS);
  addRates('`store.get` over Redis', own, byHand);
}

const processorOf = (figures: readonly Figures[]): number[] => figures.map(([, , , ms]) => ms);

async function ofJobs(): Promise<void> {
  const sqlite = perSecond(await onSqlite(JOBS, ROUNDS), 1, JOBS);
  add({ what: 'jobs on SQLite', own: `${summary(sqlite)}/s`, goal: '≥ 5,000/s', reached: median(sqlite) >= 5000 });
  const found = await onPostgres(JOBS, ROUNDS);
  const own = found === null ? [] : perSecond(found.own, 1, JOBS);
  for (const [title, figures] of found?.peers ?? []) {
    const theirs = perSecond(figures, 1, JOBS);
    const ratio = median(ratios(own, theirs));
    const goal = title.includes('hand') ? '' : '≥ 1';
    add({
      what: `jobs on PostgreSQL beside ${title}`,
      own: `${summary(own)}/s`,
      byHand: `${summary(theirs)}/s`,
      ratio,
      processor: median(ratios(processorOf(figures), processorOf(found?.own ?? []))),
      goal,
      reached: ratio >= 1,
    });
  }
}

async function ofLocks(url: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(...(await handOvers(url)));
  add({ what: 'a lock over Redis, handed over', own: `${digits(median(times))} ms`, goal: '< 5 ms', reached: median(times) < 5 }); // prettier-ignore
}

async function ofSockets(url: string): Promise<void> {
  const { held, each } = await idle(() => ['dist/svcc.js', 'run', 'bench/websocket/room.svc', url], IDLE);
  add({
    what: `${held} idle WebSockets in rooms over Redis`,
    own: `${each.toFixed(1)} KB each`,
    goal: '≤ 12 KB',
    reached: held === IDLE && each <= 12,
  });
}

const parts: Record<string, () => Promise<void>> = {
  workers: ofWorkers,
  messages: ofMessages,
  reads: () => withRedis(ofReads),
  queues: ofJobs,
  locks: () => withRedis(ofLocks),
  sockets: () => withRedis(ofSockets),
};
const wanted = process.argv.slice(2);
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    await part();
  } catch (error) {
    console.log(`${name} not measured: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
console.log(table(['', 'Svc', 'beside', 'ratio', 'by processor time', 'goal', 'reached'], rows));
console.log(
  '\nRatios are medians over rounds. "By processor time" compares the processor time of all processes of both sides.',
);
if (cpus().length < ENOUGH)
  console.log(
    `With ${cpus().length} processors the client leaves no second one to a worker, so two workers cannot serve more than one; the ratio by processor time shows what they add for each request.`,
  );
process.exit();
