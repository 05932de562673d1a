import type { NativeContext } from '../../vm/nativecontext.js';
import { BEFORE_MOCKING } from '../core/testresults.js';
import { assertions } from './assertions.js';
import { counting } from './coverage.js';
import { declaring } from './declaring.js';
import { makeReplaceable, mocking } from './mocks.js';

/** Functions for tests. */
export const testing = [...declaring, ...assertions, ...mocking];

/** Defines the functions for tests in a VM. */
export function installTesting(vm: NativeContext): void {
  vm.define(testing);
  vm.define(counting);
  BEFORE_MOCKING.set(vm, () => makeReplaceable(vm, testing));
}
