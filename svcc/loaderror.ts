import type { Diagnostic } from '../compiler/index.js';

/** A program that could not be loaded: the text to print, and the exit code (2, or 3 for a refused artefact). */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly diagnostics: readonly Diagnostic[] = [],
    readonly exitCode = 2,
    /** Paths of files that a module would be loaded from if they existed. */
    readonly absent: readonly string[] = [],
  ) {
    super(message);
  }
}
