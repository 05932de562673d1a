import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Outcome, RunOptions } from '#embed';
import t, { type Test } from 'tap';
import { isInShare } from '../share.js';
import { PATIENCE_MS } from '../patience.js';
import { collectPrograms, expectedOutputOf, hasExpectedOutput, ROOT } from './collect.js';
import { isRunIn, type Mode, MODES } from './modes.js';
import { readArguments, readExpectations } from './program.js';
import { compare, compareExactly, type Comparison } from './report.js';

/**
 * Runs every program in the modes, in some of them only a share of all programs (`modes.ts`): one subtest for each folder, one assertion for each program and mode. A
 * program is compiled once for all modes.
 */
export async function runPrograms(...modes: Mode[]): Promise<void> {
  for (const [folder, paths] of await collectPrograms()) {
    await t.test(folder, async (test) => {
      for (const path of paths) await checkProgram(test, path, modes);
    });
  }
}

async function checkProgram(test: Test, path: string, modes: Mode[]): Promise<void> {
  const check = hasExpectedOutput(path) ? checkExample : checkExpectations;
  const programs: RunOptions['programs'] = new Map();
  for (const mode of modes.filter((mode) => isRunIn(mode, path))) {
    const name = `${path.replace(/^spec-tests\//, '')} [${mode}]`;
    const run = (options: RunOptions): Promise<Outcome> => runWithLimit(path, mode, { ...options, programs });
    try {
      await check(test, path, mode, name, run);
    } catch (error) {
      test.error(error, name);
    }
  }
}

type Check = (
  test: Test,
  path: string,
  mode: Mode,
  name: string,
  run: (options: RunOptions) => Promise<Outcome>,
) => Promise<void>;

const checkExpectations: Check = async (test, path, mode, name, run) => {
  const expected = readExpectations(await readFile(join(ROOT, path), 'utf8'));
  if (expected.skip !== null) {
    test.pass(name, { skip: expected.skip });
    return;
  }
  // Most programs with `# only:` take seconds.
  if (expected.only !== null && !(expected.only.includes(mode) && isInShare(path))) return;
  const outcome = await run({ stdin: expected.stdin, args: expected.args, virtual: expected.isVirtual });
  assertEqual(test, compare(basename(path), expected, outcome), name);
};

const checkExample: Check = async (test, path, _mode, name, run) => {
  const outcome = await run({ args: readArguments(await readFile(join(ROOT, path), 'utf8')) });
  assertEqual(test, compareExactly(await readFile(expectedOutputOf(path), 'utf8'), outcome), name);
};

/** If they differ, tap shows the difference. */
function assertEqual(test: Test, { actual, expected }: Comparison, name: string): void {
  test.equal(actual, expected, name);
}

async function runWithLimit(path: string, mode: Mode, options: RunOptions): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${path} runs longer than ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([MODES[mode](join(ROOT, path), options), limit]);
  } finally {
    clearTimeout(timer);
  }
}
