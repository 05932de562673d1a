import { COMPILER } from './compiler.js';
import { DATES } from './dates.js';
import { JIT } from './jit.js';
import type { Mutation } from './mutation.js';
import { RUNTIME } from './runtime.js';
import { TOOLS } from './tools.js';
import { WEB } from './web.js';

export type { Mutation };

/** All mutations, by part of the product. */
export const MUTATIONS: readonly Mutation[] = [...RUNTIME, ...WEB, ...DATES, ...COMPILER, ...JIT, ...TOOLS];
