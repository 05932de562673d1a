import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Counts of tests of a VM. */
export interface TestResults {
  passed: number;
  failed: number;
}

/** The counts so far. */
export const TEST_RESULTS = new ModuleState<TestResults>(() => ({ passed: 0, failed: 0 }));

/** Called before a program that uses `mock` is linked; set by the part of the library that has it. */
export const BEFORE_MOCKING = new ModuleState<() => void>(() => () => {});

/** Whether a test has failed; the program's exit code is then 1. */
export function hasFailedTests(vm: NativeContext): boolean {
  return TEST_RESULTS.of(vm).failed > 0;
}
