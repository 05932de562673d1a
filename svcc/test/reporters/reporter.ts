import type { FileResult } from '../protocol.js';

/** Prints results. Files come in the order of their names. */
export interface Reporter {
  /** Before the first file. */
  begin(): void;
  file(result: FileResult): void;
  /** After the last one. @param stopped whether files were left out after a failure */
  end(results: readonly FileResult[], stopped: boolean, ms: number): void;
}

export type Print = (text: string) => void;
