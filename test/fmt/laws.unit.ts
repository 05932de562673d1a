import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { isInShare } from '../share.js';
import { formatText } from '../../svcc/fmt/format.js';
import { shortest } from '../clock.js';
import { readFences } from '../docs/blocks.js';
import { rounds } from '../rounds.js';
import { randomProgram } from '../vm/random/generator.js';
import { SMALL } from '../vm/random/size.js';
import { Random, seedFrom } from '../vm/support/random.js';
import { disturbed } from './disturb.js';
import { treeOf, verdict } from './laws.js';

/*
 * Laws of the formatter: formatting twice changes nothing, the syntax tree stays the same, no comment is lost.
 *   SVC_SEED=7 npx tap test/fmt/laws.unit.ts               other disturbed and random programs
 *   SVC_PROGRAMS=20000 npx tap test/fmt/laws.unit.ts       a long search
 */
const ROOT = resolve(import.meta.dirname, '..', '..');
const FOLDERS = ['bench', 'compiler', 'docs', 'examples', 'spec-tests', 'templates', 'test/compiler', 'test/vm'];
const SEED = seedFrom('SVC_SEED', 1);
const COUNT = seedFrom('SVC_PROGRAMS', rounds(300, 3000));
/** Maximum number of failures that are shown. */
const MAX_FAILURES = 10;

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

const programs = FOLDERS.flatMap((folder) => filesBelow(folder, '.svc')).map((name) => ({
  name,
  text: readFileSync(join(ROOT, name), 'utf8'),
}));
const correct = programs.filter(({ text }) => treeOf(text) !== null);
const wrong = programs.filter((program) => !correct.includes(program));

function check(t: Test, cases: Iterable<{ name: string; text: string }>): void {
  const failures: string[] = [];
  for (const { name, text } of cases) {
    const law = verdict(text);
    if (law !== null) failures.push(`${name}: ${law}`);
  }
  t.strictSame(failures.slice(0, MAX_FAILURES), [], `${failures.length} programs break a law`);
}

t.test('all programs of the repository', async (t) => {
  t.ok(correct.length > 1700, `${correct.length} programs`);
  check(
    t,
    correct.filter(({ name }) => isInShare(name)),
  );
});

t.test('programs that do not parse are left alone, with the same diagnostics as those of the compiler', async (t) => {
  t.ok(wrong.length > 100, `${wrong.length} programs`);
  for (const { name, text } of wrong) {
    const formatted = formatText(text, name);
    t.ok('diagnostics' in formatted && formatted.diagnostics.every(({ file }) => file === name), name);
  }
});

t.test('programs in the documentation', async (t) => {
  const fences = [...filesBelow('docs', '.md'), 'README.md']
    .flatMap((name) => readFences(name, readFileSync(join(ROOT, name), 'utf8')))
    .filter(({ language, text }) => language === 'svc' && treeOf(text) !== null)
    .map(({ place, text }) => ({ name: place, text }));
  t.ok(fences.length > 300, `${fences.length} programs`);
  check(t, fences);
});

function* randomPrograms(): Generator<{ name: string; text: string }> {
  for (let i = 0; i < COUNT; i++) {
    const seed = SEED * 1_000_000 + i;
    const { svc } = randomProgram(seed, SMALL);
    const text = i % 2 === 0 ? svc : disturbed(svc, new Random(seed), 5);
    if (treeOf(text) !== null) yield { name: `random program ${seed}`, text };
  }
}

function* disturbedPrograms(): Generator<{ name: string; text: string }> {
  const short = correct.filter(({ text }) => text.length < 10_000);
  for (let i = 0; i < COUNT; i++) {
    const seed = SEED * 1_000_000 + i;
    const random = new Random(seed);
    const { name, text } = short[random.below(short.length)];
    const changed = disturbed(text.replaceAll('\r\n', '\n'), random, [2, 5, 20][i % 3]);
    if (treeOf(changed) !== null) yield { name: `${name} with seed ${seed}`, text: changed };
  }
}

t.test('random programs', async (t) => check(t, randomPrograms()));
t.test('programs with line breaks and comments between their tokens', async (t) => check(t, disturbedPrograms()));

t.test('10,000 lines take less than a second of processor time', async (t) => {
  let text = '';
  for (const { text: part } of correct.filter(({ name }) =>
    /^(?:examples|bench|docs|spec-tests\/(?:web|core))\//.test(name),
  ))
    text += `${part.replaceAll('\r\n', '\n').trimEnd()}\n`;
  const lines = text.split('\n').length;
  t.ok(lines > 10_000, `${lines} lines`);
  const milliseconds = (shortest(() => formatText(text, 'large.svc'), 4) * 10_000) / lines;
  t.ok(milliseconds < 1000, `${milliseconds.toFixed(0)} ms`);
});

t.test('the time grows with the length', async (t) => {
  const grows = (what: string, make: (count: number) => string): void => {
    const time = (count: number): number => {
      const text = make(count);
      return shortest(() => formatText(text, 'large.svc'), 3);
    };
    time(1000);
    const [small, large] = [time(1000), time(8000)];
    const ratio = large / Math.max(small, 2);
    if (ratio < 24) return void t.pass(`${what}: ${ratio.toFixed(1)}`);
    // Between the two lengths the heap begins to grow, which may cost more than the rest: it grows from here on as well.
    const further = time(32_000) / large;
    t.ok(further < 12, `${what}: ${ratio.toFixed(1)} for eight times the length, then ${further.toFixed(1)} for four`);
  };
  grows('statements', (count) => 'puts [1, "two"] if x # c\n'.repeat(count));
  grows('a list', (count) => `x = [\n${'"a", # c\n'.repeat(count)}]\n`);
  grows('arguments on a line', (count) => `f(${'"abc", '.repeat(count)}1)\n`);
  grows('operators', (count) => `x = ${'1 + 2 * '.repeat(count)}3\n`);
  grows('a chain', (count) => `x${'.map(1)'.repeat(count)}\n`);
  grows('pipes', (count) => `x${' |> f'.repeat(count)}\n`);
  grows('clauses', (count) => `case x\n${'when 1 then 2\n'.repeat(count)}end\n`);
  grows('comments', (count) => `f(\n${'# c\n'.repeat(count)})\n`);
  grows('a text of many lines', (count) => `x = """\n${'line\n'.repeat(count)}"""\n`);
  grows('heredocs', (count) => 'f(<<A, 1)\ntext\nA\n'.repeat(count));
});

t.test('deep nesting', async (t) => {
  for (const text of [
    `${'['.repeat(300)}1${']'.repeat(300)}\n`,
    `${'f { '.repeat(120)}1${' }'.repeat(120)}\n`,
    `${'f(a, {b: '.repeat(120)}1${'})'.repeat(120)}\n`,
    `${'if a\n'.repeat(120)}1\n${'end\n'.repeat(120)}`,
    `${'f { x if '.repeat(100)}1${' }'.repeat(100)}\n`,
  ])
    t.equal(verdict(text), null);
});
