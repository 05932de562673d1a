import t from 'tap';
import { parseDotenv } from '../../../natives/io/dotenv.js';
import { cpuTime } from '../../clock.js';
import { raised } from './support.js';

const VALID: [string, [string, string][]][] = [
  ['', []],
  ['\n# comment\n  # another\n', []],
  ['A=1', [['A', '1']]],
  [
    'A=1\r\nB=2\r\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  [' export A = 1 ', [['A', '1']]],
  ['A=', [['A', '']]],
  [
    'A=\nB=2',
    [
      ['A', ''],
      ['B', '2'],
    ],
  ],
  ['A= # comment', [['A', '']]],
  ['A=a b # comment', [['A', 'a b']]],
  ['A=a#b', [['A', 'a#b']]],
  ["A='x # \\n y' # c", [['A', 'x # \\n y']]],
  ['A="x # \\n\\t\\"\\\\ \\q"', [['A', 'x # \n\t"\\ \\q']]],
  [
    'A="one\ntwo"\nB=3',
    [
      ['A', 'one\ntwo'],
      ['B', '3'],
    ],
  ],
  ["A='one\ntwo'", [['A', 'one\ntwo']]],
  ['A="$HOME \\$x"', [['A', '$HOME $x']]],
  ['a.b-c=1', [['a.b-c', '1']]],
  [
    'A=1\nA=2',
    [
      ['A', '1'],
      ['A', '2'],
    ],
  ],
  ['__proto__=x', [['__proto__', 'x']]],
  ["A=it's", [['A', "it's"]]],
];

t.test('settings', async (t) => {
  for (const [text, pairs] of VALID) t.same(parseDotenv(text), pairs, JSON.stringify(text));
});

t.test('errors name the line', async (t) => {
  t.equal(
    raised(() => parseDotenv('A=1\nnonsense')),
    'ValueError: line 2: expected NAME=value',
  );
  t.equal(
    raised(() => parseDotenv('A=1\nB=x\0\nC=1')),
    'ValueError: line 2: a value cannot contain a NUL character',
  );
  t.equal(
    raised(() => parseDotenv('1A=1')),
    'ValueError: line 1: expected NAME=value',
  );
  t.equal(
    raised(() => parseDotenv('A="x')),
    'ValueError: line 1: the quote is not closed',
  );
  t.equal(
    raised(() => parseDotenv("\nA='x")),
    'ValueError: line 2: the quote is not closed',
  );
  t.equal(
    raised(() => parseDotenv('A="x" y')),
    'ValueError: line 1: text after the closing quote',
  );
  t.match(
    raised(() => parseDotenv('A'.repeat(2 << 20))),
    /^ValueError: a settings file may have at most/,
  );
});

t.test('time grows linearly with the size', async (t) => {
  const size = 1 << 19;
  for (const text of [
    `A="${'\\a'.repeat(size / 2)}`,
    `A=${' '.repeat(size)}`,
    `A=${' #'.repeat(size / 2)}`,
    ' '.repeat(size),
    `export${' '.repeat(size)}`,
    `A=${'\n'.repeat(size)}`,
  ]) {
    t.ok(cpuTime(() => raised(() => parseDotenv(text))) < 500, JSON.stringify(text.slice(0, 10)));
  }
});
