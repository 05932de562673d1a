/** Growth within one process. */
import { resolve } from 'node:path';
import { Router } from '../../natives/web/routing/router.js';
import { bundle } from '../shared/bundle.js';
import { Worker } from '../shared/worker.js';
import type { Cost, Section } from './section.js';

const ROOT = resolve(import.meta.dirname, '../..');
const LOOKUPS = 200_000;

function lookups(count: number): Cost {
  const router = new Router<number>();
  for (let i = 0; i < count; i++) router.add('GET', i % 2 === 0 ? `/api/area${i}/list` : `/api/item${i}/:id`, i);
  const paths = Array.from({ length: 1000 }, (_, i) => {
    const n = (i * 7919) % count;
    return n % 2 === 0 ? `/api/area${n}/list` : `/api/item${n}/${i}`;
  });
  let found = 0;
  const start = performance.now();
  for (let i = 0; i < LOOKUPS; i++) if (router.find('GET', paths[i % paths.length]) !== null) found++;
  const ms = performance.now() - start;
  if (found !== LOOKUPS) throw new Error(`the router found ${found} of ${LOOKUPS} paths`);
  return { ms, cells: { 'ns for a look-up': (ms * 1e6) / LOOKUPS } };
}

export const routes: Section = {
  name: 'routes',
  title: 'Routes of an application',
  unit: 'routes',
  sizes: [10, 100, 1000, 10_000],
  measure: (size) => Promise.resolve(lookups(size)),
};

/** Sends one request to a fresh process. */
async function ask(worker: URL, args: readonly string[], request: object): Promise<{ ms: number; result: string }> {
  const process_ = new Worker(process.execPath, [await bundle(worker), ...args]);
  try {
    return await process_.ask(request);
  } finally {
    process_.close();
  }
}

export const programs: Section = {
  name: 'programs',
  title: 'Lines of a program, compiled in a fresh process',
  unit: 'lines',
  sizes: [100, 1000, 10_000, 50_000],
  async measure(size) {
    const { ms, result } = await ask(new URL('../parse/worker.ts', import.meta.url), [resolve(ROOT, 'examples')], {
      task: 'compile',
      lines: size,
      minMs: 0,
    });
    return { ms, cells: { ms, 'µs for a line': (ms * 1000) / Number(result) } };
  },
};

export const threads: Section = {
  name: 'threads',
  title: 'Threads that are started, sleep a moment and are awaited',
  unit: 'threads',
  sizes: [1, 100, 10_000, 100_000],
  async measure(size) {
    const { ms } = await ask(new URL('worker.ts', import.meta.url), [ROOT], { count: size });
    return { ms, cells: { ms, 'µs for a thread': (ms * 1000) / size } };
  },
};
