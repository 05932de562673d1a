import { reasonOf } from '../natives/reasons.js';
import { cacheFolder, cacheInfo, clearCache } from './cache.js';

/** `svcc cache info`; the exit code. */
export function showCache(): number {
  const { folder, entries, bytes, limit } = cacheInfo();
  console.log(`folder   ${folder}\nentries  ${entries}\nsize     ${(bytes / 1024).toFixed(0)} KB of at most ${(limit / 1024).toFixed(0)} KB`);
  return 0;
}

/** `svcc cache clear`; the exit code. */
export function emptyCache(): number {
  let removed: number;
  try {
    removed = clearCache();
  } catch (error) {
    console.error(`cannot clear ${cacheFolder()}: ${reasonOf(error)}`);
    return 1;
  }
  console.log(`${removed} ${removed === 1 ? 'entry' : 'entries'} removed`);
  return 0;
}
