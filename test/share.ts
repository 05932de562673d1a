/** Whether tests run all of their cases. `npm test` without names of files sets SVC_TESTS=share (`tools/test.ts`). */
export const RUNS_ALL = process.env.SVC_TESTS !== 'share';

/** Number of parts into which cases of one kind are divided; a share is one part. */
export const PARTS = 8;

/** The seconds that a slow test takes in a share, on average: the longer it takes, the fewer of its kind run. */
const SLOW_TEST_SECONDS = 0.15;

/** FNV-1a hash, 32 bits: the same in every run. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** The part (0 to 7) that a name belongs to. */
export function partOf(name: string): number {
  return hashOf(name) % PARTS;
}

/** Whether a share includes a test that takes this many seconds (`slow.json`). */
export function isSlowTestInShare(name: string, seconds: number): boolean {
  return hashOf(name) / 2 ** 32 < SLOW_TEST_SECONDS / seconds;
}

/** Whether a case runs: all do, or where only a share runs, those whose names are in these parts. */
export function isInShare(name: string, parts: readonly number[] = [0]): boolean {
  return RUNS_ALL || parts.includes(partOf(name));
}
