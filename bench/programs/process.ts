/** Whole processes: how long they take, and what they print. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { withoutCertificates } from '../shared/environment.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_OUTPUT = 1 << 24;
/**
 * Runs the arguments as a command; the times are the last line of stderr. Node reports no processor time of children,
 * and /proc loses it when they end.
 */
const TIMED = 'TIMEFORMAT=$\'\\n%R %U\'; time "$@"';

export interface Outcome {
  /** Milliseconds from start to end. */
  readonly wall: number;
  /** Milliseconds of processor time that all threads used outside of the kernel. */
  readonly user: number;
  readonly output: string;
}

/** Runs a command to its end. Rejects if its exit code is not 0. */
export function run(command: string, args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  return new Promise((done, fail) => {
    execFile(
      'bash',
      ['-c', TIMED, 'bash', command, ...args],
      // `time` writes decimal points of the locale.
      { cwd: ROOT, env: { ...withoutCertificates(), LC_NUMERIC: 'C', ...env }, maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        if (error !== null) return fail(new Error(`${command} ${args.join(' ')} failed: ${stderr}`, { cause: error }));
        const times = stderr.trimEnd().split('\n').at(-1) ?? '';
        const [wall, user] = times.split(' ').map((seconds) => Number(seconds) * 1000);
        done({ wall, user, output: stdout });
      },
    );
  });
}
