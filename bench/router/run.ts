/**
 * Nanoseconds per look-up of natives/web/routing/router.ts and of find-my-way, which `npm install --prefix bench/web`
 * installs. Both run alternately for about a millisecond in one process. Prints the medians of the rounds, and the
 * median of the ratios within a round (above 1: this router is faster), which is stable on a busy machine. find-my-way
 * also searches the path for a query. "Fresh" look-ups use path strings without a cached hash, as in real requests;
 * "repeated" ones reuse the strings.
 */
import { type Find, findMyWay, own, PATHS, patternsFor } from './routers.js';

const ROUNDS = Number(process.argv[2] ?? 101);
const LOOKUPS = 10_000;
const ROUTES = [100, 1_000, 10_000];

/** Copies of the paths as flat strings without a known hash: what a request's target is. */
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
  const other = findMyWay(new URL('../web/package.json', import.meta.url));
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
