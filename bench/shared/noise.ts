import { median, spread } from './stats.js';

const SAMPLES = 25;
const STEPS = 2_000_000;
/** Spread above which small differences mean nothing. */
const QUIET = 0.05;
/** Tolerated slowdown of the machine during a suite. */
const STEADY = 0.1;

/** Stability of the machine: median and spread of the milliseconds for a fixed piece of work. */
export interface Noise {
  ms: number;
  spread: number;
}

function work(): number {
  const start = performance.now();
  let x = 1;
  for (let i = 0; i < STEPS; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  // Uses the result, so that V8 does not remove the loop.
  return Math.abs(x) < 0 ? NaN : performance.now() - start;
}

/** Measures the noise, in about a tenth of a second. */
export function noise(): Noise {
  work();
  const samples = Array.from({ length: SAMPLES }, work);
  return { ms: median(samples), spread: spread(samples) };
}

/** A sentence that compares the machine before and after a suite. */
export function noiseLine(before: Noise, after: Noise): string {
  const worst = Math.max(before.spread, after.spread);
  const drift = after.ms / before.ms - 1;
  const figures = `a fixed piece of work varied by ±${(worst * 100).toFixed(0)}% and took ${drift < 0 ? '' : '+'}${(drift * 100).toFixed(0)}% afterwards`;
  return worst > QUIET || Math.abs(drift) > STEADY
    ? `**The machine was busy**: ${figures}. Trust ratios, not times, and no small difference.`
    : `The machine was quiet: ${figures}.`;
}
