import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { assertRefused } from './refusals.js';
import { type Outcome, svcc } from './svcc.js';

const MEGABYTE = 1024 * 1024;
const DEPTH = 10_000;
/** Maximum milliseconds of processor time for a source. */
const LIMIT_MS = 10_000;

/** Makes a process write the microseconds of its processor time to a file. */
const METER = `import { writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.SVC_TEST_USED, String(user + system));
});
`;

t.jobs = 2;

async function run(test: Test, source: string): Promise<Outcome> {
  const cwd = test.testdir({ 'app.svc': source });
  const used = join(cwd, 'used');
  const outcome = await svcc(['run', 'app.svc'], {
    cwd,
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(METER)}`, SVC_TEST_USED: used },
  });
  const ms = Number(readFileSync(used, 'utf8')) / 1000;
  test.ok(ms > 0 && ms < LIMIT_MS, `${ms.toFixed(0)} ms`);
  return outcome;
}

t.test('a line of 1 MB runs', async (t) => {
  const { stdout, stderr, exitCode } = await run(
    t,
    `x = "${'a'.repeat(MEGABYTE)}"\nputs x.length # ${'b'.repeat(MEGABYTE)}`,
  );
  t.strictSame({ stdout, stderr, exitCode }, { stdout: `${MEGABYTE}\n`, stderr: '', exitCode: 0 });
});

const LONG_LINES: Record<string, string> = {
  'at its end': `x = "${'a'.repeat(MEGABYTE)}" 1`,
  'at its beginning': `x = 1 "${'a'.repeat(MEGABYTE)}"`,
  'of an open string': `x = "${'a'.repeat(MEGABYTE)}`,
  'of one word': 'a'.repeat(MEGABYTE) + ' = ) 1',
};

for (const [name, source] of Object.entries(LONG_LINES)) {
  t.test(`a mistake in a line of 1 MB, ${name}, has a short message`, async (t) => {
    const outcome = await run(t, source);
    assertRefused(t, outcome, 2, /app\.svc:1:\d+/, { lines: 6 });
    t.ok(outcome.stderr.length < 2000, `${outcome.stderr.length} characters`);
  });
}

/** Asserts that a nested source runs or is refused with a position; the compiler chooses the maximum depth. */
function assertRunsOrRefused(test: Test, outcome: Outcome, stdout: string): void {
  if (outcome.exitCode === 0) test.strictSame(outcome, { stdout, stderr: '', exitCode: 0 });
  else assertRefused(test, outcome, 2, /app\.svc:\d+:\d+: .*nest/, { lines: 6 });
}

const nested = (open: string, inner: string, close: string): string => open.repeat(DEPTH) + inner + close.repeat(DEPTH);

// prettier-ignore
const NESTED: Record<string, [source: string, stdout: string]> = {
  parentheses: [`puts ${nested('(', '1', ')')}`, '1\n'],
  vectors: [`x = ${nested('[', '', ']')}\nputs "done"`, 'done\n'],
  hashes: [`x = ${nested('{a: ', '1', '}')}\nputs "done"`, 'done\n'],
  ifs: [`${nested('if true\n', 'puts "done"\n', 'end\n')}`, 'done\n'],
  blocks: [`${nested('[1].each do |x|\n', 'puts "done"\n', 'end\n')}`, 'done\n'],
  lambdas: [`f = ${nested('->(x) { ', 'x', ' }')}\nputs "done"`, 'done\n'],
  calls: [`def f(x)\n  x\nend\nputs ${nested('f(', '1', ')')}`, '1\n'],
  interpolations: [`puts "${nested('#{"', 'a', '"}')}"`, 'a\n'],
  negations: [`puts ${'-'.repeat(DEPTH * 2)}1`, '1\n'],
  'else ifs': [`x = 5\nif x == 0\n${Array.from({ length: DEPTH }, (_, i) => `elsif x == ${i + 10}\n  1\n`).join('')}else\n  puts "done"\nend`, 'done\n'],
  'method calls': [`puts "a"${'.upcase'.repeat(DEPTH)}`, 'A\n'],
};

for (const [name, [source, stdout]] of Object.entries(NESTED)) {
  t.test(`${DEPTH.toLocaleString('en')} nested ${name}`, async (t) =>
    assertRunsOrRefused(t, await run(t, source), stdout),
  );
}

const OPENERS: Record<string, string> = {
  parentheses: '(',
  brackets: '[',
  braces: '{',
  ifs: 'if true\n',
  interpolations: 'puts "#{',
  calls: 'f(',
};

for (const [name, opener] of Object.entries(OPENERS)) {
  t.test(`${DEPTH.toLocaleString('en')} unclosed ${name}`, async (t) => {
    assertRefused(t, await run(t, opener.repeat(DEPTH)), 2, /app\.svc:\d+:\d+: /, { lines: 60 });
  });
}
