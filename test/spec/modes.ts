import { runFile, type Outcome, type RunOptions } from '#embed';
import { isInShare } from '../share.js';

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

/**
 * The parts of all programs that a mode runs where only a share of the cases runs (`share.ts`); other modes run all. So
 * each program runs in two or three modes.
 */
const PARTS: Partial<Record<Mode, readonly number[]>> = {
  jit: [1, 3],
  'slice-1': [0],
  artefact: [1],
  'jit-slice-1': [2],
};

/** Whether a program runs in a mode. */
export function isRunIn(mode: Mode, path: string): boolean {
  const parts = PARTS[mode];
  return parts === undefined || isInShare(path, parts);
}
