/**
 * Longest pause that one library call causes for all other threads. Each kind of work runs on large values in a fresh
 * process.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from '../shared/stats.js';
import { table } from '../shared/table.js';
import { CASES, type Case } from './cases.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const ONLY = process.argv[2] ?? '';
const SVCC = resolve(import.meta.dirname, '../../dist/svcc.js');
const folder = mkdtempSync(join(tmpdir(), 'svc-pauses-'));

/**
 * A program that does the work beside a thread that wakes every millisecond. Prints the longest time that thread slept
 * and the duration of the work.
 */
function program({ before, work }: Case): string {
  return `
worst = shared(0)
spawn {
  last = clock_ms()
  loop {
    sleep(0.001)
    t = clock_ms()
    worst.set([worst.get(), t - last].max)
    last = t
  }
}
${before}
sleep(0.2)
worst.set(0)
start = clock_ms()
result = nil
begin
  result = ${work}
rescue MemoryError => e
  puts "MemoryError"
end
took = clock_ms() - start
sleep(0.01)
puts "#{worst.get()} #{took}"
exit(0)
`;
}

function measure(test: Case): { pause: number; took: number; note: string } | string {
  const file = join(folder, 'case.svc');
  writeFileSync(file, program(test));
  const pauses: number[] = [];
  const times: number[] = [];
  let note = '';
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [SVCC, 'run', file], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    const lines = stdout.trim().split('\n');
    if (status !== 0) return `failed: ${stderr.split('\n')[0].slice(0, 100)}`;
    if (lines.length > 1) note = lines[0];
    const [pause, took] = lines[lines.length - 1].split(' ').map(Number);
    pauses.push(pause);
    times.push(took);
  }
  return { pause: median(pauses), took: median(times), note };
}

const rows: string[][] = [];
for (const test of CASES.filter(({ name }) => name.includes(ONLY))) {
  const result = measure(test);
  rows.push(
    typeof result === 'string'
      ? [test.name, '', '', result]
      : [test.name, String(result.pause), String(result.took), result.note],
  );
  console.error(rows[rows.length - 1].join(' | '));
}
rmSync(folder, { recursive: true });
console.log(table(['', 'longest pause, ms', 'took, ms', ''], rows));
