import t from 'tap';
import { effort } from '../../compiler/earley.js';
import { parse } from '../../compiler/parse.js';

interface Cost {
  items: number;
  /** Milliseconds of processor time. */
  time: number;
}

/** Cost of the fastest of several parses. */
function cost(text: string, runs: number): Cost {
  const best = { items: 0, time: Infinity };
  for (let run = 0; run < runs; run++) {
    const items = effort.items;
    const before = process.cpuUsage();
    const { diagnostics } = parse('t.svc', text);
    const { user, system } = process.cpuUsage(before);
    if (diagnostics.length > 0) throw new Error(diagnostics[0]?.message);
    best.items = effort.items - items;
    best.time = Math.min(best.time, (user + system) / 1000);
  }
  return best;
}

const PROGRAM = `def area(w, h = 2)
  return w * h if w > 0 and h > 0
  xs = [1, 2, 3].map { |x| x ** 2 + area(x - 1, h: 3) }
  puts "area of #{w} x #{h}: #{xs.sum}"
end
`;

/** Makes texts of one form, by size. */
const SHAPES: Record<string, (size: number) => string> = {
  'lines of a program': (size) => PROGRAM.repeat(size / 5),
  'lines in one function': (size) => `def f(a)\n${'  x = a.b(1, "c") + d[2]\n'.repeat(size / 2)}end\n`,
  'operators in a chain': (size) => `x = a${' + b'.repeat(size)}`,
  'mixed operators': (size) => `x = a${' + b * c ** 2 and d < e or f'.repeat(size / 4)}`,
  'calls in a chain': (size) => `x = a${'.m(1)'.repeat(size)}`,
  'members over lines': (size) => `x = a${'\n  .m'.repeat(size)}`,
  elsifs: (size) => `if a\n  1\n${'elsif b\n  2\n'.repeat(size)}end`,
  whens: (size) => `case a\n${'when 1, 2 then b\n'.repeat(size)}end`,
  'elements of a vector': (size) => `x = [${'1, '.repeat(size * 4)}1]`,
  'entries of a hash': (size) => `x = {${'a: 1, "b" => 2, '.repeat(size)}c: 3}`,
  'interpolations in a string': (size) => `x = "${'a #{b} '.repeat(size)}"`,
  'lines of a heredoc': (size) => `x = <<~END\n${'  text #{a} text\n'.repeat(size)}END\n`,
  'a long string': (size) => `x = "${'a'.repeat(size * 50)}"`,
  arguments: (size) => `f(${'a: 1, '.repeat(size)}b: 2)`,
  'assignments to a list': (size) => `${'a, '.repeat(size)}b = x`,
  'blank lines and comments': (size) => `x = 1\n${'\n  # comment\n'.repeat(size * 4)}`,
  'statements on one line': (size) => 'x = 1; '.repeat(size),
  'functions on one line': (size) => 'def f() 1 end; '.repeat(size),
};

/** How much longer the large text is. */
const TIMES = process.env.SVC_LONG === '1' ? 8 : 4;

t.test('work grows with the text, not with its square', async (t) => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    cost(shape(300), 1);
    const small = cost(shape(600), 2);
    const limit = 3 * TIMES * Math.max(small.time, 4);
    let large = cost(shape(600 * TIMES), 1);
    if (large.time >= limit) large = cost(shape(600 * TIMES), 3);
    t.equal(
      large.items <= small.items * (TIMES + 0.2) + 100,
      true,
      `${name}: ${small.items} items, then ${large.items}`,
    );
    // Quadratic work would take TIMES² as long. The limit is wide, because small times are mostly noise.
    t.equal(large.time < limit, true, `${name}: ${small.time.toFixed(1)} ms, then ${large.time.toFixed(1)} ms`);
  }
});

t.test('a vector of 100,000 elements and a chain of 100,000 operators', async (t) => {
  t.strictSame(parse('t.svc', `x = [${'1, '.repeat(100_000)}]`).diagnostics, []);
  t.strictSame(parse('t.svc', `x = 1${' + 1'.repeat(100_000)}`).diagnostics, []);
});
