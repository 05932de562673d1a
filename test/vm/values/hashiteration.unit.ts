import assert from 'node:assert/strict';
import t from 'tap';
import { ITER_EACH, ITER_ITEMS } from '../../../vm/bytecode/opcodes.js';
import { Hash } from '../../../vm/values/hash.js';
import { iterate } from '../../../vm/values/iteration.js';
import type { Iterator } from '../../../vm/values/iterator.js';
import type { Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { settings } from '../support/values.js';

type Step =
  | { kind: 'set' | 'delete'; key: number }
  | { kind: 'begin'; mode: number }
  | { kind: 'next'; which: number }
  | { kind: 'clear' | 'shift' | 'replace' };

const KEYS = 12;
const key = fc.nat(KEYS);
const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('set' as const, 'delete' as const), key }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('begin' as const), mode: fc.constantFrom(ITER_ITEMS, ITER_EACH) }),
    },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('next' as const), which: fc.nat(3) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('clear' as const, 'shift' as const, 'replace' as const) }),
    },
  ),
  { maxLength: 120, size: 'max' },
);

/** An iterator, and what it has to give: the keys of the start, and with pairs only those that are still there. */
class Walk {
  private readonly iterator: Iterator;
  private readonly left: Value[];

  constructor(
    private readonly hash: Hash,
    private readonly mode: number,
  ) {
    this.iterator = iterate(hash, mode, 'for');
    this.left = hash.keys();
  }

  private expected(): Value | undefined {
    if (this.mode === ITER_EACH) return this.left.shift();
    for (let next = this.left.shift(); next !== undefined; next = this.left.shift()) {
      const value = this.hash.get(next);
      if (value !== undefined) return [next, value];
    }
    return undefined;
  }

  next(): void {
    assert.deepEqual(this.iterator.next(), this.expected());
  }
}

function play(hash: Hash, list: readonly Step[]): void {
  const walks: Walk[] = [];
  let value = 0;
  for (const step of list) {
    if (step.kind === 'set') hash.set(step.key, value++);
    else if (step.kind === 'delete') hash.delete(step.key);
    else if (step.kind === 'begin') walks.push(new Walk(hash, step.mode));
    else if (step.kind === 'next') walks.at(-1 - step.which)?.next();
    else if (step.kind === 'clear') hash.clear();
    else if (step.kind === 'shift') hash.shift();
    else
      hash.take(
        Hash.from([
          [3, 'three'],
          [1, 'one'],
        ]),
      );
  }
  for (const walk of walks) for (let n = 0; n <= KEYS + 1; n++) walk.next();
}

t.test('iterators pass the keys of their start, whatever happens to the hash', (t) => {
  fc.assert(
    fc.property(steps, (list) => {
      const hash = new Hash();
      for (let n = 0; n < KEYS / 2; n++) hash.set(n, -n);
      play(hash, list);
    }),
    settings(500),
  );
  t.pass();
  t.end();
});

t.test('a loop that is left early takes the same time for any number of keys', (t) => {
  const hash = new Hash();
  for (let n = 0; n < 300_000; n++) hash.set(n, n);
  const timed = (work: () => void): number => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const once = timed(() => {
    const iterator = iterate(hash, ITER_ITEMS, 'for');
    while (iterator.next() !== undefined);
  });
  const early = timed(() => {
    for (let n = 0; n < 1000; n++) iterate(hash, n % 2 === 0 ? ITER_ITEMS : ITER_EACH, 'for').next();
  });
  // With a list of all keys it would take a hundred times as long.
  t.ok(early < once * 3, `${early} against ${once} µs`);
  t.end();
});
