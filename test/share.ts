/** Whether tests run all of their cases. `npm test` without names of files sets SVC_TESTS=share (`tools/test.js`). */
export const RUNS_ALL = process.env.SVC_TESTS !== 'share';

/** Number of parts into which cases of one kind are divided; a share is one part. */
export const PARTS = 4;

/** The part (0 to 3) that a name belongs to, by its FNV-1a hash: the same in every run. */
export function partOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % PARTS;
}

/** Whether a case runs: all do, or where only a share runs, those whose names are in these parts. */
export function isInShare(name: string, parts: readonly number[] = [0]): boolean {
  return RUNS_ALL || parts.includes(partOf(name));
}

/**
 * The option `skip` of tests that run processes for many seconds: where only a share runs, the reason why they do not.
 * `rest` names the tests that cover the code in this case.
 */
export function skipInShare(rest: string): string | false {
  return (
    !RUNS_ALL && `takes long: run this file alone, or all tests with SVC_TESTS=all; ${rest} covers the code in part`
  );
}
