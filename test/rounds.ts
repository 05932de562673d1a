import { RUNS_ALL } from './share.js';

/** Part of the rounds that runs where each test runs a share of its cases. */
const SHARE = 1 / 6;

/**
 * Number of rounds of a test with random input: `usual`, and `long` with SVC_LONG=1. A share of the tests has the first
 * sixth of the usual ones. Seeds are counted from a fixed one, so the rounds are the same.
 */
export function rounds(usual: number, long: number): number {
  if (process.env.SVC_LONG === '1') return long;
  return RUNS_ALL ? usual : Math.ceil(usual * SHARE);
}
