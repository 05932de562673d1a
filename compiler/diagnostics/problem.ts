import type { Code } from './codes.js';
import type { Diagnostic } from './diagnostic.js';

/** A diagnostic without its file, which only the caller knows. */
export interface Problem extends Omit<Diagnostic, 'file' | 'severity'> {
  code: Code;
}

/** A related place of a problem. */
export type Label = Diagnostic['labels'][number];

/** Builds a problem; labels and hint are optional. */
export function problem(
  code: Code,
  message: string,
  start: number,
  end: number,
  labels: Label[] = [],
  hint = '',
): Problem {
  return { code, message, start, end, labels, hint };
}
