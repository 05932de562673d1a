import { runFile, type Outcome, type RunOptions } from '#embed';

type Run = (path: string, options: RunOptions) => Promise<Outcome>;

/** The ways to run a program; all must give the same result. */
export const MODES = {
  normal: (path, options) => runFile(path, options),
  artefact: (path, options) => runFile(path, { ...options, artefact: true }),
  'slice-1': (path, options) => runFile(path, { ...options, slice: 1 }),
} satisfies Record<string, Run>;

export type Mode = keyof typeof MODES;
