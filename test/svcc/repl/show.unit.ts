import t from 'tap';
import { paintFor } from '../../../svcc/repl/paint.js';
import { shortText } from '../../../svcc/repl/show.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { cpuTime } from '../../clock.js';
import { TestSession } from './session.js';

const plain = paintFor(false, {});

t.test('short values print as `p` prints them', async (t) => {
  const values: Value[] = [
    null,
    true,
    5,
    2n ** 70n,
    new Float(2.5),
    'a "quoted"\n#{text}',
    [],
    [1, [2, ['x']]],
    Hash.from([]),
    Hash.from([
      ['a', 1],
      ['b c', [new Float(1)]],
      [5, null],
    ]),
  ];
  for (const value of values) t.equal(shortText(value, plain), inspect(value));
});

t.test('long values are cut, and name their size', async (t) => {
  const list = Array.from({ length: 10_000_000 }, (_, i) => i);
  const shown = [
    [list, /^\[0, 1, 2, .*, … \(10,000,000 elements\)\]$/],
    [[list, list], /^\[\[0, .*… \(10,000,000 elements\)\], … \(2 elements\)\]$/],
    ['x'.repeat(10_000_000), /^"x{1000}…" \(10,000,000 characters\)$/],
    [Hash.from(list.slice(0, 100_000).map((i): [Value, Value] => [i, i])), /^\{0: 0, .*… \(100,000 keys\)\}$/],
    [2n ** 1_000_000n, /^<Integer of about 301,032 digits>$/],
  ] as const;
  for (const [value, pattern] of shown) {
    let text = '';
    t.ok(cpuTime(() => (text = shortText(value as Value, plain))) < 100, 'in bounded time');
    t.match(text, pattern);
    t.ok(text.length < 4500, 'in bounded space', { length: text.length });
  }
});

t.test('a text is not cut within a character', async (t) => {
  t.equal(shortText('a' + '😀'.repeat(1000), plain), `"a${'😀'.repeat(499)}…" (2,001 characters)`);
});

t.test('deep and cyclic values end', async (t) => {
  let deep: Value[] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  t.equal(shortText(deep, plain), `${'['.repeat(12)}[… (1 elements)]${']'.repeat(12)}`);
  const self: Value[] = [1];
  self.push(self);
  t.equal(shortText(self, plain), '[1, [...]]');
  const hash = Hash.from([]);
  hash.set('me', hash);
  t.equal(shortText(hash, plain), '{me: {...}}');
});

t.test('endless and lazy sequences are not run', async (t) => {
  const session = new TestSession();
  t.equal(await session.take('(1..)'), '=> 1..\n');
  t.match(await session.take('(1..).lazy.map { |x| x * 2 }'), /^=> <\w+>\n$/);
  t.match(await session.take('loop_forever = sequence { |s| loop { s << 1 } }'), /^(?:=> <|NameError)/);
  t.match(await session.take('Set((1..100000).to_a)'), /^=> Set\(1, 2, .*… \(100,000 elements\)\)\n$/);
  await session.end();
});

t.test('colours', async (t) => {
  const paint = paintFor(true, {});
  t.equal(shortText([1, 'a', null], paint), '[\u001b[36m1\u001b[0m, \u001b[32m"a"\u001b[0m, \u001b[35mnil\u001b[0m]');
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) t.equal(shortText([1], paintFor(true, env)), '[1]');
  t.equal(
    shortText([1], paintFor(true, { NO_COLOR: '' })),
    '[\u001b[36m1\u001b[0m]',
    'an empty NO_COLOR does not count',
  );
});
