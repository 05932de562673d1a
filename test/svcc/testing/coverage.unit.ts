import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';
import t, { type Test } from 'tap';
import { expected, PROGRAMS } from './counted.js';
import { project } from './support.js';

t.jobs = 2;

/** The counts of each file in lcov's format, as the comments state them. */
function counted(lcov: string): Record<string, Record<string, string>> {
  const files: Record<string, Record<string, string>> = {};
  for (const record of lcov.split('end_of_record\n').slice(0, -1)) {
    const lines = new Map<number, string>();
    const branches = new Map<string, { line: number; arms: string[] }>();
    for (const row of record.split('\n')) {
      const [, key, value] = /^(\w+):(.*)$/.exec(row) ?? [];
      const parts = (value ?? '').split(',');
      if (key === 'DA') lines.set(Number(parts[0]), parts[1]);
      if (key !== 'BRDA') continue;
      const branch = branches.get(parts[1]) ?? { line: Number(parts[0]), arms: [] };
      branch.arms.push(parts[3].replace('-', '0'));
      branches.set(parts[1], branch);
    }
    for (const { line, arms } of branches.values()) lines.set(line, `${lines.get(line) ?? '-'} | ${arms.join(' ')}`);
    const name = /^SF:.*\/(.*)\.svc$/m.exec(record)![1];
    files[name] = Object.fromEntries([...lines].sort(([a], [b]) => a - b).map(([line, text]) => [`${line}`, text]));
  }
  return files;
}

const FILES = {
  ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, text]) => [`lib/${name}.svc`, text])),
  ...Object.fromEntries(
    Object.keys(PROGRAMS).map((name) => [
      `test/${name}_test.svc`,
      `require "../lib/${name}"\ntest("x") { assert_true(true) }\n`,
    ]),
  ),
};

for (const [tier, jit] of [
  ['the interpreter', 'off'],
  ['compiled code', '0'],
])
  t.test(`lines and branches are those counted by hand, in ${tier}`, async (t) => {
    const { run, cwd } = project(t, FILES);
    const { exitCode, stdout } = await run(['--coverage'], { SVC_JIT: jit });
    t.equal(exitCode, 0, stdout);
    const found = counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8'));
    t.strictSame(Object.keys(found), Object.keys(PROGRAMS).sort(), 'files of tests are left out');
    for (const [name, program] of Object.entries(PROGRAMS)) t.strictSame(found[name], expected(program), name);
  });

/** A program that is called often enough to be compiled. */
const HOT = `def collatz(n)
  steps = 0                #= 3000
  while n != 1             #= 3000 | STEPS 3000
    n = n % 2 == 0 ? n // 2 : 3 * n + 1
    steps += 1
  end
  steps                    #= 3000
end
`;

t.test('hot code counts the same in both tiers; counts of several files add up', async (t) => {
  const source = 'require "lib/hot"\ntest("x") { (1..3000).each { |n| collatz(n) }; puts "x" }\n';
  const found: Record<string, string>[] = [];
  for (const jit of ['off', '0', '5']) {
    const { run, cwd } = project(t, { 'lib/hot.svc': HOT, 'a_test.svc': source });
    t.equal((await run(['--coverage'], { SVC_JIT: jit })).exitCode, 0);
    found.push(counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8')).hot);
  }
  t.strictSame(found[1], found[0]);
  t.strictSame(found[2], found[0]);
  let steps = 0;
  for (let start = 1; start <= 3000; start++) for (let n = start; n !== 1; n = n % 2 === 0 ? n / 2 : 3 * n + 1) steps++;
  t.equal(found[0]['3'], `3000 | ${steps} 3000`);
  const { run, cwd } = project(t, { 'lib/hot.svc': HOT, 'a_test.svc': source, 'b_test.svc': source });
  await run(['--coverage']);
  t.equal(counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8')).hot['3'], `6000 | ${2 * steps} 6000`);
});

async function reports(t: Test, args: string[] = []) {
  const { run, cwd } = project(t, {
    'lib/half.svc': 'def used() = "</script><b>&\'"\ndef unused(x)\n  y = x\n  y if x > 1\nend\n',
    'views/page.html.erb': '<p><%= used() %></p>\n',
    'a_test.svc':
      'require "lib/half"\napp = web_app()\napp.templates("views")\ntest("x") { assert_true(used() != nil) }\n',
  });
  return { cwd, outcome: await run(['--coverage', ...args]) };
}

t.test('the table and the page', async (t) => {
  const { cwd, outcome } = await reports(t);
  t.equal(outcome.exitCode, 0, outcome.stderr);
  t.match(
    outcome.stdout,
    `\nFILE          LINES         BRANCHES     NOT COVERED
lib/half.svc  33.3 % (1/3)  0.0 % (0/2)  3-4
all files     33.3 % (1/3)  0.0 % (0/2)
`,
  );
  const page = readFileSync(join(cwd, 'coverage/index.html'), 'utf8');
  const problems: string[] = [];
  parse(page, { onParseError: ({ code }) => problems.push(code) });
  t.strictSame(problems, []);
  t.notMatch(page, /<script|<\/script/, 'texts are escaped');
  t.match(page, '&lt;/script&gt;&lt;b&gt;&amp;&#39;');
  t.notMatch(page, /(src|href)="?https?:/, 'the page needs no other file');
});

t.test('other reporters keep standard output for themselves', async (t) => {
  const { outcome } = await reports(t, ['--reporter', 'json']);
  JSON.parse(outcome.stdout);
  t.match(outcome.stderr, 'lib/half.svc  33.3 %');
});

t.test('programs that are run without coverage count nothing, before and after', async (t) => {
  const { run, cwd } = project(t, {
    'lib/a.svc': 'def f() = 1\n',
    'a_test.svc': 'require "lib/a"\ntest("x") { f() }\n',
  });
  t.notMatch((await run()).stdout, 'FILE');
  t.match((await run(['--coverage'])).stdout, 'lib/a.svc  100.0 %');
  const { svcc } = await import('../svcc.js');
  t.notMatch((await svcc(['disasm', 'a_test.svc'], { cwd })).stdout, '%cover');
  t.notMatch((await run()).stdout, 'FILE');
});
