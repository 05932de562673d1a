import type { Diagnostic } from '../compiler/index.js';

/** A program that could not be loaded: what to print, and the exit code: 2, or 3 for an artefact that is refused. */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly diagnostics: readonly Diagnostic[] = [],
    readonly exitCode = 2,
  ) {
    super(message);
  }
}
