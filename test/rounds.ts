/** Share of the rounds that a run outside of `.ci/run` has. */
const LOCAL_SHARE = 1 / 3;

/**
 * Number of rounds of a test with random input: `usual` in `.ci/run`, which sets CI=true, and `long` with SVC_LONG=1. A
 * run by hand has the first third of the usual ones. Seeds are counted from a fixed one, so the rounds are the same.
 */
export function rounds(usual: number, long: number): number {
  const { CI, SVC_LONG } = process.env;
  if (SVC_LONG === '1') return long;
  return CI === 'true' ? usual : Math.ceil(usual * LOCAL_SHARE);
}
