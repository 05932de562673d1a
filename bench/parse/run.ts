/** Speed of the front end, in a fresh process and warmed up, and growth of its time with the length of a program. */
import { resolve } from 'node:path';
import { bundle } from '../shared/bundle.js';
import { growthExponent, median } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { pythonVersion, Worker } from '../shared/worker.js';
import type { ParseRequest } from './worker.js';

const COLD_LINES = [130, 600, 5_000];
const WARM_LINES = [1_000, 5_000, 20_000];
const COLD_ROUNDS = 7;
const WARM_UPS = 3;
const ROUNDS = 7;
const MIN_MS = 100;
const TASKS = ['parse', 'compile'] as const;

type Task = ParseRequest['task'];
interface Samples {
  ms: number[];
  lines: number;
  /** The file that was parsed, if not the corpus. */
  name: string;
}
type Contestant = { label: string; start(): Worker; tasks: readonly Task[] };

function contestants(worker: string): Contestant[] {
  const examples = resolve(import.meta.dirname, '../../examples');
  const own: Contestant = { label: 'Svc', tasks: TASKS, start: () => new Worker(process.execPath, [worker, examples]) };
  const version = pythonVersion();
  if (version === null) return [own];
  return [
    own,
    {
      label: `Python ${version}`,
      tasks: ['parse'],
      start: () => new Worker('python3', [resolve(import.meta.dirname, 'peer.py')]),
    },
  ];
}

async function sample(worker: Worker, request: ParseRequest, into: Samples, keep: boolean): Promise<void> {
  const { ms, result } = await worker.ask(request);
  if (keep) into.ms.push(ms);
  const seen = JSON.parse(result) as number | { name: string; lines: number };
  [into.name, into.lines] = typeof seen === 'number' ? ['', seen] : [seen.name, seen.lines];
}

/** Runs each sample in a process of its own. */
async function cold({ start }: Contestant, task: Task, lines: number, into: Samples): Promise<void> {
  const worker = start();
  await sample(worker, { task, lines, minMs: 0 }, into, true);
  worker.close();
}

function row(label: string, task: Task, { ms, lines, name }: Samples): string[] {
  const what = name === '' ? `${label} ${task}` : `${label} ast.parse, ${name}`;
  return [what, String(lines), summary(ms), digits(lines / median(ms))];
}

interface Series {
  contestant: Contestant;
  task: Task;
  size: number;
  samples: Samples;
}

function series(all: Contestant[], sizes: number[]): Series[] {
  return sizes.flatMap((size) =>
    all.flatMap((contestant) =>
      contestant.tasks.map((task) => ({ contestant, task, size, samples: { ms: [], lines: 0, name: '' } })),
    ),
  );
}

/** Whether a size can be compared: CPython's library has no file as long as the longest corpora. */
function comparable({ size, samples }: Series): boolean {
  return Math.abs(samples.lines - size) < size * 0.4;
}

function print(title: string, measured: Series[]): void {
  const rows = measured.filter(comparable).map(({ contestant, task, samples }) => row(contestant.label, task, samples));
  console.log(`${title}\n\n${table(['what', 'lines', 'ms', 'lines per ms'], rows)}\n`);
}

function printGrowth(measured: Series[]): void {
  for (const task of TASKS) {
    const own = measured.filter((one) => one.contestant.label === 'Svc' && one.task === task);
    const points = own.map(({ samples }) => ({ size: samples.lines, time: median(samples.ms) }));
    const steps = points.slice(1).map((point, i) => growthExponent(points[i], point).toFixed(2));
    console.log(
      `Growth exponent of ${task}, ${points.map(({ size }) => size).join(' → ')} lines: ${steps.join(', ')} (1 is linear)`,
    );
  }
}

const all = contestants(await bundle(new URL('worker.ts', import.meta.url)));

const first = series(all, COLD_LINES);
for (let round = 0; round < COLD_ROUNDS; round++) {
  for (const { contestant, task, size, samples } of first) await cold(contestant, task, size, samples);
}
print('First time in a fresh process (goal: parsing 600 lines in less than 50 ms)', first);

const steady = series(all, WARM_LINES);
const workers = new Map(all.map((contestant) => [contestant, contestant.start()]));
for (let round = -WARM_UPS; round < ROUNDS; round++) {
  for (const { contestant, task, size, samples } of steady) {
    await sample(workers.get(contestant) as Worker, { task, lines: size, minMs: MIN_MS }, samples, round >= 0);
  }
}
for (const worker of workers.values()) worker.close();
print('Warm (goal: parsing 150 lines per ms)', steady);
printGrowth(steady);
