/**
 * Pages per second of template engines: a page of 100 rows with a layout and escaped values. Each engine has a process of its own; they
 * take turns. `npx tsx bench/templates/run.ts`; ROUNDS in the environment is the number of rounds.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from '../shared/bundle.js';
import { median, ratios, spread } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { versionOf, Worker } from '../shared/worker.js';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
/** Sets of fresh processes: the code that a JIT produces differs between processes. */
const SETS = 3;
/** Rounds until V8 has optimised a process's code. */
const WARM_UPS = 10;
const MIN_MS = 50;
/** Pages of one run. */
const PER_RUN = 100;
const PAGES = { list: 'rows in a loop', partials: 'each row a partial' };
/** Pages per second, as a share of eta's. */
const GOAL = 1;

interface Engine {
  name: string;
  command: string;
  args: string[];
}

function engines(worker: string): Engine[] {
  const own = (name: string): Engine => ({
    name,
    command: process.execPath,
    args: [worker, name, import.meta.dirname],
  });
  const all = ['svc', 'eta', 'ejs', 'nunjucks'].map(own);
  const ruby = versionOf('ruby', ['-v'], /ruby (\d[\d.]*)/);
  if (ruby === null) console.log('Not installed, so not measured: Ruby.\n');
  else
    all.push({
      name: `ERB, Ruby ${ruby}`,
      command: 'ruby',
      args: [join(import.meta.dirname, '../vm/peer.rb'), join(import.meta.dirname, 'peer.rb')],
    });
  return all;
}

/** A page without what engines write in different ways: blanks between tags, and the number of a quote. */
function normal(html: string): string {
  return html.replaceAll('&#34;', '&quot;').replace(/\s+/g, ' ').replace(/> </g, '><').trim();
}

/** Measures one set of processes. */
async function runSet(page: string, all: readonly Engine[], rates: number[][]): Promise<void> {
  // The processes inherit it.
  process.env.PAGE = page;
  const workers = all.map(({ command, args }) => new Worker(command, args));
  const pages = new Set<string>();
  for (let round = -WARM_UPS; round < ROUNDS / SETS; round++)
    for (const [i, worker] of workers.entries()) {
      const { ms, result } = await worker.ask({ minMs: MIN_MS });
      pages.add(normal(result));
      if (round >= 0) rates[i].push((PER_RUN * 1000) / ms);
    }
  for (const worker of workers) worker.close();
  if (pages.size > 1) throw new Error(`the pages differ:\n${[...pages].join('\n')}`);
}

async function measured(page: string, all: readonly Engine[]): Promise<string[]> {
  const rates = all.map((): number[] => []);
  for (let set = 0; set < SETS; set++) await runSet(page, all, rates);
  const [own, ...others] = rates;
  return [
    ...rates.map((list) => `${digits(median(list))} ±${(spread(list) * 100).toFixed(0)}%`),
    ...others.map((list) => median(ratios(own, list)).toFixed(2)),
    String(GOAL),
  ];
}

async function main(): Promise<void> {
  if (!existsSync(resolve(join(import.meta.dirname, '../web/node_modules/eta'))))
    return void console.log('needs the peers: npm install --prefix bench/web');
  const all = engines(await bundle(new URL('worker.ts', import.meta.url)));
  const rows: string[][] = [];
  for (const [page, title] of Object.entries(PAGES)) rows.push([title, ...(await measured(page, all))]);
  console.log(
    'A page of 100 rows with a layout and escaped values: pages per second, then Svc in relation to others.\n',
  );
  const [, ...others] = all;
  const head = [...all.map(({ name }) => name), ...others.map(({ name }) => `Svc / ${name}`)];
  console.log(table(['page', ...head, 'goal for Svc / eta'], rows));
}

await main();
