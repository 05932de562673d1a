import { chmodSync, realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Status of what is at a path, following links; null if nothing is there or it cannot be read. */
export function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/**
 * Writes a file: it appears whole or not at all, follows links and keeps the mode of the file that it replaces. Writes
 * directly to a device or a pipe. @throws the error of the file system
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const there = statsOf(path);
  if (there !== null && !there.isFile()) {
    writeFileSync(path, content);
    return;
  }
  const target = there === null ? path : realpathSync(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${Date.now().toString(36)}`);
  try {
    writeFileSync(temporary, content, { flag: 'wx' });
    if (there !== null) chmodSync(temporary, there.mode & 0o7777);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
