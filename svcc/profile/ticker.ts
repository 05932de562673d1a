import { Worker } from 'node:worker_threads';
import type { Sampler } from '../../vm/watch/sampling.js';

/** Least mean milliseconds between two samples. */
const INTERVAL_MS = 10;
/**
 * Samples after which they become rarer: their mean interval is then LONG_FACTOR as long, and counts processor time
 * instead of real time, because a program that shares its processor with others needs fewer.
 */
const MANY_SAMPLES = 100;
const LONG_FACTOR = 2.5;
/** Least share of a processor that is assumed. */
const LEAST_SHARE = 0.25;
/** Least ratio of the time between two samples and the time that one takes: deep stacks take longer. */
const REST = 50;
/** Longest time in microseconds that one sample stands for. */
const MAX_WEIGHT = 1e6;
/** Milliseconds that the end of the process waits for the thread to disconnect. */
const STOP_MS = 500;
/** Milliseconds in which the main thread receives the last message of the thread. */
const DISCONNECT_MS = 2;

/** Numbers that both threads share: 32-bit words. */
const STATE = 0;
const ACTIVITY = 1;
/** Values of `STATE`: the thread starts, asks for samples, must stop, has stopped. */
const STARTING = 0;
const ASKING = 1;
const STOPPING = 2;
const STOPPED = 3;
/**
 * Float64s after them: the time of the last sample, how long samples take, in milliseconds, and the share of a processor
 * that the process uses.
 */
const TIMES_BYTE = 8;
const LAST = 0;
const COST = 1;
const SHARE = 2;
const TIMES = 3;
/** Weight of the newest sample in `COST` and `SHARE`. */
const NEWEST = 0.1;

const HOOK = 'svc.profile';

/**
 * Asks the main thread for samples. A request over the inspector interrupts JavaScript at its next call or loop, so the
 * running code needs no checks. Times are random, so that they have no rhythm in common with the program. Nothing is
 * asked while the VM does nothing.
 */
const THREAD = `
const { workerData: { memory, interval } } = require('node:worker_threads');
const { Session } = require('node:inspector');
const words = new Int32Array(memory);
const times = new Float64Array(memory, ${TIMES_BYTE}, ${TIMES});
if (Atomics.compareExchange(words, ${STATE}, ${STARTING}, ${ASKING}) !== ${STARTING}) process.exit();
const session = new Session();
session.connectToMainThread();
const request = { expression: 'globalThis[Symbol.for("${HOOK}")]()', silent: true, returnByValue: true };
let isAsked = false, isBusy = true, activity = -1, samples = 0;
function now() { const [s, ns] = process.hrtime(); return s * 1e3 + ns / 1e6; }
function mean() {
  const least = samples < ${MANY_SAMPLES} ? interval : interval * ${LONG_FACTOR} / Math.max(${LEAST_SHARE}, times[${SHARE}]);
  return Math.max(least, ${REST} * times[${COST}]);
}
function tick() {
  const isStopped = Atomics.load(words, ${STATE}) === ${STOPPING};
  if (isStopped && !isAsked) {
    session.disconnect();
    Atomics.store(words, ${STATE}, ${STOPPED});
    // The main thread answers to this thread: Node aborts if it has ended. It ends with the process.
    setInterval(() => {}, 1e9);
    return;
  }
  setTimeout(tick, isStopped ? 1 : mean() * (0.5 + Math.random()));
  if (isAsked) return;
  const current = Atomics.load(words, ${ACTIVITY});
  if (current === activity && !isBusy) { times[${LAST}] = now(); return; }
  activity = current;
  isAsked = true;
  samples++;
  session.post('Runtime.evaluate', request, (error, answer) => {
    isAsked = false;
    isBusy = answer?.result.value === true;
  });
}
tick();
`;

/** Microseconds of processor time that the process has used. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Takes samples of a VM until `stop`. */
export class Ticker {
  private readonly memory = new SharedArrayBuffer(TIMES_BYTE + 8 * TIMES);
  private readonly words = new Int32Array(this.memory);
  private readonly times = new Float64Array(this.memory, TIMES_BYTE, TIMES);

  constructor(sampler: Sampler, now: () => number) {
    const { words, times } = this;
    times[LAST] = now();
    times[SHARE] = 1;
    sampler.onActivity = () => void words[ACTIVITY]++;
    let used = processorTime();
    const take = (): boolean => {
      const time = now();
      const total = processorTime();
      // On a busy machine less processor time than real time passes; other threads of the process use some as well.
      const elapsed = (time - times[LAST]) * 1000;
      const microseconds = Math.min(MAX_WEIGHT, elapsed, total - used);
      times[SHARE] += NEWEST * (Math.min(1, microseconds / Math.max(1, elapsed)) - times[SHARE]);
      const isBusy = sampler.take(Math.round(microseconds));
      used = total;
      times[LAST] = now();
      times[COST] += NEWEST * (times[LAST] - time - times[COST]);
      return isBusy;
    };
    (globalThis as Record<symbol, unknown>)[Symbol.for(HOOK)] = take;
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { memory: this.memory, interval: INTERVAL_MS },
      execArgv: [],
    });
    worker.unref();
  }

  /** Disconnects the thread: Node waits at the end of a process that is being inspected. */
  stop(): void {
    const { words } = this;
    if (Atomics.compareExchange(words, STATE, STARTING, STOPPED) === STARTING) return;
    if (Atomics.compareExchange(words, STATE, ASKING, STOPPING) !== ASKING) return;
    const until = performance.now() + STOP_MS;
    // A loop, because only running JavaScript takes the message.
    while (Atomics.load(words, STATE) !== STOPPED && performance.now() < until);
    const left = performance.now() + DISCONNECT_MS;
    while (performance.now() < left);
  }
}
