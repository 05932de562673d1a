import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '#embed';
import t, { type Test } from 'tap';
import { isInShare } from '../share.js';
import { ROOT } from '../spec/collect.js';
import { MODES } from '../spec/modes.js';
import { readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';
import { svcc } from '../svcc/svcc.js';
import { type Block, readBlocks, readFences } from './blocks.js';

// Runs every program of the reference, and those of other documents that have expectations.
const GUIDE = 'docs/language.md';
const OTHERS = ['docs/concurrency.md', 'docs/web.md', 'docs/auth.md', 'docs/data.md', 'README.md'];
const NAME = 'program.svc';
function blocksOf(path: string): Block[] {
  return readBlocks(path, readFileSync(join(ROOT, path), 'utf8'));
}

/** Writes a program and the files that it loads to a folder. */
function folderOf(t: Test, { source, files }: Block): string {
  const folder: Folder = { [NAME]: source };
  for (const [path, text] of Object.entries(files)) {
    const names = path.split('/');
    const last = names.pop() as string;
    const within = names.reduce<Folder>((outer, name) => (outer[name] ??= {}) as Folder, folder);
    within[last] = text;
  }
  return t.testdir(folder);
}

interface Folder {
  [name: string]: Folder | string;
}

async function check(t: Test, block: Block): Promise<void> {
  const path = join(folderOf(t, block), NAME);
  if (block.norun !== null) {
    const { stderr, exitCode } = await svcc(['disasm', path]);
    t.same({ stderr, exitCode }, { stderr: '', exitCode: 0 }, 'compiles');
    return;
  }
  const expected = readExpectations(block.source);
  t.same([expected.skip, expected.only], [null, null], 'runs in all modes');
  const programs: RunOptions['programs'] = new Map();
  for (const [mode, run] of Object.entries(MODES)) {
    const { actual, expected: wanted } = compare(
      NAME,
      expected,
      await run(path, { stdin: expected.stdin, args: expected.args, programs }),
    );
    t.equal(actual, wanted, mode);
  }
}

const guide = blocksOf(GUIDE);
const others = OTHERS.flatMap(blocksOf).filter(({ source }) => source.includes('# expect'));

for (const block of [...guide, ...others].filter(({ source }) => isInShare(source)))
  await t.test(block.place, (t) => check(t, block));

t.test('the reference has programs', async (t) => {
  t.ok(guide.length > 40, `${guide.length} programs`);
});

t.test('the reader of blocks', async (t) => {
  const text =
    'a\n```svc file=lib/a.svc\nputs 1\n```\n```text\n$ x\n```\n```svc\nrequire "lib/a"\n```\n```svc norun it serves\nx = 1\n```\n';
  t.same(readBlocks('a.md', text), [
    { place: 'a.md:9', source: 'require "lib/a"\n', norun: null, files: { 'lib/a.svc': 'puts 1\n' } },
    { place: 'a.md:12', source: 'x = 1\n', norun: 'it serves', files: {} },
  ]);
  t.throws(() => readBlocks('a.md', '```svc norun\n```\n'), { message: /^a\.md:2: what does 'svc norun' mean/ });
  t.throws(() => readBlocks('a.md', '```svc\nputs 1\n'), { message: 'a.md:2: the block has no end' });
  t.throws(() => readBlocks('a.md', '```svc file=a.svc\n```\n'), {
    message: 'a.md: no program follows the file a.svc',
  });
});

t.test('programs of the guide that do not run use what exists', async (t) => {
  const pages = readdirSync(join(ROOT, 'docs/guide')).map((name) => join('docs/guide', name));
  const all = pages.flatMap((path) => readFences(path, readFileSync(join(ROOT, path), 'utf8')));
  for (const { place, text } of all.filter(({ language }) => language === 'ruby')) {
    const path = join(t.testdir({ [NAME]: text }), NAME);
    const { stdout, stderr, exitCode } = await svcc(['check', path]);
    t.same([stdout + stderr, exitCode], ['', 0], place);
  }
});
