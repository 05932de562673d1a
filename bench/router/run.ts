/**
 * Nanoseconds per look-up of natives/web/routing/router.ts and of find-my-way, which `npm install --prefix bench/web`
 * installs. Both run alternately for about a millisecond in one process. Prints the medians of the rounds, and the
 * median of the ratios within a round (above 1: this router is faster), which is stable on a busy machine. find-my-way
 * also searches the path for a query. "Fresh" look-ups use path strings without a cached hash, as in real requests;
 * "repeated" ones reuse the strings.
 */
import { createRequire } from 'node:module';
import { Router } from '../../natives/web/routing/router.js';

const ROUNDS = Number(process.argv[2] ?? 101);
const LOOKUPS = 10_000;
const ROUTES = [100, 1_000, 10_000];

type Find = (path: string) => unknown;
interface Contestant {
  name: string;
  /** Builds a router with these patterns. Returns its look-up for GET. */
  build(patterns: string[]): Find;
}

const own: Contestant = {
  name: 'svc',
  build(patterns) {
    const router = new Router<number>();
    patterns.forEach((pattern, i) => router.add('GET', pattern, i));
    return (path) => router.find('GET', path);
  },
};

interface FindMyWay {
  on(method: string, pattern: string, handler: () => void): void;
  find(method: string, path: string): unknown;
}

function findMyWay(): Contestant | null {
  const require = createRequire(new URL('../web/package.json', import.meta.url));
  try {
    const create = require('find-my-way') as () => FindMyWay;
    return {
      name: 'find-my-way',
      build(patterns) {
        const router = create();
        for (const pattern of patterns) router.on('GET', pattern, () => {});
        return (path) => router.find('GET', path);
      },
    };
  } catch {
    return null;
  }
}

/** A third each of static routes, routes with a parameter at the end, and with one in the middle. */
function patternsFor(count: number): string[] {
  const kinds = [
    (i: number) => `/api/v1/area${i}/list`,
    (i: number) => `/api/v1/item${i}/:id`,
    (i: number) => `/api/v1/user${i}/:id/posts`,
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % 3](i));
}

const PATHS: Record<string, (i: number, count: number) => string> = {
  static: (i, count) => `/api/v1/area${(i * 3) % (count - (count % 3))}/list`,
  parameter: (i, count) => `/api/v1/item${((i * 3) % (count - (count % 3))) + 1}/${10_000 + i}`,
  'miss at once': (i) => `/nothing/like/this${i % 50}`,
  'miss at the end': (i, count) => `/api/v1/area${(i * 3) % (count - (count % 3))}/lost`,
};

/** Copies of the paths as flat strings without a cached hash, like the target of a request. */
function fresh(paths: string[]): string[] {
  const bytes = Buffer.from(paths.join(''), 'latin1');
  let at = 0;
  return paths.map((path) => bytes.toString('latin1', at, (at += path.length)));
}

let sink = 0;

function time(find: Find, paths: string[]): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < paths.length; i++) if (find(paths[i]) !== null) sink++;
  return Number(process.hrtime.bigint() - start) / paths.length;
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Times of each contestant by round. They alternate, so that a busy machine affects both. */
function compare(finds: Find[], paths: string[], isFresh: boolean): number[][] {
  const times: number[][] = finds.map(() => []);
  for (let round = -3; round < ROUNDS; round++) {
    finds.forEach((find, i) => {
      const ns = time(find, isFresh ? fresh(paths) : paths);
      if (round >= 0) times[i].push(ns);
    });
  }
  return times;
}

function main(): void {
  const other = findMyWay();
  if (other === null)
    console.log('find-my-way is not installed (npm install --prefix bench/web): this router alone.\n');
  const contestants = other === null ? [own] : [own, other];
  const names = contestants.map(({ name }) => name);
  console.log(
    `| strings | routes | look-up | ${names.map((name) => `${name} ns`).join(' | ')} |${other ? ' ratio |' : ''}`,
  );
  console.log(`|---|---|---|${'---|'.repeat(names.length + (other ? 1 : 0))}`);
  for (const count of ROUTES) {
    const finds = contestants.map(({ build }) => build(patternsFor(count)));
    for (const [kind, path] of Object.entries(PATHS)) {
      const paths = Array.from({ length: LOOKUPS }, (_, i) => path(i, count));
      for (const isFresh of [false, true]) {
        const [ours, theirs] = compare(finds, paths, isFresh);
        const cells =
          theirs === undefined
            ? []
            : [median(theirs).toFixed(0), median(theirs.map((ns, i) => ns / ours[i])).toFixed(2)];
        console.log(
          `| ${[isFresh ? 'fresh' : 'repeated', count, kind, median(ours).toFixed(0), ...cells].join(' | ')} |`,
        );
      }
    }
  }
}

main();
if (sink < 0) console.log(sink);
