import { reasonOf } from '../natives/reasons.js';
import { cacheFolder, cacheInfo, clearCache } from './cachefiles.js';
import type { Streams } from './host.js';

/** `svcc cache info`. @returns the exit code */
export function showCache({ stdout }: Streams): number {
  const { folder, entries, bytes, limit } = cacheInfo();
  stdout(
    `folder   ${folder}\nentries  ${entries}\nsize     ${(bytes / 1024).toFixed(0)} KB of at most ${(limit / 1024).toFixed(0)} KB\n`,
  );
  return 0;
}

/** `svcc cache clear`. @returns the exit code */
export function emptyCache({ stdout, stderr }: Streams): number {
  let removed: number;
  try {
    removed = clearCache();
  } catch (error) {
    stderr(`cannot clear ${cacheFolder()}: ${reasonOf(error)}\n`);
    return 1;
  }
  stdout(`${removed} ${removed === 1 ? 'entry' : 'entries'} removed\n`);
  return 0;
}
