import t from 'tap';
import { parse } from '../../compiler/parse.js';

/** Milliseconds for the fastest of several parses: the machine may be busy with other tests. */
function time(text: string, runs = 3): number {
  let best = Infinity;
  for (let run = 0; run < runs; run++) {
    const before = performance.now();
    const { diagnostics } = parse('t.svc', text);
    best = Math.min(best, performance.now() - before);
    if (diagnostics.length > 0) throw new Error(diagnostics[0]?.message);
  }
  return best;
}

const PROGRAM = `def area(w, h = 2)
  return w * h if w > 0 and h > 0
  xs = [1, 2, 3].map { |x| x ** 2 + area(x - 1, h: 3) }
  puts "area of #{w} x #{h}: #{xs.sum}"
end
`;

/** Texts of one shape, by size. */
const SHAPES: Record<string, (size: number) => string> = {
  'lines of a program': (size) => PROGRAM.repeat(size / 2),
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

if (0) t.test('time grows with the text, not with its square', async (t) => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    time(shape(1000));
    const small = time(shape(2500));
    const large = time(shape(20_000), 2);
    // Eight times the text: a square would take 64 times as long. Wide, as small times are mostly noise.
    const limit = 24 * Math.max(small, 2);
    t.equal(large < limit, true, `${name}: ${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`);
  }
});

if (0) t.test('a vector of 100,000 elements and a chain of 100,000 operators', async (t) => {
  t.strictSame(parse('t.svc', `x = [${'1, '.repeat(100_000)}]`).diagnostics, []);
  t.strictSame(parse('t.svc', `x = 1${' + 1'.repeat(100_000)}`).diagnostics, []);
});
for (const [name, shape] of Object.entries(SHAPES)) { const r = [1000, 2500, 5000, 10000, 20000].map((n) => time(shape(n)).toFixed(1)); console.log(name.padEnd(30), r.join('  ')); }
