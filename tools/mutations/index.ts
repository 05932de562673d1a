import { JIT } from './jit.js';
import type { Mutation } from './mutation.js';

export type { Mutation };

/** All mutations, by the part of the product. */
export const MUTATIONS: readonly Mutation[] = [...JIT];
