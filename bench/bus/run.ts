/**
 * Messages per second from one process to another: over the first process of `--workers`, over Redis and over
 * PostgreSQL, beside ioredis and pg used by hand in the same run. `npx tsx bench/bus/run.ts`; ROUNDS and MESSAGES in the
 * environment limit what is run. Servers that are not installed are left out.
 */
import { ENGINES } from '../../test/bus/engines.js';
import { median, ratios } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { betweenPrograms, overEngine, overWorkers, type Rate } from './rates.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const MESSAGES = Number(process.env.MESSAGES ?? 20_000);

const rows: string[][] = [];
// The first round warms up.
const workers = (await overWorkers(MESSAGES * 10, ROUNDS + 1)).slice(1);
rows.push(['--workers', digits(median(workers)), '–', '–', '–']);
rows.push(['--workers, between programs', digits(median(await betweenPrograms(MESSAGES, ROUNDS))), '–', '–', '–']);
for (const kind of ENGINES) {
  const rates = await overEngine(kind, MESSAGES, ROUNDS);
  if (rates === null) {
    console.log(`left out: ${kind.missing}`);
    continue;
  }
  const of = (list: readonly Rate[], part: keyof Rate): number[] => list.map((rate) => rate[part]);
  const [own, other] = [of(rates.own, 'perSecond'), of(rates.byHand, 'perSecond')];
  const processor = ratios(of(rates.byHand, 'processor'), of(rates.own, 'processor'));
  rows.push([
    kind.name,
    digits(median(own)),
    digits(median(other)),
    median(ratios(own, other)).toFixed(2),
    median(processor).toFixed(2),
  ]);
}
console.log(table(['messages/s over', 'svc', 'by hand', 'ratio', 'ratio by processor time'], rows));
process.exit();
