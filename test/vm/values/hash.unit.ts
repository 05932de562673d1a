import t from 'tap';
import { EMPTY_SHAPE, Hash, Shape } from '../../../vm/values/hash.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { run } from '../support/machine.js';
import { keys, names, settings } from '../support/values.js';

/** Text that is equal for two keys if and only if they are the same key. */
function canonical(key: Value): string {
  if (typeof key === 'string') return `text ${key}`;
  if (key === null || typeof key === 'boolean') return String(key);
  const n = key instanceof Float ? key.n : key;
  return typeof n === 'bigint' || Number.isInteger(n) ? `whole ${BigInt(n as number)}` : `double ${String(n)}`;
}

type Step =
  { kind: 'set'; key: Value; value: number } | { kind: 'delete' | 'get'; key: Value } | { kind: 'clear' | 'copy' };

const steps = (key: fc.Arbitrary<Value>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof<fc.WeightedArbitrary<Step>[]>(
      { weight: 12, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.nat(99) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'get' as const), key }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('clear' as const, 'copy' as const) }) },
    ),
    { maxLength: 80, size: 'max' },
  );

/** A hash, and a Map with the same operations. */
class Pair {
  readonly model = new Map<string, number>();

  constructor(readonly hash: Hash = new Hash()) {}

  step(step: Step): Pair {
    switch (step.kind) {
      case 'set':
        this.hash.set(step.key, step.value);
        this.model.set(canonical(step.key), step.value);
        return this;
      case 'delete': {
        const expected = this.model.get(canonical(step.key));
        this.model.delete(canonical(step.key));
        check(this.hash.delete(step.key) === expected, 'delete returns the value');
        return this;
      }
      case 'get':
        check(this.hash.get(step.key) === this.model.get(canonical(step.key)), 'get');
        check(this.hash.has(step.key) === this.model.has(canonical(step.key)), 'has');
        return this;
      case 'clear':
        this.hash.clear();
        this.model.clear();
        return this;
      default:
        return this.copied();
    }
  }

  /** Continues with a copy; the original must not change. */
  private copied(): Pair {
    const copy = new Pair(this.hash.copy());
    for (const [key, value] of this.model) copy.model.set(key, value);
    copy.hash.set('only in the copy', 1);
    check(this.hash.get('only in the copy') === undefined, 'a copy has its own keys');
    check(copy.hash.delete('only in the copy') === 1, 'delete from the copy');
    this.compare();
    return copy;
  }

  compare(): void {
    const { hash, model } = this;
    check(hash.size === model.size, 'size');
    const expected = [...model].map(([key, value]) => `${key}=${value}`).join();
    check(
      hash
        .entries()
        .map(([key, value]) => `${canonical(key)}=${String(value)}`)
        .join() === expected,
      'entries in order',
    );
    check(hash.keys().map(canonical).join() === [...model.keys()].join(), 'keys in order');
    check(hash.values().join() === [...model.values()].join(), 'values in order');
    for (const key of hash.keys()) check(hash.get(key) === model.get(canonical(key)), 'its own keys are found');
  }
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

function agrees(list: Step[]): void {
  let pair = new Pair();
  for (const step of list) pair = pair.step(step);
  pair.compare();
}

t.test('a hash behaves like a Map', async () => {
  fc.assert(fc.property(steps(keys), agrees), settings(400));
});

t.test('a hash whose keys are texts behaves like a Map', async () => {
  fc.assert(fc.property(steps(names), agrees), settings(300));
  fc.assert(fc.property(steps(fc.nat(60).map((n) => `k${n}`)), agrees), settings(100));
});

t.test('keys like indexes keep the order of insertion', async (t) => {
  const hash = new Hash();
  for (const key of ['b', '10', '2', '1', 'a', '0']) hash.set(key, 1);
  t.strictSame(hash.keys(), ['b', '10', '2', '1', 'a', '0']);
  for (let i = 0; i < 20; i++) hash.set(`k${i}`, i);
  t.equal(hash.shape, null, 'a dictionary by now');
  t.strictSame(hash.keys().slice(0, 6), ['b', '10', '2', '1', 'a', '0']);
});

t.test('equal numbers are the same key, texts are others', async (t) => {
  const hash = Hash.from([
    [1, 'whole'],
    ['1', 'text'],
    [new Float(1), 'float'],
    [true, 'true'],
  ]);
  t.equal(hash.size, 3);
  t.equal(hash.get(1), 'float');
  t.equal(hash.get('1'), 'text');
  const big = 2n ** 60n;
  hash.set(big, 'big');
  t.equal(hash.get(new Float(2 ** 60)), 'big');
  t.equal(hash.get(new Float(-0)), undefined);
  hash.set(0, 'zero');
  t.equal(hash.get(new Float(-0)), 'zero');
  t.notOk(hash.keys().some((key) => Object.is(key, -0)));
});

t.test('hashes with the same history share a shape', async (t) => {
  const build = (...list: string[]): Hash => Hash.from(list.map((key) => [key, 0]));
  t.equal(build('x', 'y').shape, build('x', 'y').shape);
  t.equal(build('x', 'y').shape, Shape.of(['x', 'y']));
  t.equal(build('x', 'y').copy().shape, build('x', 'y').shape);
  t.not(build('x', 'y').shape, build('y', 'x').shape);
  const hash = build('x');
  hash.set('x', 5);
  t.equal(hash.shape, build('x').shape, 'a key set again changes nothing');
  hash.clear();
  t.equal(hash.shape, EMPTY_SHAPE);
});

t.test('a shape holds at most 16 different keys', async (t) => {
  const list = Array.from({ length: 17 }, (_, i) => `k${i}`);
  const hash = new Hash();
  for (const key of list.slice(0, 16)) hash.set(key, 1);
  t.not(hash.shape, null);
  hash.set('k3', 2);
  t.not(hash.shape, null);
  hash.set('k16', 1);
  t.equal(hash.shape, null);
  t.equal(hash.size, 17);
  t.equal(Shape.of(list), null);
  t.not(Shape.of(list.slice(1)), null);
  t.equal(Shape.of(['a', 'a']), null);
});

t.test('deleting a key, or a key that is not a text, ends the shape', async (t) => {
  const hash = Hash.from([
    ['a', 1],
    ['b', 2],
  ]);
  t.equal(hash.delete('nothing'), undefined);
  t.not(hash.shape, null, 'nothing was deleted');
  hash.delete('a');
  t.equal(hash.shape, null);
  hash.set('a', 3);
  t.strictSame(hash.keys(), ['b', 'a'], 'set again it stands at the end');
  const other = Hash.from([['a', 1]]);
  other.set(1, 2);
  t.equal(other.shape, null);
});

t.test('transitions are dropped after many new keys, and hashes stay right', async (t) => {
  const before = Hash.from([
    ['one', 1],
    ['two', 2],
  ]);
  for (let i = 0; i < 25_000; i++) Hash.from([[`new ${i}`, i]]);
  const after = Hash.from([
    ['one', 1],
    ['two', 2],
  ]);
  t.strictSame(after.entries(), before.entries());
  before.set('three', 3);
  after.set('three', 3);
  t.strictSame(after.keys(), before.keys());
  t.equal(
    Hash.from([
      ['one', 1],
      ['two', 2],
    ]).shape,
    Hash.from([
      ['one', 1],
      ['two', 2],
    ]).shape,
    'and share again',
  );
});

t.test('a literal, a record and hashes built step by step agree', async (t) => {
  const { lines } = run(`
a = {x: 1, y: 2}
b = {}
b.x = 1
b["y"] = 2
record Point(x, y)
puts a == b, b == a, a == {y: 2, x: 1}
for k, v in Point(1, 2)
  puts "#{k}=#{v} #{a[k]}"
end
c = {a: 1, b: 2, a: 3}
puts c
d = {k0: 0, k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, k6: 6, k7: 7, k8: 8, k9: 9, k10: 10, k11: 11, k12: 12, k13: 13, k14: 14, k15: 15, k16: 16}
puts d.k16, d["k0"], d.length
puts({"__proto__": 1, "constructor": 2})
puts({}["__proto__"] == nil, {}.constructor == nil)
`);
  t.strictSame(lines, [
    'true',
    'true',
    'true',
    'x=1 1',
    'y=2 2',
    '{a: 3, b: 2}',
    '16',
    '0',
    '17',
    '{__proto__: 1, constructor: 2}',
    'true',
    'true',
  ]);
});
