import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { runFile, type RunOptions } from '#embed';
import t from 'tap';
import { isInShare } from '../share.js';
import { collectPrograms, ROOT } from './collect.js';
import { readExpectations } from './program.js';
import { compare } from './report.js';

// Counting must change nothing that a program does, in either tier.

const FOLDER = /^spec-tests\/(?!web)/;

t.setTimeout(1_800_000);

async function outcomeOf(path: string, options: RunOptions) {
  const expected = readExpectations(await readFile(join(ROOT, path), 'utf8'));
  if (expected.skip !== null || expected.only?.includes('normal') === false) return null;
  const { stdin, args, isVirtual } = expected;
  const outcome = await runFile(join(ROOT, path), { ...options, coverage: true, virtual: isVirtual, stdin, args });
  return compare(basename(path), expected, outcome);
}

for (const [folder, all] of await collectPrograms()) {
  const paths = all.filter((path) => isInShare(path));
  if (!FOLDER.test(folder) || paths.length === 0) continue;
  await t.test(`${folder} with coverage`, async (t) => {
    for (const [i, path] of paths.entries()) {
      const outcome = await outcomeOf(path, { jit: i % 2 === 0 ? null : 0 });
      if (outcome !== null) t.equal(outcome.actual, outcome.expected, path);
    }
  });
}
