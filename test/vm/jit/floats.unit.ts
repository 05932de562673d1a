import t from 'tap';
import { run } from '../support/machine.js';
import { testCompiled } from './compiled.js';

/** Programs whose registers have Floats, or other values later. */
const PROGRAMS: Record<string, string> = {
  'a loop over Floats': 'x = 1.0\ni = 0\nwhile i < 50\n  x = x * 1.5 - 0.25\n  i += 1\nend\nputs x',
  'Floats that become Integers':
    'def f(n)\n  x = 0.5\n  n.times { |i| x = i == 40 ? 3 : x + 0.5 }\n  x\nend\nputs f(30), f(50), f(50).type',
  'Floats that become Strings':
    'def f(n)\n  x = 0.5\n  for i in 0...n\n    x = "text" if i == 45\n    x = x + x\n    x = 0.25 if i > 20 and i < 45\n  end\n  x\nend\nputs f(30), f(47)',
  'arguments of several types':
    'def add(a, b) a + b end\n60.times { add(1.5, 2.5) }\nputs add(1, 2), add(1.5, 2), add(1, 2.5), add("a", "b"), add([1], [2]), add(2.5, 2.5)',
  'an error where Floats were':
    'def add(a, b) a * b end\n60.times { add(1.5, 2.5) }\nbegin\n  add(nil, 1.5)\nrescue => e\n  puts e.message, e.line\nend\nputs add(2.0, 2)',
  'not a number':
    'nan = 0.0 * 1e308 * 1e308 * 10.0\nnan = nan - nan\nx = 1e308 * 10.0\nn = x - x\nc = 0\nfor i in 0...60\n  c += 1 if n == n\n  c += 10 if n < 1.0\n  c += 100 if n >= 1.0\n  c += 1000 if n != n\n  n = n * 2.0\nend\nputs c, n',
  'negative zero': 'x = 0.0\nfor i in 0...60\n  x = -x\nend\ny = -0.0\nputs x, y, y + 0, 0 * -1.5, -x, 1.5 * 0.0 * -1',
  quotients:
    'def q(a, b) a / b end\n60.times { |i| q(i, i + 1) }\nputs q(1, 3), q(1.0, 4), q(7, 2.0)\nbegin\n  q(1, 0)\nrescue ZeroDivisionError => e\n  puts e.message\nend\nbegin\n  q(1.0, 0.0)\nrescue ZeroDivisionError => e\n  puts e.message\nend\nputs q(2 ** 80, 3), q([4, 6], 2)',
  'handlers read what is raw':
    'def f(n)\n  x = 1.5\n  y = 0.0\n  for i in 0...n\n    begin\n      x = x * 1.01\n      raise "at #{i}" if i % 7 == 6\n      y = y + x\n    rescue => e\n      y = y - x\n    ensure\n      x = x + 0.125\n    end\n  end\n  [x, y]\nend\nputs f(70)',
  'blocks and captured variables':
    'def f(n)\n  sum = 0.0\n  scale = 1.25\n  add = ->(x) { sum = sum + x * scale }\n  n.times { |i| add(i * 0.5) }\n  n.times { |i| scale = scale * 1.001; sum = sum * scale }\n  [sum, scale]\nend\nputs f(80)',
  'nested loops with jumps':
    'def f(n)\n  total = 0.0\n  for i in 0...n\n    x = i * 0.5\n    j = 0\n    while true\n      j += 1\n      next if j == 3\n      break if j > 6\n      x = x * 1.5 - 1.0\n      total = total + x if x > 0.0\n    end\n    total = total / 2.0\n    next if i % 5 == 0\n    total = total - x\n  end\n  total\nend\nputs f(40), f(90)',
  'a loop that is left and entered again with another type':
    'def f(x, n)\n  i = 0\n  while i < n\n    x = x + x\n    x = x - x * 0.5\n    i += 1\n  end\n  x\nend\n40.times { f(1.5, 10) }\nputs f(3, 10), f(1.5, 50), f(2 ** 70, 3)',
  'a loop that was compiled for Floats and is entered with Integers':
    'def f(x, step, n)\n  i = 0\n  while i < n\n    x = x + step\n    i += 1\n  end\n  x\nend\nputs f(0.0, 0.5, 300), f(0, 1, 300), f(0.0, 0.5, 300)',
  'Floats in calls, vectors, hashes and texts':
    'def id(x) x end\nv = []\nh = {a: 0.5}\nx = 0.25\nfor i in 0...60\n  x = x * 1.1\n  v << id(x) if i % 20 == 0\n  h["a"] = h["a"] + x\n  h.b = "#{x}" if i == 59\nend\nputs v, h',
  'comparisons of mixed numbers':
    'def f(a, b) [a < b, a <= b, a > b, a >= b, a == b] end\n60.times { f(1.5, 2.5) }\nputs f(1, 1.0), f(1.5, 1), f(2 ** 60, 1.5), f(1.5, 1.5)\nbegin\n  f(1.5, "a")\nrescue => e\n  puts e.message\nend',
  'wide registers': `def f(x)\n${Array.from({ length: 20 }, (_, i) => `  a${i} = x * ${i}.5\n`).join('')}  for i in 0...40\n    a0 = a0 + a19 * 0.5\n    a19 = a1 - a0 * 0.001\n  end\n  ${Array.from({ length: 20 }, (_, i) => `a${i}`).join(' + ')}\nend\nputs f(1.5), f(2), f(1.5)`,
};

testCompiled(PROGRAMS);

t.test('a function that repeatedly expects Floats in vain is compiled without them', async (t) => {
  const text =
    'def f(a, b) a * b + a end\nfor round in 0...40\n  40.times { f(1.5, 2.5) }\n  f(round, 2)\n  40.times { f(round, 2) }\nend\nputs f(1.5, 2), f(2, 2)';
  for (const jit of [0, 3, 10]) t.strictSame(run(text, { jit }).lines, ['4.5', '6']);
});
