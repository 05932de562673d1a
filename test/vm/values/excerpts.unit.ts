import t from 'tap';
import { parsePairs } from '../../../natives/http/urlencoded.js';
import { parseJson } from '../../../natives/core/json/jsonparse.js';
import { csvSteps } from '../../../natives/io/csv.js';
import { finish } from '../../../vm/values/steps.js';
import { Excerpts } from '../../../vm/values/text/excerpts.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { collect } from '../../collect.js';
import { median } from '../../../bench/shared/stats.js';

void t.test('parts of a long text', async (t) => {
  for (const unit of ['abcdefghij', 'äöü', '日本語テキスト', 'a😀']) {
    const text = Array.from({ length: 2000 }, (_, i) => `${unit}${i}`).join(' ');
    const excerpts = new Excerpts(text);
    const wrong: number[][] = [];
    // Forwards and back, parts of all lengths, also longer than what is copied at once and up to the end.
    for (let i = 0; i < 4000; i++) {
      const start = (i * 37) % text.length;
      const end = Math.min(text.length, start + ((i * i) % (i % 50 === 0 ? 5000 : 60)));
      if (excerpts.take(start, end) !== text.slice(start, end)) wrong.push([start, end]);
    }
    t.same(wrong, [], unit);
    t.equal(excerpts.take(0, text.length), text);
    t.equal(excerpts.take(text.length - 20, text.length), text.slice(-20));
  }
  const long = 'abcdefghij'.repeat(20_000);
  for (const length of [65_535, 65_536, 65_537, 150_000])
    t.equal(new Excerpts(long).take(7, 7 + length), long.slice(7, 7 + length), `${length} units`);
});

const NAME = 'a name of exactly 30 character';
const rows = (i: number, row: (k: number) => string): string =>
  Array.from({ length: 600 }, (_, k) => row(i * 600 + k)).join('');

const COUNT = 60;
/** Bytes that may be kept of a text of 20 KB or more for a part of 30 units. */
const BOUND = 10_000;

/** Bytes that are kept for each of COUNT parts that `partOf` takes out of long texts. */
function keptBy(textOf: (i: number) => string, partOf: (text: string) => string): number {
  const parts: string[] = [];
  const take = (from: number, to: number): void => {
    // From bytes, as texts that are read: a text that was put together would be kept in pieces.
    for (let i = from; i < to; i++) parts.push(partOf(Buffer.from(textOf(i)).toString()));
  };
  take(0, 5);
  collect();
  const before = process.memoryUsage().heapUsed;
  take(5, 5 + COUNT);
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  if (parts.some((part) => part.length !== NAME.length)) throw new Error(`other parts than expected: ${parts[0]}`);
  return grown / COUNT;
}

void t.test('what is kept of a long text does not keep the text', async (t) => {
  const texts: Record<string, [text: (i: number) => string, part: (text: string) => string]> = {
    JSON: [
      (i) => `[${rows(i, (k) => `{"id":${k},"name":"${NAME}"},`)}1]`,
      (text) => ((parseJson(text) as Value[])[9] as Hash).get('name') as string,
    ],
    'a key of JSON': [
      (i) => `[${rows(i, (k) => `{"id":${k},"${NAME.slice(4)}${1000 + i}":1},`)}1]`,
      (text) => [...((parseJson(text) as Value[])[9] as Hash).keys()][1] as string,
    ],
    CSV: [
      (i) => rows(i, (k) => `${k},${NAME},"${NAME}"\n`),
      (text) => (finish<Value[]>(csvSteps(text, false, ','))[9] as Value[])[1] as string,
    ],
    'a quoted field': [
      (i) => rows(i, (k) => `${k},"${NAME}"\n`),
      (text) => (finish<Value[]>(csvSteps(text, false, ','))[9] as Value[])[1] as string,
    ],
    'a form': [
      (i) => rows(i, (k) => `n${k}=${NAME.replaceAll(' ', '_')}&`),
      (text) => (parsePairs(text, 10_000) as [string, string][])[9][1],
    ],
  };
  for (const [name, [text, part]] of Object.entries(texts)) {
    // The heap also grows by what tests before left to V8, such as compiled code, but not each time.
    const rounds = Array.from({ length: 3 }, () => Math.round(keptBy(text, part)));
    t.ok(median(rounds) < BOUND, `${name}: ${rounds.join(', ')} bytes`);
  }
});
