import t from 'tap';
import { decodeFormText, decodePercent } from '../../../natives/http/percent.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';

function oracle(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const ESCAPES = [
  '%',
  '%2',
  '%zz',
  '%41',
  '%c3',
  '%A9',
  '%E2',
  '%82',
  '%AC',
  '%f0',
  '%9F',
  '%98',
  '%80',
  '%ED',
  '%00',
  '+',
  'a',
];
const anyOf = (pieces: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces)).map((chosen) => chosen.join(''));

t.test('decodePercent agrees with decodeURIComponent', async () => {
  fc.assert(
    fc.property(anyOf([...ESCAPES, 'é', '😀']), (text) => decodePercent(text) === oracle(text)),
    { numRuns: 5_000 },
  );
});

t.test('decodeFormText agrees with URLSearchParams', async (t) => {
  // ASCII only: Node's URLSearchParams damages other characters next to a bad escape.
  t.equal(decodeFormText('é%c3😀%zz'), 'é\ufffd😀%zz');
  fc.assert(
    fc.property(anyOf(ESCAPES), (text) => decodeFormText(text) === new URLSearchParams(`x=${text}`).get('x')),
    { numRuns: 5_000 },
  );
});

t.test('a megabyte of escapes is decoded quickly', async (t) => {
  t.equal(decodePercent('%41'.repeat(350_000))?.length, 350_000);
  t.equal(decodePercent('%c3'.repeat(350_000)), null);
  t.equal(decodeFormText('%ff+'.repeat(250_000)).length, 500_000);
  for (const run of [
    () => decodePercent('%41'.repeat(350_000)),
    () => decodePercent('%c3'.repeat(350_000)),
    () => decodeFormText('%ff+'.repeat(250_000)),
  ])
    t.ok(shortest(run) < 2000);
});
