import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSlowTestInShare } from './share.js';

/** The tests of a file: how many are quick, and the seconds that each of the others takes. */
export interface TestTimes {
  quick: number;
  slow: Record<string, number>;
}

const PATH = resolve(import.meta.dirname, 'slow.json');

/** Written by `npm run slow-tests`; a file that is missing is new, and has no test that is known to be slow. */
export const TIMES = JSON.parse(readFileSync(PATH, 'utf8')) as Record<string, TestTimes | undefined>;

/** Whether a share contains a test. @param file like `test/bus/drivers.test.ts` */
export function isTestInShare(file: string, name: string): boolean {
  const seconds = TIMES[file]?.slow[name] as number | undefined;
  return seconds === undefined || isSlowTestInShare(name, seconds);
}

/** Whether a share contains a test of a file. */
export function isFileInShare(file: string): boolean {
  const known = TIMES[file];
  return known === undefined || known.quick > 0 || Object.keys(known.slow).some((name) => isTestInShare(file, name));
}
