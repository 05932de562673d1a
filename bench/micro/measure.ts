/** Measures functions in this process by mitata's `measure`. Its `run` spends 0.7 seconds on each function, which nothing shortens. */
import { getHeapStatistics } from 'node:v8';
import { do_not_optimize, measure } from 'mitata';

/** A function to measure. It hands its result to `do_not_optimize`, or V8 leaves the work out. */
export type Bench = () => void;

/** Functions that are compared in one process. */
export interface Case {
  title: string;
  /** By name; ratios are to the first. */
  benches: Record<string, Bench>;
  /** Operations of one call, by which its time and memory are divided; 1 if absent. */
  operations?: number;
}

/** A part of the suite, selected by its name. */
export interface Group {
  name: string;
  /** What one operation is, for the report. */
  about: string;
  /** Makes the fixture of each case when it is due. */
  cases(): Iterable<Case>;
}

/** One measured function; times in nanoseconds for each operation. */
export interface Row {
  group: string;
  title: string;
  name: string;
  median: number;
  average: number;
  p99: number;
  /** Bytes allocated for each operation; null if every sample met a garbage collection. */
  bytes: number | null;
  /** Median divided by that of the first function of the case. */
  ratio: number;
  /** Whether a call takes no longer than an empty function: V8 has left the work out. */
  isEmpty: boolean;
}

/** Milliseconds that each function runs before it is measured, as a part of the time for measuring. */
const WARM_UP = 0.4;
/** Nanoseconds of one sample; calls are measured in batches at least this long. */
const SAMPLE_NS = 250_000;
/** Most calls in one batch. */
const MOST_CALLS = 1 << 16;
/** Calls that mitata writes one after the other in its loop. */
const UNROLLED = 4;
/** An empty function is one whose call takes less than this multiple of a call that does nothing: mitata's own threshold. */
const EMPTY = 1.42;

function heapBytes(): number {
  const { used_heap_size, malloced_memory } = getHeapStatistics();
  return used_heap_size + malloced_memory;
}

/** Runs a function for some milliseconds; nanoseconds of one call in the second half. */
function warmUp(bench: Bench, ms: number): number {
  const half = performance.now() + ms / 2;
  while (performance.now() < half) bench();
  const start = performance.now();
  let calls = 0;
  do {
    bench();
    calls++;
  } while (performance.now() < half + ms / 2);
  return ((performance.now() - start) * 1e6) / calls;
}

/** Measures a function for about `ms` milliseconds, after its warm-up. */
async function timesOf(bench: Bench, ms: number): Promise<Awaited<ReturnType<typeof measure>>> {
  const wanted = SAMPLE_NS / warmUp(bench, ms * WARM_UP);
  const calls = Math.min(MOST_CALLS, Math.ceil(wanted / UNROLLED) * UNROLLED);
  return measure(bench, {
    heap: heapBytes,
    min_cpu_time: ms * 1e6,
    batch_unroll: UNROLLED,
    batch_samples: calls,
    // We know better than a single cold call whether to measure calls one by one.
    batch_threshold: wanted > 1 ? Infinity : -1,
    warmup_threshold: Infinity,
  });
}

/** Measures all functions of a case one after the other. */
export async function measureCase(group: string, { title, benches, operations = 1 }: Case, ms: number): Promise<Row[]> {
  const least = EMPTY * (await emptyCall(ms));
  const rows: Row[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    const { p50, avg, p99, heap } = await timesOf(bench, ms);
    const median = p50 / operations;
    rows.push({
      group,
      title,
      name,
      median,
      average: avg / operations,
      p99: p99 / operations,
      bytes: heap === undefined || !Number.isFinite(heap.avg) ? null : heap.avg / operations,
      ratio: median / (rows[0]?.median ?? median),
      isEmpty: p50 < least,
    });
  }
  return rows;
}

let empty: number | null = null;

/** Nanoseconds of a call that does nothing. */
async function emptyCall(ms: number): Promise<number> {
  return (empty ??= (await timesOf(() => do_not_optimize(0), ms)).p50);
}
