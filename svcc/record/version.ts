import { createHash } from 'node:crypto';
import type { Program } from '../../vm/bytecode/program.js';

/** Returns a digest of the texts of a program's files. */
export function versionOf({ sources }: Program): string {
  const hash = createHash('sha256');
  for (const { path, text } of sources) hash.update(JSON.stringify([path, text]));
  return hash.digest('hex');
}
