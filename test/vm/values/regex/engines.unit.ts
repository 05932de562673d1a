import t from 'tap';
import { Unbounded } from '../../../../vm/values/regex/regexparse.js';
import { rounds } from '../../../rounds.js';
import { TYPICAL } from './typical.js';
import {
  byAutomaton,
  byBacktracker,
  bySearch,
  byV8,
  Compiled,
  costFor,
  programOf,
  Random,
  randomExpression,
  randomText,
  type Row,
} from './random.js';

/** Milliseconds for one test on a busy machine. */
t.setTimeout(600_000);

const PAIRS = rounds(20_000, 200_000);
const LONG_PAIRS = rounds(300, 5_000);

/** Differences between the matches of an engine and of V8, as lines. */
function differences(expression: Compiled, text: string, expected: Row[]): string[] {
  const wanted = JSON.stringify(expected);
  const borders = JSON.stringify(expected.map(([start, all]) => [start, (start as number) + (all as string).length]));
  // prettier-ignore
  const found: [string, unknown, string][] = [
    ['backtracking', byBacktracker(expression, text, 1e9), wanted],
    ['backtracking in steps', byBacktracker(expression, text, 3), wanted],
    ['automaton', byAutomaton(expression, text, 1e9), borders],
    ['automaton in steps', byAutomaton(expression, text, 3), borders],
    ['search', bySearch(expression, expression.usual, text), wanted],
    ['search in small windows', bySearch(expression, expression.small, text), wanted],
  ];
  return found
    .filter(([, rows, right]) => rows !== null && JSON.stringify(rows) !== right)
    .map(
      ([name, rows, right]) =>
        `${name}: ${String(expression.re)} in ${JSON.stringify(text)}: ${JSON.stringify(rows)}, V8: ${right}`,
    );
}

/** Compares engines on random expressions, with `pairs` texts. */
function compare(pairs: number, seed: number, length: number): string[] {
  const random = new Random(seed);
  const wrong: string[] = [];
  for (let done = 0; done < pairs && wrong.length < 5;) {
    const re = randomExpression(random);
    const expression = new Compiled(re);
    const texts = Array.from({ length: 8 }, () => randomText(random, re.unicode, length));
    for (const [i, expected] of byV8(re, texts).entries())
      if (expected !== null) wrong.push(...differences(expression, texts[i], expected));
    done += texts.length;
  }
  return wrong;
}

t.test('random expressions match as in V8', async (t) => {
  t.strictSame(compare(PAIRS, 11, 0), []);
});

t.test('random expressions match as in V8 in texts of several windows', async (t) => {
  t.strictSame(compare(LONG_PAIRS, 12, 600), []);
});

t.test('typical expressions match as in V8 in texts that almost match', async (t) => {
  const random = new Random(13);
  for (const [source, flags, ...samples] of TYPICAL) {
    const re = new RegExp(source, `g${flags}`);
    const expression = new Compiled(re);
    const wrong: string[] = [];
    for (let i = 0; i < 20; i++) {
      let text = '';
      for (let k = random.below(6); k >= 0; k--) {
        const sample = random.pick(samples);
        text += random.pick([
          sample,
          sample,
          sample.slice(random.below(sample.length)),
          sample.slice(0, random.below(sample.length)),
          ' ',
          '\n',
          'x',
        ]);
      }
      const [expected] = byV8(re, [text]);
      if (expected !== null) wrong.push(...differences(expression, text, expected));
    }
    t.strictSame(wrong, [], source);
  }
});

/** A text of `length` characters: lines of a log, words, long runs. */
function production(random: Random, length: number): string {
  const parts: string[] = [];
  for (let size = 0; size < length; size += parts[parts.length - 1].length) {
    const samples = random.pick(TYPICAL).slice(2);
    const kind = random.below(40);
    parts.push(
      kind === 0
        ? random.pick(['a', ' ', '1', ',', '"']).repeat(random.below(5000))
        : `${random.pick(samples)}${random.pick([' ', '\n', ', ', '', '\r\n'])}`,
    );
  }
  return parts.join('');
}

/** Whether V8 may take exponential time. */
function isExponential({ program }: Compiled): boolean {
  return costFor(program).search === Infinity;
}

t.test('typical expressions match as in V8 in windows of the usual size', async (t) => {
  const random = new Random(14);
  const text = production(random, 150_000);
  for (const [source, flags] of TYPICAL) {
    const re = new RegExp(source, `g${flags}`);
    const expression = new Compiled(re);
    // These fail in long runs, by a limit.
    if (expression.usual.plan.isLimited) continue;
    const [expected] = byV8(re, [text], Infinity, isExponential(expression) ? 300 : 5000);
    if (expected === null) continue;
    const rows = bySearch(expression, expression.usual, text, Infinity);
    t.equal(rows.length, expected.length, source);
    t.equal(
      rows.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(expected[i])),
      -1,
      source,
    );
  }
});

t.test('an expression that is too large is an error', async (t) => {
  for (const source of ['(?:a{1,200}){1,200}', '(?:(?:a{9}){99}){99}', 'a{50000}'])
    t.throws(
      () => programOf(new RegExp(source)),
      new Unbounded('is too large: it has more than 10,000 parts, counting repetitions'),
      source,
    );
});
