import t from 'tap';
import { native } from '../../../vm/calls/native.js';
import { HandleType } from '../../../vm/values/handle.js';
import { Float } from '../../../vm/values/value.js';
import { MemoryShelf, run, type Run } from '../support/machine.js';

// Generated code that is kept for the next run of a program (vm/jit/kept/).

/** Calls before a function is compiled. */
const JIT = 3;

/** Runs a program; `number(i)` is an Integer, or a Float if `isFloat`. */
function runOn(shelf: MemoryShelf, text: string, isFloat = false): Run {
  const number = native('number', 'i: Integer', 'Number', 'A number.', (_vm, i: number) =>
    isFloat ? new Float(i + 0.5) : i,
  );
  const done = run(text, { jit: JIT, shelf, natives: [number] });
  t.strictSame(done.errors, []);
  return done;
}

/** A program in which compiled code names every kind of value that can be found again. */
const KINDS = `enum Color(red, green)
record Point(x, y) do
  def +(other)
    Point(x + other.x, y + other.y)
  end

  def long?(limit = 3)
    x + y > limit
  end
end
record Named(name)

def described(color)
  color == Color.red ? Color.green : "#{color} of ${'a long text '.repeat(8)}"
end
def kinds(i)
  point = Point(i, 1) + Point(2, i)
  far = Point(1.5, i + 0.5)
  row = {id: i, at: point, text: "n-" + i.to_s}
  row[:id] += point.x
  found = (2..4).include?(i % 6) && row["text"].match?(/n-[0-9]+/) && "abc".include?("b")
  named = i.even? ? Named("a") : point
  total = 0
  [1, 2, 3].each { |n| total += n * i }
  late = ->(n) { n + total }
  big = i + 9_007_199_254_740_993
  exact = 1.25d + i
  width = "x".ljust(3).length + sqrt(16.0) + [3, 1, 2].sort.first
  letter = case row["text"][2]
  in "1".."4" then "low"
  in nil then nil
  else "high"
  end
  case named
  in Named(name:) then found = name
  in Point(x:, y:) then found = [x, y, found]
  end
  [point.long?, far.x, row["id"], found, late.(1), big, exact, width, row.keys, Color.values.length, letter]
end
for i in 0...40
  last = kinds(i)
end
p last, described(Color.red), described("blue"), (1..9).map { |i| described(i.to_s).length }
`;

t.test('the next run generates no code', async (t) => {
  const shelf = new MemoryShelf();
  const first = runOn(shelf, KINDS);
  t.equal(shelf.times, 1);
  t.match(shelf.text, /^\{"times":1,/);
  const kept = shelf.text;
  t.strictSame(runOn(shelf, KINDS).lines, first.lines);
  t.equal(shelf.text, kept, 'nothing new was stored');
});

const CHANNEL = `inbox = channel(1)
def swap(inbox, i)
  inbox.send(i)
  inbox.recv
end
puts (0...20).map { |i| swap(inbox, i) }.sum`;

t.test('methods of handles are found again', async (t) => {
  const shelf = new MemoryShelf();
  for (const time of ['first', 'second']) t.strictSame(runOn(shelf, CHANNEL).lines, ['190'], time);
  t.equal(shelf.times, 1);
  t.match(shelf.text, /\["impl",\["of handle","Channel","recv"\]\]/);
});

t.test('code that names what cannot be found again is generated again', async (t) => {
  const { loaded } = HandleType;
  const channel = loaded.get('Channel') as HandleType;
  t.teardown(() => loaded.set('Channel', channel));
  loaded.delete('Channel');
  const shelf = new MemoryShelf();
  for (const time of ['first', 'second', 'third']) t.strictSame(runOn(shelf, CHANNEL).lines, ['190'], time);
  t.notMatch(shelf.text, /Channel/);
  t.equal(shelf.times, 1, 'it is no reason to store the rest again');
});

t.test('code is generated again if a module that it names is not loaded yet', async (t) => {
  const shelf = new MemoryShelf();
  runOn(shelf, CHANNEL);
  const { loaded } = HandleType;
  const channel = loaded.get('Channel') as HandleType;
  t.teardown(() => loaded.set('Channel', channel));
  loaded.delete('Channel');
  t.strictSame(runOn(shelf, CHANNEL).lines, ['190']);
});

t.test('other values than in the run before', async (t) => {
  const text = `record Box(value)
def total(n)
  sum = number(1)
  i = 0
  while i < n
    sum = sum * number(2) - Box(number(i)).value
    i += 1
  end
  sum
end
p (1..40).map { |n| total(n) }.last`;
  for (const after of [true, false]) {
    const expected = runOn(new MemoryShelf(), text, after).lines;
    const shelf = new MemoryShelf();
    runOn(shelf, text, !after);
    for (const time of ['first', 'second']) t.strictSame(runOn(shelf, text, after).lines, expected, time);
    // Integers make code with raw Floats useless; any code works with Floats.
    t.equal(shelf.times, after ? 1 : 2);
    t.notMatch(shelf.text, /\bf\d+=/, 'no raw Floats');
  }
});

t.test('code of earlier runs that this one does not need stays', async (t) => {
  const text = `def small(i) i + 1 end
def large(i) i * 2 + 1 end
def other(i) i - 7 end
puts (0..20).map { |i| number(0) == 0 ? small(i) : large(i) + other(i) }.sum`;
  const shelf = new MemoryShelf();
  const [integers, floats] = [false, true].map((isFloat) => runOn(new MemoryShelf(), text, isFloat).lines);
  runOn(shelf, text, false);
  runOn(shelf, text, true);
  const kept = shelf.text;
  t.strictSame(runOn(shelf, text, false).lines, integers);
  t.strictSame(runOn(shelf, text, true).lines, floats);
  t.equal(shelf.text, kept);
});

t.test('few new functions are not worth storing again, but for the first times', async (t) => {
  const shelf = new MemoryShelf();
  const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
  const text = `${names.map((name, i) => `def ${name}(i) i + ${i} end\n`).join('')}
puts (0..20).map { |i| ${names.map((name) => `${name}(i)`).join(' + ')} }.sum`;
  for (let time = 1; time <= 8; time++) {
    runOn(shelf, text);
    if (shelf.times < time) continue;
    // As if one function had not been hot in the run before.
    const [head, ...functions] = (shelf.text as string).split('\n');
    const known = JSON.parse(head) as { functions: unknown[] };
    shelf.text = [JSON.stringify({ ...known, functions: known.functions.slice(1) }), ...functions.slice(1)].join('\n');
  }
  t.equal(shelf.times, 4);
});

t.test('what another program stored is generated again', async (t) => {
  const shelf = new MemoryShelf();
  runOn(shelf, 'def f(i) i.to_s + "a" end\nputs (0..20).map { |i| f(i) }.join.length');
  shelf.text = (shelf.text as string)
    .replaceAll(/\["constant",\d+\]/g, '["constant",99]')
    .replaceAll(/\["(impl|quick)",/g, '["nothing",');
  const { lines } = runOn(shelf, 'def f(i) i.to_s + "a" end\nputs (0..20).map { |i| f(i) }.join.length');
  t.strictSame(lines, ['53']);
});
