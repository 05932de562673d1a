import t from 'tap';
import { LINE_END, LINE_START, TEXT_START } from '../../../../vm/bytecode/regextranslator.js';
import { SvcError } from '../../../../vm/values/error.js';
import type { Regex } from '../../../../vm/values/structured.js';
import { compileRegex } from '../../../../vm/values/regex/index.js';
import { crudeLimit } from '../../../../vm/values/regex/crude.js';
import { atOnceFor } from '../../../../vm/values/regex/search.js';
import { costFor, programOf } from './random.js';

/** Source, flags, exponents of the text's length for a search and for one attempt. */
// prettier-ignore
const COSTS: [string, string, number, number][] = [
  ['abc', '', 1, 1], ['\\d+', '', 1, 1], ['(\\d+)(?:\\.(\\d+))?', '', 1, 1], ['\\w+:', '', 2, 1], ['\\s+$', '', 2, 1], ['a*a*b', '', 3, 2], ['(.*)(.*)(.*)x', '', 4, 3],
  ['(a+)+b', '', Infinity, Infinity], ['(a|a)*b', '', Infinity, Infinity], ['(a|b)*c', '', 2, 1], ['(?:a*)*b', '', Infinity, Infinity], ['(?:(?:(.)*){2,})*X', '', Infinity, Infinity],
  // A condition before the first character excludes characters before it.
  ['^\\w+:', '', 1, 1], [`${LINE_START}\\w+:${LINE_END}`, 'm', 1, 1], [`${TEXT_START}[^]*x`, 'm', 1, 1], ['\\b\\w+:', '', 1, 1], ['(?<!\\w)\\w+:', '', 1, 1], [`${LINE_START}[^:]+:`, 'm', 2, 1],
  // Lookaround runs at each position that the path reaches.
  ['(?=a*b)a', '', 2, 2], ['(?:(?=a*b)a)+c', '', 3, 2], ['\\w+(?=:)', '', 2, 1], ['(a+)\\1b', '', 3, 2],
];

t.test('how the time of a search grows', async (t) => {
  for (const [source, flags, search, attempt] of COSTS) {
    const cost = costFor(programOf(new RegExp(source, flags)));
    t.strictSame([cost.search, cost.attempt], [search, attempt], source);
  }
});

t.test('choices count if the text does not decide them', async (t) => {
  for (const source of [`${'a?'.repeat(25)}X`, `${'(?:a|a)'.repeat(25)}X`, '(?:|){30}X', '(?:a?){30}X']) {
    t.equal(atOnceFor(costFor(programOf(new RegExp(source)))), -1, source);
    t.equal(crudeLimit(source, ''), -1, source);
  }
  t.ok(atOnceFor(costFor(programOf(/(?:foo|bar|baz)(?:1|2|3)(?:x|y)/))) > 10_000);
});

t.test('V8 compiles no expression that takes long', async (t) => {
  const words = Array.from({ length: 2000 }, (_, i) => `word${i}`).join('|');
  t.ok(crudeLimit(words, '') > 100);
  for (const source of ['(a|b)'.repeat(1000), 'a?'.repeat(5000), '\\p{L}'.repeat(300)])
    t.equal(crudeLimit(source, ''), -1);
});

t.test('with the crude limit V8 searches usual texts without analysis', async (t) => {
  for (const source of ['^\\/users\\/(\\d+)$', '\\w+@\\w+', '(GET|POST) (\\S+)', 'abc', '[a-z]{2,5}'])
    t.ok(crudeLimit(source, '') > 100, source);
  for (const source of ['(a+)+', '(?:a|ab)*', '(?:x){9}']) t.equal(crudeLimit(source, ''), -1, source);
});

t.test('a repeated group that matches in one way is one repetition', async (t) => {
  for (const source of ['(?:a|b)*', '(ab|cd)+x', '"(?:[^"\\\\]|\\\\.)*"', '(\\w|-)*', '(\\.|x)+'])
    t.ok(crudeLimit(source, '') > 1000, source);
  const others = [
    '(\\w|\\d)+',
    '([^,]|é)*',
    '([a-é]|ü)*',
    '([^a]|b)*',
    '(.|\\d)*',
    '(a|)*',
    '()*',
    '(?:a?)*',
    '((a)|b)*',
  ];
  for (const source of [...others, '(?:\\b|a)*', '(?:^|a)*', '(?:a|\\1)*']) t.equal(crudeLimit(source, ''), -1, source);
  t.equal(crudeLimit('(?:a|b)*', 'i'), -1, 'the case of other letters is not looked at');
});

t.test('alternatives of a group that counts as one repetition start with different characters', async (t) => {
  // prettier-ignore
  const atoms = ['a', 'é', '.', '-', '/', '}', '\\n', '\\012', '\\x61', '\\u0061', '\\u{1F600}', '\\p{L}', '\\P{Lu}', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\h', '\\R', '\\cA',
    '\\.', '\\b', '^', '$', '[a-c]', '[^a]', '[\\377]', '[\\u00e0-\\u00ff]', '[\\p{L}_]', '[[:alpha:]]', '[.]', '[\\]a]', '(a)', '\\1', 'a?'];
  const characters = [...'aAbz1_-/}.] \n\x01é\xff\u2028Ω'];
  for (const flags of ['', 'm', 'x'])
    for (const a of atoms)
      for (const b of atoms) {
        // A back-reference to no group is refused.
        const made = [`(?:${a}|${b})*`, a, b].map((source) => compiledOrNull(source, flags));
        const [group, first, second] = made;
        if (group === null || group.atOnce < 0 || first === null || second === null) continue;
        const starts = ({ re }: Regex, char: string): boolean => new RegExp(`^(?:${re.source})$`, re.flags).test(char);
        const shared = characters.filter((char) => starts(first, char) && starts(second, char));
        if (shared.length > 0) t.fail(`${a} and ${b} with '${flags}' both match ${JSON.stringify(shared)}`);
      }
  t.ok(compileRegex('(?:[^"\\\\]|\\\\.)*', '').atOnce > 1000);
});

/** A regex; null if its syntax is refused. Other errors are those of the analysis. */
function compiledOrNull(source: string, flags: string): Regex | null {
  try {
    return compileRegex(source, flags);
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
}

t.test('a lookaround counts if it has a repetition', async (t) => {
  const lines = `${LINE_START}\\s*${LINE_END}`;
  t.ok(crudeLimit(`${LINE_START}>`, 'm') > 10_000);
  t.ok(crudeLimit(lines, 'm') > 1000, lines);
  t.ok(crudeLimit('(?=a)b', '') > 10 * crudeLimit('(?=a+)b', ''));
  t.equal(crudeLimit('(?=(a+))b', ''), crudeLimit('(?=a+)b', ''));
});

t.test('V8 searches texts of the crude limit within milliseconds', async (t) => {
  const worst: readonly [string, string][] = [
    ['"(?:[^"\\\\]|\\\\.)*"', '\\"'],
    ['(?:ab|cd)+x', 'ab'],
    ['(?:\\w|-)*:', 'a-'],
    [`${LINE_START}\\s*x`, ' '],
    [`${LINE_START}\\s*x`, '\n'],
  ];
  for (const [source, unit] of worst) {
    const re = new RegExp(source, 'm');
    const text = unit.repeat(crudeLimit(source, 'm') / unit.length);
    re.test(text);
    const { user } = process.cpuUsage();
    for (let i = 0; i < 5; i++) re.test(text);
    t.ok(process.cpuUsage().user - user < 5 * 20_000, source);
  }
});
