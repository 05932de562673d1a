import t, { type Test } from 'tap';
import { native } from '../../vm/calls/native.js';
import type { Fiber } from '../../vm/fibers/fiber.js';
import { Profile, type ProfileNode } from '../../vm/watch/profile.js';
import { Sampler } from '../../vm/watch/sampling.js';
import { machine, start } from './support/machine.js';

/** The stack of a node, from its group to the innermost function. */
function stackOf(node: ProfileNode): string {
  const names: string[] = [];
  for (let at = node; at.parent !== null; at = at.parent) names.unshift(at.frame.name);
  return names.join(' > ');
}

interface Sampled {
  profile: Profile;
  /** Stacks in the order of samples, without repetitions. */
  stacks: string[];
  lines: string[];
}

/** Runs a program that takes a sample at each call of `look`. */
function sampled(text: string, options: { jit?: number | null; slice?: number } = {}): Sampled {
  const profile = new Profile();
  let sampler: Sampler | null = null;
  const look = native('look', '', 'Nil', '', () => void sampler?.take(10));
  const made = machine({ ...options, natives: [look] });
  sampler = new Sampler(made.vm, profile, (fiber: Fiber) => (fiber.context as { label: string } | null)?.label ?? '');
  start(made, text);
  made.host.runAll();
  sampler.endWaits();
  t.strictSame(made.reports, []);
  const stacks = profile.samples.map((id) => stackOf(profile.nodes[id - 1]));
  return { profile, stacks: [...new Set(stacks)], lines: made.host.lines() };
}

const TIERS = { interpreted: { jit: null }, compiled: { jit: 0 }, 'in both tiers': { jit: 2 } } as const;

for (const [tier, options] of Object.entries(TIERS)) {
  for (const slice of [0, 1]) {
    const same = (t: Test, text: string, stacks: string[]): void => {
      t.strictSame(sampled(text, { ...options, slice }).stacks, stacks);
    };

    t.test(`functions, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(
        t,
        `def inner(n)
  look()
  n
end
def outer(n)
  inner(n) + 1
end
5.times { |i| outer(i) }
`,
        ['main > main test.svc:8 > outer > inner > look'],
      ),
    );

    t.test(`recursion, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(t, 'def down(n)\n  if n == 0 then look() else down(n - 1) end\n  n\nend\n5.times { down(3) }\n', [
        'main > main test.svc:5 > down > down > down > down > look',
      ]),
    );

    t.test(`iterators of the library, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(t, 'f = ->(x) {\n  look()\n  x\n}\n5.times { [1, 2].each(&f) }\n', [
        'main > main test.svc:1 > each > lambda test.svc:2 > look',
      ]),
    );

    t.test(`threads, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(t, 'def work()\n  look()\n  1\nend\nthread = spawn do\n  work()\nend\nthread.await\n', [
        'spawn test.svc:6 > block test.svc:6 > work > look',
      ]),
    );

    t.test(`after a wait, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(t, 'def waits()\n  sleep(1)\n  look()\n  1\nend\ndef calls() = waits() + 1\n3.times { calls() }\n', [
        'main > main test.svc:7 > calls > waits > look',
      ]),
    );

    t.test(`handlers of errors, ${tier}, ${slice} safepoints a slice`, async (t) =>
      same(
        t,
        `def fails()
  raise "no"
end
def handles()
  fails()
rescue e
  look()
end
3.times { handles() }
`,
        ['main > main test.svc:9 > handles > look'],
      ),
    );
  }

  t.test(`lines, ${tier}`, async (t) => {
    const { profile } = sampled('def f(n)\n  a = n\n  look()\n  look()\n  a\nend\n4.times { |i| f(i) }\n', options);
    const node = profile.nodes.find(({ frame }) => frame.name === 'f');
    t.strictSame(
      [...(node?.lines ?? [])],
      [
        [3, 40],
        [4, 40],
      ],
    );
  });
}

t.test('waits', async (t) => {
  const { profile } = sampled('def waits()\n  sleep(2)\nend\n3.times { waits() }\nspawn do\n  sleep(5)\nend\n');
  t.strictSame(
    [...profile.waits.values()].map(({ group, what, where, count, milliseconds }) => [
      group,
      what,
      where,
      count,
      Math.round(milliseconds / 1000),
    ]),
    [
      ['main', 'sleep', 'test.svc:2', 3, 6],
      ['spawn test.svc:6', 'sleep', 'test.svc:6', 1, 5],
    ],
  );
});

t.test('a deep stack keeps its ends', async (t) => {
  const { stacks } = sampled('def down(n)\n  if n == 0 then look() else down(n - 1) end\n  n\nend\ndown(3000)\n');
  const names = stacks[0].split(' > ');
  t.equal(names.length, 403);
  t.strictSame(
    [names[0], names[1], names[201], names.at(-1)],
    ['main', 'main test.svc:5', '(frames left out)', 'look'],
  );
});

t.test('limits of a profile', async (t) => {
  const profile = new Profile();
  const frame = { name: 'f', file: 'a.svc', line: 1, kind: 'function' } as const;
  for (let i = 0; i < 2 ** 21 + 2; i++) profile.add(`group ${i % 3000}`, [frame], 1, 1);
  t.ok(profile.root.children.size <= 1001, 'groups');
  t.ok(profile.samples.length <= 2 ** 20 + 2, 'samples in the order of time');
  t.equal(
    profile.weights.reduce((sum, weight) => sum + weight, 0),
    2 ** 21 + 2,
    'thinning keeps the time',
  );
  for (let i = 0; i < 20_000; i++) profile.addWait('main', 'sleep', `a.svc:${i}`, 1);
  t.ok(profile.waits.size <= 10_001, 'waits');
  for (let i = 0; i < 300_000; i++) profile.add('main', [{ ...frame, line: i }], 1, 1);
  t.ok(profile.nodes.length <= 200_000, 'nodes');
});
