import t from 'tap';
import { shift, takeFirst, unshift } from '../../../vm/values/queue.js';
import type { Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { settings } from '../support/values.js';

const SIZE = 20_000;

/** A vector of which so many elements have been taken that it is a queue. */
function queue(size = SIZE): Value[] {
  const list: Value[] = Array.from({ length: size + 200 }, (_, i) => i - 200);
  for (let i = 0; i < 200; i++) shift(list);
  return list;
}

function isQueue(list: Value[]): boolean {
  return Object.keys(list).length < list.length;
}

const plain = (): Value[] => Array.from({ length: SIZE }, (_, i) => i);

t.test('a vector becomes a queue after many shifts, and an empty one is none', (t) => {
  const list = queue();
  t.ok(isQueue(list));
  t.notOk(isQueue(plain()));
  for (let i = 0; i < SIZE; i++) if (shift(list) !== i) t.fail(`element ${i}`);
  t.equal(shift(list), undefined);
  t.strictSame(list, []);
  t.notOk(isQueue(list));
  t.end();
});

/** Operations that leave a vector a queue: each is done with a queue and with a plain vector. */
const operations: Record<string, (list: Value[], n: number) => unknown> = {
  shift: (list) => shift(list),
  take: (list, n) => takeFirst(list, n % 50),
  unshift: (list, n) => (unshift(list, [n, -n]), list.length),
  push: (list, n) => list.push(n, n + 1),
  pop: (list) => list.pop(),
  read: (list, n) => [list[n], list[list.length - 1], list[list.length], list[0]],
  store: (list, n) => (list[n % (list.length || 1)] = -n),
  has: (list, n) => [n in list, list.length in list],
};
const plainly: typeof operations = {
  ...operations,
  shift: (list) => list.shift(),
  take: (list, n) => list.splice(0, n % 50),
  unshift: (list, n) => list.unshift(n, -n),
};
/** Operations for which the elements are put back. */
const others: typeof operations = {
  slice: (list, n) => list.slice(n, n + 5),
  splice: (list, n) => list.splice(n, 3, 1, 2),
  cut: (list, n) => (list.length = Math.min(list.length, n + 17_000)),
  clear: (list) => (list.length = 0),
  behind: (list, n) => ((list[list.length + (n % 3)] = n), list.length),
  grow: (list, n) => (list.length += n % 5),
  json: (list) => JSON.stringify(list),
  each: (list) => [...list].length,
  sort: (list) => list.sort().length,
  reverse: (list) => list.reverse()[0],
  search: (list, n) => [list.indexOf(n), list.includes(-1), list instanceof Array, Array.isArray(list)],
  concat: (list) => [[1].concat(list as number[]).length, list.concat([1]).length],
};

const step = fc.tuple(fc.constantFrom(...Object.keys(operations)), fc.nat(SIZE + 100));

t.test('a queue answers like a vector', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const list = queue();
      const model = plain();
      for (const [name, n] of steps) t.strictSame(operations[name](list, n), plainly[name](model, n), name);
      return JSON.stringify(list) === JSON.stringify(model) && list.length === model.length;
    }),
    settings(30),
  );
  t.end();
});

for (const [name, operation] of Object.entries(others)) {
  t.test(`other uses of a queue: ${name}`, (t) => {
    for (const n of [0, 7, 18_999, SIZE]) {
      const list = queue();
      const model = plain();
      t.ok(isQueue(list));
      t.strictSame(operation(list, n), operation(model, n));
      list.push(1);
      model.push(1);
      t.strictSame(JSON.stringify(list), JSON.stringify(model));
    }
    t.end();
  });
}

t.test('a queue is read by index a number of times before its elements are put back', (t) => {
  const list = queue();
  let sum = 0;
  for (let i = 0; i < SIZE; i++) sum += list[i] as number;
  t.equal(sum, (SIZE * (SIZE - 1)) / 2);
  t.notOk(isQueue(list));
  t.end();
});

t.test('elements that have been taken are not kept', (t) => {
  const list = queue();
  for (let i = 0; i < 100_000; i++) {
    list.push(i);
    shift(list);
  }
  t.equal(list.length, SIZE);
  t.strictSame(list.slice(-2), [99_998, 99_999]);
  t.end();
});

t.test('an element costs no more in a queue of 400,000 than in a vector of 10,000', (t) => {
  const time = (size: number, turns: number): number => {
    const list: Value[] = Array.from({ length: size }, (_, i) => i);
    for (let i = 0; i < 300; i++) shift(list);
    const { user } = process.cpuUsage();
    for (let i = 0; i < turns; i++) list.push(shift(list) as Value);
    return (process.cpuUsage().user - user) / turns;
  };
  time(10_000, 100_000);
  const times = Array.from({ length: 5 }, () => ({ small: time(10_000, 200_000), large: time(400_000, 200_000) }));
  const ratio = Math.min(...times.map(({ small, large }) => large / small));
  t.ok(ratio < 20, `ratio ${ratio.toFixed(1)}`);
  t.end();
});
