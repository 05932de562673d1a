import { createInterface } from 'node:readline';
import type { Measurement } from './worker.js';

/** The worker's side: answers every request from standard input. */
export async function serve<Request>(answer: (request: Request) => Measurement | Promise<Measurement>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as Request))}\n`);
  }
}

/** Processor time of this process's threads in milliseconds, which stays comparable on a busy machine. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const clock = process.env.BENCH_CLOCK === 'cpu' ? processorTime : (): number => performance.now();

/** Runs repeatedly until `minMs` have passed, at least once. Returns the time per run and the last result. */
export async function measure(run: () => string | Promise<string>, minMs: number): Promise<Measurement> {
  const start = clock();
  for (let runs = 1; ; runs++) {
    const result = await run();
    const elapsed = clock() - start;
    if (elapsed >= minMs) return { ms: elapsed / runs, result };
  }
}
