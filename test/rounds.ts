import { PARTS, RUNS_ALL } from './share.js';

/**
 * Number of rounds of a test with random input: `usual`, and `long` with SVC_LONG=1. A share of the tests has the first
 * eighth of the usual ones. Seeds are counted from a fixed one, so the rounds are the same.
 */
export function rounds(usual: number, long: number): number {
  if (process.env.SVC_LONG === '1') return long;
  return RUNS_ALL ? usual : Math.ceil(usual / PARTS);
}
