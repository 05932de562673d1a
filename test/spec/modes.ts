import { runFile, type Outcome, type RunOptions } from '#embed';

type Run = (path: string, options: RunOptions) => Promise<Outcome>;

/** Ways to run a program, all with the same result. */
export const MODES = {
  normal: (path, options) => runFile(path, options),
  /** Compiled at one of the first calls. */
  jit: (path, options) => runFile(path, { ...options, jit: path.length % 4 }),
  'jit-slice-1': (path, options) => runFile(path, { ...options, jit: 0, slice: 1 }),
  artefact: (path, options) => runFile(path, { ...options, artefact: true }),
  'slice-1': (path, options) => runFile(path, { ...options, slice: 1 }),
} satisfies Record<string, Run>;

export type Mode = keyof typeof MODES;
