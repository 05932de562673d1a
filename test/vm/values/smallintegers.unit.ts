import { setFlagsFromString } from 'node:v8';
import t from 'tap';
import { native } from '../../../vm/calls/native.js';
import type { Value } from '../../../vm/values/value.js';
import { run } from '../support/machine.js';

setFlagsFromString('--allow-natives-syntax');
/** V8 reads the text at the first call, and must know the flag then. */
// eslint-disable-next-line no-new-func -- a text of this file, with a word that only V8 reads
const hasSmallElements = new Function('list', 'return %HasSmiElements(list)') as (list: Value[]) => boolean;

/** Whether V8 holds a value without an object, by the kind that a vector has with it. */
function isPlain(value: Value): boolean {
  // No literal: those of one place learn which elements they will get.
  const list = JSON.parse('[]') as Value[];
  list.push(value);
  return hasSmallElements(list);
}

const plain = native('plain', 'value: Any', 'Bool', '', (_: unknown, value: Value) => isPlain(value));

/** Small results of larger numbers, or of operations that V8 does with doubles; `big` is 2^40, `large` 2^60. */
const EXPRESSIONS = [
  'big + (5 - big)',
  'big - (big - 5)',
  '(big - 3) - big + 8',
  'big * 0',
  'big % 1000',
  '(big + 7) % 2_147_483_647',
  '(0 - big) % 7',
  'seed * 16_807 % 2_147_483_647',
  '(big * seed + 5) % 1000',
  'large % 1000',
  'big // 1_000_000_000',
  '(0 - big) // 1_000_000_000',
  'big.divmod(1000)[1]',
  '2 ** three',
  '1 << three',
  'big >> 38',
  'big & 7',
  '(big + 5) ^ big',
  '((0 - big) | 5) + big',
  '~(big - big)',
  'gcd(big * 3, big * 5 + 4)',
  '(7.5).floor',
  '(7.5).round',
  '(0.0 - 7.5).to_i',
  '(big / 1_000_000_000).ceil',
  'big - big',
  '[big, 0 - big, 5].sum',
  '[big, 5 - big].reduce { |a, b| a + b }',
  'rand_int(big, big) - big',
  'rand_int(3, 9)',
  'rand(10)',
  '"1099511627776".to_i % 10',
  'Date.parse("2026-03-28").diff_days(Date.parse("2026-03-01"))',
];

t.test('results that are small Integers need no object', async (t) => {
  t.notOk(isPlain(2 ** 40), 'others do');
  const tests = EXPRESSIONS.map((text, i) => `  puts [${i}, plain(${text}), (${text}).is_a?(Integer)]\n`).join('');
  const program = `def all(big, large, seed, three)\n${tests}end\nfor i in 0...3\n  all(2 ** 40, 2 ** 60, 2_147_483_646, 3)\nend\n`;
  const { lines, errors } = run(program, { natives: [plain] });
  t.strictSame(errors, []);
  t.equal(lines.length, 3 * EXPRESSIONS.length);
  const failed = EXPRESSIONS.filter((_, i) =>
    lines.some((line) => line.startsWith(`[${i}, `) && line !== `[${i}, true, true]`),
  );
  t.strictSame(failed, []);
});
