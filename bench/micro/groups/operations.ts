import { do_not_optimize } from 'mitata';
import type { Value } from '../../../vm/values/value.js';
import { callable, load, machine } from '../machine.js';
import type { Bench, Case, Group } from '../measure.js';

/** Turns of each loop. Starting a thread takes about as long as a hundred. */
const TURNS = 10_000;
/** Turns of each program in the warm-up, and milliseconds in which all programs run in turns before the first is measured. */
const WARM_UP_TURNS = 2000;
const WARM_UP_MS = 4000;

const DECLARATIONS = `
record Point(x, y)

record Counter(start) do
  def plus(n)
    start + n
  end

  def +(n)
    start + n
  end
end

def add(a, b)
  a + b
end

def plus(counter, n)
  counter.start + n
end
`;

/** A loop over `i` with the variables that the operations use; `x` is its result. */
function loop(body: string): string {
  return `${DECLARATIONS}
def run(n, v)
  point = Point(1, 2)
  counter = Counter(1)
  hash = {size: 1, name: "svc"}
  text = "some text"
  k = 3
  closure = ->(a) { a + k }
  f = 0.5
  made = nil
  x = 0
  i = 0
  while i < n
    ${body}
    i += 1
  end
  [x, f, text, made]
end
`;
}

/** The same without a loop of ours: the operation is a turn of this one. */
function whole(body: string): string {
  return `def run(n, v)\n  x = 0\n  ${body}\n  x\nend\n`;
}

/** Programs whose function `run(n, v)` does an operation `n` times; `v` are the Integers below `n`. */
const PROGRAMS: Record<string, string> = {
  'while, empty': loop(''),
  'Integer arithmetic': loop('x = (x * 3 + i) % 1000'),
  'Float arithmetic': loop('f = f * 0.5 + 1.25'),
  comparison: loop('x += 1 if i > x and i != 77'),
  'field of a record, read': loop('x += point.x'),
  'field of a record, written': loop('point.y = i'),
  'key of a hash, read': loop('x += hash["size"]'),
  'key of a hash, written': loop('hash["size"] = i'),
  'vector index, read': loop('x += v[i]'),
  'vector index, written': loop('v[i] = i'),
  'vector literal': loop('made = [i, x, 1]'),
  'hash literal': loop('made = {a: i, b: 2}'),
  'record, made': loop('made = Point(i, 2)'),
  'function call': loop('x = add(x, i)'),
  'closure call': loop('x = closure(i)'),
  'closure, called by name': loop('x = closure.call(i)'),
  'function of a record, called': loop('x = plus(counter, i)'),
  'method of a record, called': loop('x = counter.plus(i)'),
  'operator of a record': loop('x = counter + i'),
  'method call': loop('x += text.length'),
  'native call': loop('x += gcd(i, 12)'),
  'text, interpolated': loop('text = "item #{i}"'),
  'rescue of an error': loop('begin\n raise "no"\n rescue => e\n x += 1\n end'),
  for: whole('for e in v\n    x += e\n  end'),
  each: whole('v.each { |e| x += e }'),
  times: whole('n.times { |e| x += e }'),
  map: whole('x = v.map { |e| e + 1 }'),
  'select and reduce': whole('x = v.select { |e| e % 2 == 0 }.reduce(0) { |a, b| a + b }'),
};

/** `jit` of the VM for each way to run a program. */
const TIERS: Record<string, number | null> = { interpreted: null, compiled: 0 };

function running(text: string, jit: number | null): (turns: number) => Bench {
  const made = machine({ jit });
  const run = callable(made, load(made, text), 'run');
  return (turns) => {
    const numbers: Value[] = Array.from({ length: turns }, (_, i) => i);
    return () => do_not_optimize(run(turns, numbers));
  };
}

/** What programs are made of, interpreted and as JavaScript. */
export const operations: Group = {
  name: 'operations',
  about: 'One operation with its turn of the loop; the row of the empty loop says what the turn takes.',
  *cases(): Generator<Case> {
    const programs = Object.entries(PROGRAMS).map(([title, text]) => ({
      title,
      tiers: Object.entries(TIERS).map(([name, jit]) => ({ name, run: running(text, jit) })),
    }));
    // V8 compiles the interpreter's loop again whenever it meets something new in it, and is slow meanwhile.
    const short = programs.flatMap(({ tiers }) => tiers.map(({ run }) => run(WARM_UP_TURNS)));
    for (const end = performance.now() + WARM_UP_MS; performance.now() < end;) for (const bench of short) bench();
    for (const { title, tiers } of programs)
      yield { title, benches: Object.fromEntries(tiers.map(({ name, run }) => [name, run(TURNS)])), operations: TURNS };
  },
};
