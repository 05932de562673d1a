/** Measures functions in this process by mitata's `measure`. Its `run` spends 0.7 seconds on each function, which nothing shortens. */
import { getHeapStatistics } from 'node:v8';
import { do_not_optimize, measure } from 'mitata';
import { median, quantile, ratios } from '../shared/stats.js';

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
  mean: number;
  p99: number;
  /** Bytes allocated for each operation; null if every sample met a garbage collection. */
  bytes: number | null;
  /** Median of the ratios of each round to the first function of the case. */
  ratio: number;
  /** Whether a call takes no longer than an empty function: V8 has left the work out. */
  isEmpty: boolean;
}

/** Milliseconds that each function runs before it is measured, as a part of the time for measuring. */
const WARM_UP = 0.4;
/** Nanoseconds of one sample; calls are measured in batches at least this long. */
const SAMPLE_NS = 250_000;
/** Fewest samples of one round. */
const LEAST_SAMPLES = 5;
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

/** What mitata makes of one function in one round. */
type Stats = Awaited<ReturnType<typeof measure>>;

/** Measures a function that has warmed up, for about `ms` milliseconds. `callNs` is what a call takes. */
function round(bench: Bench, ms: number, callNs: number): Promise<Stats> {
  const wanted = SAMPLE_NS / callNs;
  return measure(bench, {
    // A collection of garbage makes V8 drop code that it has compiled; the interpreter's loop takes it a second.
    gc: false,
    heap: heapBytes,
    min_cpu_time: ms * 1e6,
    min_samples: LEAST_SAMPLES,
    batch_unroll: UNROLLED,
    batch_samples: Math.min(MOST_CALLS, Math.ceil(wanted / UNROLLED) * UNROLLED),
    // mitata decides by one cold call whether to measure calls in batches.
    batch_threshold: wanted > 1 ? Infinity : -1,
    warmup_threshold: Infinity,
  });
}

/** Measures the functions of a case in turns, each for `ms` milliseconds in all, after all of them have warmed up. */
export async function measureCase(group: string, given: Case, ms: number, rounds: number): Promise<Row[]> {
  const benches = Object.values(given.benches);
  const callNs = benches.map((bench) => warmUp(bench, ms * WARM_UP));
  const stats: Stats[][] = benches.map(() => []);
  for (let n = 0; n < rounds; n++)
    for (const [i, bench] of benches.entries()) stats[i].push(await round(bench, ms / rounds, callNs[i]));
  const least = EMPTY * (await emptyCall());
  return Object.keys(given.benches).map((name, i) =>
    rowOf({ group, title: given.title, name }, stats[i], stats[0], least, given.operations),
  );
}

type Names = Pick<Row, 'group' | 'title' | 'name'>;

function rowOf(names: Names, own: Stats[], first: Stats[], least: number, operations = 1): Row {
  const samples = own.flatMap((stats) => stats.samples);
  const heaps = own.flatMap(({ heap }) => (heap === undefined || !Number.isFinite(heap.avg) ? [] : [heap.avg]));
  return {
    ...names,
    median: median(samples) / operations,
    mean: samples.reduce((sum, ns) => sum + ns, 0) / samples.length / operations,
    p99: quantile(samples, 0.99) / operations,
    bytes: heaps.length === 0 ? null : median(heaps) / operations,
    ratio: median(
      ratios(
        own.map(({ p50 }) => p50),
        first.map(({ p50 }) => p50),
      ),
    ),
    isEmpty: median(samples) < least,
  };
}

/** Milliseconds for the function that does nothing. */
const EMPTY_MS = 50;
let empty: number | null = null;

/** Nanoseconds of a call that does nothing. */
async function emptyCall(): Promise<number> {
  const nothing = (): void => do_not_optimize(0);
  return (empty ??= (await round(nothing, EMPTY_MS, warmUp(nothing, EMPTY_MS))).p50);
}
