import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CODES } from '../../compiler/diagnostics/codes.js';
import { VARIABLES } from '../../svcc/help/environment.js';
import { EXIT_CODES } from '../../svcc/help/exitcodes.js';
import { generateMan } from '../../tools/generate-man.js';
import { assertRefused } from './refusals.js';
import { ROOT, svcc } from './svcc.js';

t.jobs = 3;

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

t.test('svcc help names the topics and the documentation', async (t) => {
  const { stdout } = await svcc(['--help']);
  t.match(stdout, /^Topics of svcc help: language, errors, environment, exit-codes, documentation\.$/m);
  t.match(stdout, /docs\/guide\/README\.md/);
  t.match(stdout, /^ {2}-e <code> .*\n/m);
});

const TEXTS: Record<string, string[]> = {
  language: ['variables begin with their first assignment'],
  errors: ['unclosed-block', 'A block has no `end`.', ...Object.keys(CODES)],
  environment: VARIABLES.map(([name]) => name),
  'exit-codes': EXIT_CODES.map(([code]) => `  ${code} `),
  documentation: ['docs/language.md', `These files are in ${ROOT}.`],
};
for (const [topic, texts] of Object.entries(TEXTS))
  t.test(`svcc help ${topic}`, async (t) => {
    const { stdout, stderr, exitCode } = await svcc(['help', topic]);
    t.same([stderr, exitCode], ['', 0]);
    for (const text of texts) t.ok(stdout.includes(text), text);
    // The folder of the package may have a long path.
    const lines = stdout.split('\n').filter((line) => !line.startsWith('These files'));
    t.ok(Math.max(...lines.map((line) => line.length)) <= 80, 'at most 80 columns');
  });

t.test('an unknown topic', async (t) => {
  assertRefused(
    t,
    await svcc(['help', 'exitcodes']),
    2,
    /^error: unknown topic 'exitcodes'\n\(Did you mean exit-codes\?\)/,
    {
      lines: 4,
    },
  );
  assertRefused(t, await svcc(['help', 'rnu']), 2, /^error: unknown command 'rnu'\n\(Did you mean run\?\)/, {
    lines: 4,
  });
});

t.test('files that the documentation topic names exist', async (t) => {
  const { stdout } = await svcc(['help', 'documentation']);
  for (const [path] of stdout.matchAll(/\b(?:docs|examples)\/[\w./-]*/g)) t.ok(existsSync(join(ROOT, path)), path);
});

t.test('docs/tools.md has the tables of exit codes and variables', async (t) => {
  const document = read('docs/tools.md');
  for (const [head, text] of [...EXIT_CODES, ...VARIABLES]) t.ok(document.includes(`| ${head} | ${text} |\n`), head);
});

t.test('the manual page is up to date', async (t) => {
  for (const [path, text] of generateMan()) t.equal(read(path), text, 'after `npm run generate`');
});
