import { cacheInfo, clearCache } from './cache.js';

/** `svcc cache info`; the exit code. */
export function showCache(): number {
  const { folder, entries, bytes, limit } = cacheInfo();
  console.log(`folder   ${folder}\nentries  ${entries}\nsize     ${(bytes / 1024).toFixed(0)} KB of at most ${limit / 1024} KB`);
  return 0;
}

/** `svcc cache clear`; the exit code. */
export function emptyCache(): number {
  const removed = clearCache();
  console.log(`${removed} ${removed === 1 ? 'entry' : 'entries'} removed`);
  return 0;
}
