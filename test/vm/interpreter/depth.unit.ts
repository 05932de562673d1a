import t from 'tap';
import { run } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';

const SLICES = [1, 3, 1000];

t.test('the limit from both sides', async (t) => {
  const text = (n: number): string => `def down(n) n == 0 ? 0 : 1 + down(n - 1) end\nputs down(${n})`;
  for (const slice of SLICES) {
    t.strictSame(run(text(98), { slice, maxDepth: 100 }).lines, ['98'], 'main and 99 calls');
    t.strictSame(run(text(99), { slice, maxDepth: 100 }).errors, ['StackError: stack is deeper than 100 calls']);
  }
});

/** Forms of recursion. */
const RECURSIONS: Record<string, string> = {
  'a function': 'def dive(c, n)\n  c[0] = n if n > c[0]\n  dive(c, n + 1)\nend',
  'a function with a default': 'def dive(c, n, more = 1)\n  c[0] = n if n > c[0]\n  dive(c, n + more)\nend',
  'a lambda': 'dive = ->(c, n) {\n  c[0] = n if n > c[0]\n  dive.(c, n + 1)\n}',
  'a splat': 'def dive(*all)\n  c, n = all\n  c[0] = n if n > c[0]\n  dive(*[c, n + 1])\nend',
  'an inlined block': 'def dive(c, n)\n  c[0] = n if n > c[0]\n  [1].each { |x| dive(c, n + x) }\nend',
  'an iterator with a function':
    'def dive(c, n)\n  c[0] = n if n > c[0]\n  again = ->(x) { dive(c, n + x) }\n  [1].each(again)\nend',
  'a native with a block': 'def dive(c, n)\n  c[0] = n if n > c[0]\n  shared(1).update { |x| dive(c, n + x) }\nend',
  'a record with a default':
    'record Nest(c, n, inner = next_level(c, n))\ndef next_level(c, n)\n  c[0] = n if n > c[0]\n  Nest(c, n + 1)\nend\ndef dive(c, n) Nest(c, n) end',
  'an ensure at each level': 'def dive(c, n)\n  c[0] = n if n > c[0]\n  dive(c, n + 1)\nensure\n  c[1] += 1\nend',
  'a field that is a function':
    'h = {}\nh.go = ->(c, n) {\n  c[0] = n if n > c[0]\n  h.go(c, n + 1)\n}\ndef dive(c, n) h.go(c, n) end',
  'with a wait at each level': 'def dive(c, n)\n  later(1)\n  c[0] = n if n > c[0]\n  dive(c, n + 1)\nend',
};

for (const [name, text] of Object.entries(RECURSIONS)) {
  t.test(`after each rescue, ${name} reaches the same depth`, async (t) => {
    const program = `${text}
reach = []
5.times do |i|
  c = [0, 0]
  begin
    dive(c, 1)
  rescue StackError
    reach << c[0]
  end
end
puts reach.uniq.length, reach[0] > 12`;
    for (const slice of SLICES) {
      const { lines, errors } = run(program, { slice, maxDepth: 80, natives: slowNatives });
      t.strictSame(lines, ['1', 'true'], `slice ${slice}`);
      t.strictSame(errors, [], `slice ${slice}`);
    }
  });
}

t.test('the depth is right after an error is rescued on the way up', async (t) => {
  // Half the levels rescue errors of the other half. Afterwards the whole depth must be available.
  const text = `
def zigzag(n)
  return raise("bottom") if n == 0
  if n % 2 == 0
    zigzag(n - 1)
  else
    begin
      zigzag(n - 1)
    rescue => e
      raise "again" if n % 3 == 0
      later(n)
    end
  end
end
def down(n) n == 0 ? 0 : 1 + down(n - 1) end
10.times { zigzag(90) }
puts down(97)
begin
  down(99)
rescue StackError
  puts "full"
end`;
  for (const slice of SLICES)
    t.strictSame(run(text, { slice, maxDepth: 100, natives: slowNatives }).lines, ['97', 'full'], `slice ${slice}`);
});

t.test('10,000 levels by default; the error is raised within them', async (t) => {
  const { lines, errors } = run(
    'def down(n) n == 0 ? 0 : 1 + down(n - 1) end\nputs down(9998)\n3.times {\n  begin\n    down(20000)\n  rescue StackError => e\n    puts e\n  end\n}',
  );
  t.strictSame(lines, ['9998', ...Array<string>(3).fill('stack is deeper than 10000 calls')]);
  t.strictSame(errors, []);
});

t.test('each thread has a depth of its own', async (t) => {
  const text =
    'def down(n) n == 0 ? 0 : 1 + down(n - 1) end\nts = (1..20).map { |i| spawn { down(90) } }\nputs await(ts).sum';
  for (const slice of SLICES) t.strictSame(run(text, { slice, maxDepth: 100 }).lines, ['1800'], `slice ${slice}`);
});
