import type { Code } from './codes.js';
import type { Diagnostic } from './diagnostic.js';

/** A finding whose file is not known yet. */
export interface Problem extends Omit<Diagnostic, 'file' | 'severity'> {
  code: Code;
}

/** Another place that belongs to a problem. */
export type Label = Diagnostic['labels'][number];

/** Builds a problem; labels and hint are often absent. */
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
