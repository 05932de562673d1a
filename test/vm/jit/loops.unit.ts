import t from 'tap';
import { machine, start } from '../support/machine.js';
import { testCompiled } from './compiled.js';

/** Loops whose iterators, vectors and fuel are locals in compiled code, and loops where that is impossible. */
testCompiled({
  'over vectors, numbers and ranges':
    'def f(v, n)\n  seen = []\n  for x in v do seen << x end\n  n.times { |i| seen << i * 2 }\n  for i in 2..n do seen << i end\n  for i in 2...n do seen << -i end\n  (0...n).each { |i| seen << i + 100 }\n  seen\nend\nr = nil\n20.times { |k| r = f([1, "a", nil, 2.5], k % 5) }\nputs r, f([], 0), f([nil], -3), f([false], 1)',
  'over one kind after the other':
    'def f(c)\n  out = []\n  for x in c do out << x end\n  out << c.map { |x| "#{x}" }\n  out\nend\n12.times { f([1, 2]) }\nputs f({a: 1, b: [2]}), f(1..3), f("a".."c"), f(1..2.5), f((2 ** 70)..(2 ** 70 + 2)), f([3]), f(1...1), f({}), f(9007199254740990..9007199254740991)',
  'over something that cannot be iterated':
    'def f(c)\n  n = 0\n  for x in c do n += 1 end\n  n\nend\n12.times { f([1, 2, 3]) }\nfor c in [nil, 5, 2.5, "text", [1]]\n  begin\n    puts f(c)\n  rescue => e\n    puts "#{e.type}: #{e.message}"\n  end\nend',
  'times of what is no small Integer':
    'def f(n)\n  c = 0\n  n.times do |i|\n    c += 1\n    break if i == 7\n  end\n  c\nend\n12.times { f(3) }\nputs f(2 ** 70), f(-1), f(0), f(100)\nbegin\n  f("3")\nrescue => e\n  puts e.message\nend',
  'a vector that grows or shrinks below the loop':
    'def grow(v)\n  n = 0\n  for x in v\n    n += x\n    v << x - 1 if x > 0\n  end\n  [n, v.length]\nend\ndef shrink(v)\n  n = 0\n  for x in v\n    n += 1\n    v.pop()\n  end\n  [n, v]\nend\ndef map_grow(v)\n  v.map { |x| v << x + 1 if v.length < 9; x * 2 }\nend\ndef map_shrink(v)\n  v.map { |x| v.pop(); x * 2 }\nend\nr = nil\n15.times { r = [grow([3, 1]), shrink([1, 2, 3, 4, 5]), map_grow([1, 2]), map_shrink([1, 2, 3, 4, 5, 6])] }\nputs r',
  'map of vectors, numbers and ranges':
    'def f(v, n) [v.map { |x| x + 1 }, (1..n).map { |i| i * i }, (n..n + 3).map { |i| [i] }, (5...2).map { |i| i }, v.map { |x| v.map { |y| x * 10 + y } }] end\nr = nil\n20.times { |k| r = f([k, k + 1, k + 2], k % 6) }\nputs r, f([], 3), f([0.5, 2 ** 65], 0)\nbegin\n  f([1, nil], 2)\nrescue => e\n  puts e.message\nend',
  'map that is left':
    'def f(v, at)\n  out = v.map do |x|\n    next "next" if x == at\n    break [x] if x == at + 2\n    return "returned" if x == at + 5\n    x\n  end\n  out << "end"\nend\nr = []\n20.times { |k| r << f([0, 1, 2, 3, 4], k - 6) }\nputs r',
  'map with rescue and ensure':
    'def f(v, bad)\n  log = []\n  out = begin\n    v.map do |x|\n      begin\n        raise "no #{x}" if x == bad\n        raise "out" if x == bad + 3\n        x * 2\n      rescue => e\n        raise e if e.message == "out"\n        e.message\n      ensure\n        log << x\n      end\n    end\n  rescue => e\n    "caught #{e.message}"\n  end\n  [out, log]\nend\nr = nil\n20.times { |k| r = [f([1, 2, 3], 2), f([1, 2, 3, 4, 5, 6], k % 8)] }\nputs r, f([], 1)',
  'map whose block calls and waits':
    'def twice(x)\n  sleep(0) if x % 3 == 0\n  x * 2\nend\ndef f(v) v.map { |x| twice(x) + v.map { |y| twice(y) }.length } end\nr = nil\n20.times { |k| r = f([k, k + 1, k + 2, k + 3]) }\nputs r',
  'nested loops that are left in both directions':
    'def f(n)\n  hits = []\n  for i in 0...n\n    for j in [1, 2, 3, 4]\n      next if j == i % 4\n      break if j + i > 7\n      k = 0\n      while k < 3\n        k += 1\n        next if k == 2\n        hits << i * 100 + j * 10 + k\n        return hits if hits.length > 60\n      end\n    end\n  end\n  hits\nend\nr = nil\n10.times { |k| r = f(k + 3) }\nputs r.length, r.sum, r.last',
  'loops within handlers within loops':
    'def f(n)\n  log = []\n  for i in 0...n\n    begin\n      for x in [4, 2, 1, 0]\n        log << 12 % x if x != 0\n        log << "none" if i % 3 == 1 and 12 % x == 0\n      end\n    rescue ZeroDivisionError => e\n      log << e.message[0..3]\n      for y in [i] do log << y end\n    ensure\n      log << "|"\n    end\n  end\n  log.join(" ")\nend\nr = nil\n8.times { |k| r = f(k) }\nputs r',
  'elements taken apart':
    'def f(pairs)\n  n = 0\n  names = []\n  for name, count in pairs\n    n += count\n    names << name\n  end\n  pairs.each { |name, count| n += count }\n  [names.join(), n, pairs.map { |name, count| "#{name}#{count}" }]\nend\nr = nil\n20.times { |k| r = f([["a", k], ["b", 2]]) }\nputs r, f({x: 1, y: 2}), f([])',
  'a loop that reads and writes fields, elements and texts':
    'record Point(x, y)\ndef f(n)\n  p = Point(0, 0.5)\n  h = {n: 0}\n  v = [0, 0, 0]\n  big = 2 ** 62\n  for i in 0...n\n    p.x = p.x + i\n    p.y = p.y * 1.5\n    h.n = h.n + 1\n    h["k#{i % 3}"] = i\n    v[i % 3] = v[i % 3] + p.x\n    big = big + i\n  end\n  [p.x, p.y, h, v, big]\nend\nr = nil\n20.times { |k| r = f(k) }\nputs r',
});

/** Runs a text; returns the number of its slices and the fuel that they took. */
function usageOf(text: string, jit: number | null): { slices: number; fuel: number } {
  const made = machine({ jit, slice: 500 });
  let fuel = 0;
  made.vm.scheduler.onFuel = (_, taken) => {
    fuel += taken;
  };
  const fiber = start(made, text);
  made.host.runAll();
  if (fiber.outcome?.ok !== true) throw new Error(made.reports.join());
  return { slices: made.vm.scheduler.stats.slices, fuel };
}

t.test('a loop consumes the same fuel compiled and interpreted, for every exit', async (t) => {
  const programs = {
    counted: 'def f(n)\n  s = 0\n  for i in 0...n do s += i end\n  s\nend\n60.times { f(200) }',
    error:
      'def f(n)\n  i = 0\n  while true\n    i += 1\n    raise "out" if i == n\n  end\nend\n60.times do\n  begin\n    f(200)\n  rescue => e\n    e\n  end\nend',
    'error of an operation':
      'def f(v)\n  s = 0\n  for x in v do s += x end\n  s\nend\nv = [1] * 200\nv << nil\n60.times do\n  begin\n    f(v)\n  rescue => e\n    e\n  end\nend',
    'break and next of outer loops':
      'def f(n)\n  s = 0\n  for i in 0...n\n    next if i % 3 == 0\n    for x in [1, 2, 3, 4, 5, 6, 7, 8]\n      break if x > i\n      s += 1\n    end\n  end\n  s\nend\n60.times { f(60) }',
    map: 'def f(v) v.map { |x| x + 1 } end\nv = [1] * 200\n60.times { f(v) }',
    'hashes and calls':
      'def g(x) x end\ndef f(n)\n  h = {}\n  for i in 0...n\n    h["k"] = i\n    h["k#{i % 40}"] = g(i)\n  end\n  h\nend\n30.times { f(200) }',
  };
  for (const [name, text] of Object.entries(programs)) {
    const interpreted = usageOf(text, null);
    t.ok(interpreted.slices > 15, `${name}: ${interpreted.slices} slices`);
    for (const jit of [0, 3, 20]) {
      const compiled = usageOf(text, jit);
      t.equal(compiled.slices, interpreted.slices, `${name}, JIT ${jit}`);
      // A frame that continues at its first instruction enters compiled code, which takes one more.
      const more = compiled.fuel - interpreted.fuel;
      t.ok(more >= 0 && more <= compiled.slices, `${name}, JIT ${jit}: ${more} more fuel in ${compiled.slices} slices`);
    }
  }
});
