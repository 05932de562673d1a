/** Factor by which the clock and the timers of a process are faster. */
const FACTOR = 20;

const MODULE = `
const wait = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...rest) => wait(callback, ms / ${FACTOR}, ...rest);
const { hrtime } = process;
process.hrtime = () => {
  const ns = hrtime.bigint() * ${FACTOR}n;
  return [Number(ns / 1000000000n), Number(ns % 1000000000n)];
};
`;

/**
 * The environment of a process with a fast clock: a test waits a twentieth of a limit. Only for limits that must run
 * out; on a busy machine others would, too.
 */
export const FAST_CLOCK = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MODULE)}` };
