/** Temporary files of this process, which are removed when it ends, but for a signal that kills it. */
import { rmSync } from 'node:fs';
import { exitOnSignals } from '../endbysignal.js';

const paths = new Set<string>();
/** While there are files: lets a signal that ends the process remove them. */
let ignoreSignals = (): void => {};

function removeAll(): void {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch {
      // It stays.
    }
  }
}

/** Call before a temporary file is made. */
export function addTemporary(path: string): void {
  if (paths.size === 0) {
    process.prependListener('exit', removeAll);
    ignoreSignals = exitOnSignals();
  }
  paths.add(path);
}

/** Call when a temporary file has been removed or moved. */
export function dropTemporary(path: string): void {
  if (!paths.delete(path) || paths.size > 0) return;
  process.off('exit', removeAll);
  ignoreSignals();
}
