/**
 * Growth of cost with routes, connections, sizes of bodies and programs, threads, workers. `npx tsx bench/scale/run.ts
 * [SECTION…]`. Each section is a table. Its growth exponent k means that the total time grows with size^k between the
 * first and the last row: 1 is proportional, 0 is constant. Medians of three rounds in fresh processes.
 */
import { digits, table } from '../shared/table.js';
import { growthExponent, median } from '../shared/stats.js';
import { bodies, connections, workers } from './http.js';
import type { Cost, Section } from './section.js';
import { programs, routes, threads } from './single.js';

const ROUNDS = 3;

const sections: Section[] = [routes, connections, bodies, programs, threads, workers];

async function show(section: Section): Promise<void> {
  const rows: string[][] = [];
  const times: number[] = [];
  let heads: string[] = [];
  for (const size of section.sizes) {
    const rounds: Cost[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await section.measure(size));
    heads = Object.keys(rounds[0].cells);
    times.push(median(rounds.map(({ ms }) => ms)));
    rows.push([
      size.toLocaleString('en'),
      ...heads.map((head) => digits(median(rounds.map(({ cells }) => cells[head])))),
    ]);
  }
  const [first, last] = [0, section.sizes.length - 1];
  const k = growthExponent(
    { size: section.sizes[first], time: times[first] },
    { size: section.sizes[last], time: times[last] },
  );
  console.log(
    `\n### ${section.title}\n\n${table([section.unit, ...heads], rows)}\n\nGrowth exponent of the time for all: ${k.toFixed(2)}`,
  );
}

const wanted = process.argv.slice(2);
for (const section of sections) {
  if (wanted.length > 0 && !wanted.includes(section.name)) continue;
  try {
    await show(section);
  } catch (error) {
    console.log(`\n### ${section.title}\n\nnot measured: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
