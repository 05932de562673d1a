import { looksSoFar } from './cost.js';
import type { Value } from './value.js';

/**
 * Work of a native in steps. Each step takes a fraction of a millisecond; the last one returns the result. May throw
 * what natives throw.
 */
export type Steps = Iterator<void, Value, void>;

/** Elements or characters per step; shorter inputs run in a single step. */
export const STEP = 16_384;

/** Charges that end a step before its elements are visited: half a millisecond of work. */
const MAX_LOOKS = 25;

/** Calls `visit` with 0 … count − 1, in steps. */
export function* eachInSteps(count: number, visit: (i: number) => void): Generator<void, void, void> {
  for (let i = 0; i < count;) {
    const hi = Math.min(i + STEP, count);
    const before = looksSoFar();
    while (i < hi && looksSoFar() - before < MAX_LOOKS) visit(i++);
    if (i < count) yield;
  }
}

/** Runs all steps at once. */
export function finish<T>(steps: Iterator<void, T, void>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
