import t from 'tap';
import { csvSteps } from '../../../natives/io/csv.js';
import { csvTextSteps } from '../../../natives/io/csvtext.js';
import { finish } from '../../../vm/values/steps.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { cpuTime } from '../../clock.js';
import { raised } from './support.js';

const parseCsv = (text: string, headers: boolean, sep: string): Value[] => finish(csvSteps(text, headers, sep));
const dumpCsv = (rows: Value[], headers: boolean | Value[], sep: string): string =>
  finish(csvTextSteps(rows, headers, sep));

/** Text, separator, rows. */
// prettier-ignore
const VALID: [string, string, string[][]][] = [
  ['', ',', []],
  ['a', ',', [['a']]],
  ['a,b', ',', [['a', 'b']]],
  ['a,b\n', ',', [['a', 'b']]],
  ['a,b\r\nc,d\r\n', ',', [['a', 'b'], ['c', 'd']]],
  ['a\rb\r', ',', [['a'], ['b']]],
  ['a\n\n\r\nb', ',', [['a'], ['b']]],
  [',', ',', [['', '']]],
  ['a,\n,b', ',', [['a', ''], ['', 'b']]],
  ['"a","b"', ',', [['a', 'b']]],
  ['"a""b",""', ',', [['a"b', '']]],
  ['""""', ',', [['"']]],
  ['"a,b\r\nc"\nd', ',', [['a,b\r\nc'], ['d']]],
  ['""\n""', ',', [[''], ['']]],
  [' a , b ', ',', [[' a ', ' b ']]],
  ['a;b,c', ';', [['a', 'b,c']]],
  ['a\tb', '\t', [['a', 'b']]],
  ['a]b\\c^d', ']', [['a', 'b\\c^d']]],
  ['a\\b', '\\', [['a', 'b']]],
  ['a^b', '^', [['a', 'b']]],
  ['a-b', '-', [['a', 'b']]],
  ['a.b', '.', [['a', 'b']]],
  ['é😀,ü', ',', [['é😀', 'ü']]],
];

const INVALID: [string, string][] = [
  ['a"b', 'line 1: a quote inside a field without quotes; put the field in quotes and write "" for one'],
  ['a\nb\n"c\nd', 'line 3: a quoted field is not closed'],
  ['"a\nb"c', 'line 2: text after a closing quote'],
  ['"a" ,b', 'line 1: text after a closing quote'],
  ['"', 'line 1: a quoted field is not closed'],
];

t.test('RFC 4180', async (t) => {
  for (const [text, sep, rows] of VALID) t.same(parseCsv(text, false, sep), rows, JSON.stringify(text));
});

t.test('errors name the line', async (t) => {
  for (const [text, message] of INVALID)
    t.equal(
      raised(() => parseCsv(text, false, ',')),
      `ValueError: invalid CSV at ${message}`,
    );
  t.equal(
    raised(() => parseCsv('a,b\n1,2\n\n1,2,3', true, ',')),
    'ValueError: invalid CSV at line 4: 3 fields, but 2 columns',
  );
  t.equal(
    raised(() => parseCsv('a,b,a\n', true, ',')),
    'ValueError: invalid CSV at line 1: two columns are called "a"; read it with headers: false',
  );
  for (const sep of ['', ',,', '"', '\n', '😀'])
    t.match(
      raised(() => parseCsv('a', true, sep)),
      /^ValueError: sep must be one character/,
    );
});

t.test('headers', async (t) => {
  t.equal(inspect(parseCsv('a,b\n1,2\n3', true, ',')), '[{a: "1", b: "2"}, {a: "3", b: nil}]');
  t.equal(inspect(parseCsv('a\n', true, ',')), '[]');
  t.equal(inspect(parseCsv('', true, ',')), '[]');
  t.equal(inspect(parseCsv('__proto__,constructor\n1,2', true, ',')), '[{__proto__: "1", constructor: "2"}]');
  const wide = Array.from({ length: 40 }, (_, i) => `c${i}`).join(',');
  t.equal((parseCsv(`${wide}\n${wide}`, true, ',')[0] as Hash).get('c39'), 'c39');
});

t.test('dump', async (t) => {
  const h = (entries: Record<string, Value>): Hash => Hash.from(Object.entries(entries));
  t.equal(dumpCsv([], true, ','), '');
  t.equal(
    dumpCsv(
      [
        [1, null, 'x,y'],
        ['"', 'a\nb', true],
      ],
      true,
      ',',
    ),
    '1,,"x,y"\n"""","a\nb",true\n',
  );
  t.equal(dumpCsv([['']], true, ','), '""\n');
  t.equal(dumpCsv([h({ a: 1 }), h({ b: 2, a: 3 })], true, ','), 'a,b\n1,\n3,2\n');
  t.equal(dumpCsv([h({ a: 1, b: 2 })], ['b', 'c'], ';'), 'b;c\n2;\n');
  t.equal(dumpCsv([h({ a: 1 })], false, ','), '1\n');
  t.equal(dumpCsv([[1]], ['n'], ','), 'n\n1\n');
  t.equal(
    raised(() => dumpCsv([h({}), [1]], true, ',')),
    'TypeError: the rows of a CSV text must be all Hash or all Vector, got Vector',
  );
  t.equal(
    raised(() => dumpCsv([1], true, ',')),
    'TypeError: the rows of a CSV text must be all Hash or all Vector, got Integer',
  );
});

t.test('written rows read back', async (t) => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', ';', 'é') });
  const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(rows, (given) => {
        t.strictSame(JSON.stringify(parseCsv(dumpCsv(given, true, ','), false, ',')), JSON.stringify(given));
      }),
      { numRuns: 300 },
    ),
  );
});

t.test('time grows linearly with the size', async (t) => {
  for (const text of [
    ','.repeat(1 << 20),
    '"'.repeat((1 << 20) + 2),
    'a\n'.repeat(1 << 19),
    `"${'""'.repeat(1 << 19)}"`,
  ]) {
    t.ok(cpuTime(() => parseCsv(text, false, ',')) < 2000);
  }
});
