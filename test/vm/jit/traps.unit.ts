import t, { type Test } from 'tap';
import { decodeAll } from '../../../vm/bytecode/decode.js';
import type { Frame } from '../../../vm/fibers/frame.js';
import { SvcError } from '../../../vm/values/error.js';
import { machine, programOf, run, start, type MachineOptions } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';

// One test for each typical mistake of compiled code that is combined with an interpreter.

/**
 * Interpreted; compiled without feedback, also suspended at every safepoint; compiled after some calls, so that code is
 * entered in the middle and uses feedback.
 */
// prettier-ignore
const MODES: readonly { jit: number | null; slice: number }[] = [
  { jit: null, slice: 0 }, { jit: null, slice: 1 }, { jit: 0, slice: 0 }, { jit: 0, slice: 1 },
  { jit: 3, slice: 0 }, { jit: 3, slice: 1 }, { jit: 3, slice: 2 }, { jit: 10, slice: 7 },
];
const nameOf = ({ jit, slice }: MachineOptions): string =>
  `${jit === null ? 'interpreter' : `JIT ${jit}`}, slice ${slice}`;

/** Runs a text in all modes: each must print `expected`, followed by the uncaught errors. */
function prints(t: Test, text: string, expected: readonly string[], options: MachineOptions = {}): void {
  for (const mode of MODES) {
    const { lines, errors } = run(text, { natives: slowNatives, ...options, ...mode });
    t.strictSame([...lines, ...errors], expected, nameOf(mode));
  }
}

/** Calls of something that may wait, by instruction. */
// prettier-ignore
const CALLS: Record<string, string> = {
  CALL: 'waits(%)', CALLV: 'f.(%)', CALLN: 'f.(value: %)', APPLY: 'waits(*[%])',
  NATIVE: 'later(%)', CALLM: 's.answer(%)', CALLMN: 's.answer(value: %)', APPLYM: 's.answer(*[%])', INDEX: 's[%]',
};
const AROUND = 'def waits(value) later(value) end\nf = ->(value) { later(value) }\ns = slow()\n';

t.test('a deep recursion after a rescued StackError ends in a StackError again', async (t) => {
  const names = Array.from({ length: 24 }, (_, i) => `a${i}`);
  // The limit of the JavaScript stack must shrink with the stack, after errors and after returns. Wide frames reach it earlier.
  const text = `
def down(n) n == 0 ? 0 : 1 + down(n - 1) end
def wide(n)
  return 0 if n == 0
${names.map((name, i) => `  ${name} = n + ${i}`).join('\n')}
  below = wide(n - 1)
  below + ${names.join(' + ')} - ${names.length} * n - ${(names.length * (names.length - 1)) / 2} + 1
end
def half_way(n)
  return half_way(n - 1) + 1 if n > 0
  begin
    down(20_000)
  rescue StackError
    down(4000)
  end
end
seen = []
2.times do
  begin
    down(20_000)
  rescue StackError => e
    seen << "#{e}"
  end
  seen << down(9900) << wide(9900) << half_way(5000)
  begin
    wide(20_000)
  rescue StackError => e
    seen << "#{e}"
  end
end
puts seen.length, seen.uniq`;
  prints(t, text, ['10', '[stack is deeper than 10000 calls, 9900, 9000]']);
});

t.test('a suspended call inside a try does not overwrite its destination', async (t) => {
  const ways = { ...CALLS, GETF: 's.bad' };
  for (const [op, call] of Object.entries(ways)) {
    await t.test(op, async (t) => {
      const text = `${AROUND}
def test(f, s, x)
  y = 0.5
  begin
    x = ${call.replace('%', '"fail"')}
  rescue => e
    puts "#{x} #{e}"
  end
  begin
    y = ${call.replace('%', '"fail"')}
  rescue => e
    puts "#{y} #{e}"
  end
  x = ${op === 'GETF' ? 's.good' : call.replace('%', '"good"')}
  puts x
end
5.times { |i| test(f, s, i) }`;
      prints(
        t,
        text,
        [0, 1, 2, 3, 4].flatMap((i) => [`${i} failed later`, '0.5 failed later', 'good']),
      );
    });
  }
});

t.test('variables that only a handler reads survive a suspension', async (t) => {
  // The first wait of each call fails, because code after a wait is interpreted.
  const text = `
def test(a)
  kept = a + 1
  half = a * 0.5
  begin
    begin
      half = half + 0.25
      a = later("fail")
    rescue KeyError
      puts "not this one"
    end
    half = kept = 0
  rescue ValueError => e
    puts "#{e} #{a} #{kept} #{half}"
  end
end
5.times { |i| test(i) }`;
  const numbers = [0, 1, 2, 3, 4];
  prints(
    t,
    text,
    numbers.map((i) => `failed later ${i} ${i + 1} ${i / 2 + 0.25}`),
  );
  // A signal skips the rescue clause, which assigns variables that the outer ensure reads.
  const signal = `
def test(a)
  kept = a + 1
  half = a * 0.5
  begin
    begin
      a = sleep(10)
      half = kept = 0
    rescue => e
      a = half = kept = "rescued"
    end
  ensure
    puts "ensure #{a} #{kept} #{half}"
  end
end
5.times do |i|
  begin
    timeout(1) { test(i) }
  rescue TimeoutError
    puts "over"
  end
end`;
  prints(
    t,
    signal,
    numbers.flatMap((i) => [`ensure ${i} ${i + 1} ${(i / 2).toFixed(1)}`, 'over']),
  );
});

t.test('a handler runs once for one error, in frames of both tiers', async (t) => {
  const inLoop = `
def test(log)
  begin
    for i in 0...30
      log[0] += 1
      raise "first" if i == 20
    end
  rescue => e
    log[1] += 1
    raise "second"
  ensure
    log[2] += 1
  end
end
log = [0, 0, 0]
5.times do
  begin
    test(log)
  rescue => e
    puts e
  end
end
puts log`;
  prints(t, inLoop, [...Array<string>(5).fill('second'), '[105, 5, 5]']);
  // The protected range begins at a call, where a frame without fuel resumes.
  const atStart = `
def test(log)
  log[0] += 1
  raise "first"
rescue => e
  log[1] += 1
  raise "second"
ensure
  log[2] += 1
end
log = [0, 0, 0]
5.times do
  begin
    test(log)
  rescue => e
    puts e
  end
end
puts log`;
  prints(t, atStart, [...Array<string>(5).fill('second'), '[5, 5, 5]']);
  // Other values after forty Floats make the code leave inside the try.
  const deopt = `
def product(log, v)
  x = 0.5
  begin
    for y in v
      x = x * y
    end
    x
  rescue TypeError => e
    log[0] += 1
    raise "second #{x}"
  ensure
    log[1] += 1
  end
end
log = [0, 0]
40.times { product(log, [2.0, 1.5]) }
begin
  product(log, [2.0, 3.5, "text"])
rescue => e
  puts e, log
end`;
  prints(t, deopt, ['second 3.5', '[1, 41]']);
});

t.test(
  "an error at the entry of a function is its caller's, though its own try covers its first instruction",
  async (t) => {
    const ways: Record<string, string> = {
      CALL: 'dive(f, ran, n + 1)',
      CALLV: 'f.(f, ran, n + 1)',
      CALLN: 'f.(f, ran: ran, n: n + 1)',
      APPLY: 'dive(*[f, ran, n + 1])',
      'a native': 'shared(1).update { |x| dive(f, ran, n + x) }',
      'a block': '[1].map { |x| dive(f, ran, n + x) }[0]',
    };
    // After 200 calls the stack is on the heap.
    for (const maxDepth of [60, 201, 450]) {
      for (const [way, call] of Object.entries(ways)) {
        const body = (again: string): string =>
          `begin\n    ran[0] += 1\n    ${again}\n  rescue StackError\n    [n, ran[0]]\n  end`;
        const text = `def dive(f, ran, n)\n  ${body(call)}\nend\nf = ->(f, ran, n) {\n  ${body(way.startsWith('CALL') ? call : 'f.(f, ran, n + 1)')}\n}
3.times do
  n, count = dive(f, [0], 1)
  print n == count and n > 10
end
puts ""`;
        for (const mode of MODES)
          t.strictSame(
            run(text, { natives: slowNatives, maxDepth, ...mode }).lines,
            ['true'.repeat(3)],
            `${way}, ${maxDepth} deep, ${nameOf(mode)}`,
          );
      }
    }
    const cancelled = `
def work(x)
  begin
    puts "body"
  ensure
    puts "cleanup"
  end
end
5.times { |i| work(i) if i > 9 }
task = spawn { work(1) }
task.cancel
sleep(1)
puts task.done?`;
    prints(t, cancelled, ['true']);
  },
);

t.test('a register is converted on only one of the paths that join', async (t) => {
  // At each join one path has a raw Float and the other a value.
  const joins = `
def test(n, given)
  out = []
  for i in 0...n
    if i % 3 == 0
      x = given
    else
      x = 0.25
    end
    y = i % 2 == 0 ? 0.5 : given
    z = 1.5
    z = given if i == 4
    out << x << y << z
    w = 2.5
    for j in 0...2
      out << w
      w = j == 0 ? given : w
    end
  end
  out.join(" ")
end
5.times { |i| test(3, i) }
puts test(6, "g")`;
  const turn = (i: number): string =>
    `${i % 3 === 0 ? 'g' : '0.25'} ${i % 2 === 0 ? '0.5' : 'g'} ${i === 4 ? 'g' : '1.5'} 2.5 g`;
  prints(t, joins, [[0, 1, 2, 3, 4, 5].map(turn).join(' ')]);
  // A loop in a loop in a try: code may be entered at each, without the instructions before it.
  const entries = `
def test(n, given)
  out = []
  a = 0.5
  begin
    for i in 0...n
      b = a + 1.0
      c = given
      while b < 4.0
        b = b + 0.5
        c = b if b > 3.0
        out << c if i == n - 1
      end
      a = a + 0.25
      out << a
    end
  rescue
    puts "never", a
  end
  out.join(" ")
end
5.times { |i| test(4, i) }
puts test(4, "g")`;
  prints(t, entries, ['0.75 1.0 1.25 g 3.25 3.75 4.25 1.5']);
});

/** Nested loops and protected ranges, outermost first. They begin at the same instruction, except for heads of loops. */
function nested(kinds: readonly string[]): string {
  return kinds.reduceRight((body, kind, i) => {
    if (kind === 'loop') return `do\n${body}\nend while more(c, ${i})`;
    return `begin\n${body}\n${kind === 'ensure' ? 'ensure\nc[9] += 1' : 'rescue KeyError\nputs "never"'}\nend`;
  }, 'c[8] += 1');
}

t.test(
  'code can be entered at every loop, also if several loops and tries begin at the same instruction',
  async (t) => {
    const kinds = ['loop', 'rescue', 'ensure'];
    const nests = kinds.flatMap((a) => kinds.flatMap((b) => kinds.flatMap((c) => kinds.map((d) => [a, b, c, d]))));
    // Each loop has two iterations.
    const text = `def more(c, i)\n  c[i] = 1 - c[i]\n  c[i] == 1\nend
${nests.map((nest, i) => `def f${i}(c)\n${nested(nest)}\n[c[8], c[9]]\nend`).join('\n')}
${nests.map((_, i) => `puts f${i}([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])`).join('\n')}`;
    const turns = (nest: readonly string[]): number => 2 ** nest.filter((kind) => kind === 'loop').length;
    const cleanups = (nest: readonly string[]): number =>
      nest.reduce((sum, kind, i) => sum + (kind === 'ensure' ? turns(nest.slice(0, i)) : 0), 0);
    prints(
      t,
      text,
      nests.map((nest) => `[${turns(nest)}, ${cleanups(nest)}]`),
    );
    const { vm } = machine({ jit: 0 });
    let entries = 0;
    for (const fn of vm.link(programOf(text)).functions) {
      for (const { pc, info } of decodeAll(fn.code, fn.name))
        if (info.name === 'LOOPHEAD' && vm.tier?.loopCode(fn, pc) !== null) entries++;
    }
    t.equal(entries, nests.flat().filter((kind) => kind === 'loop').length);
  },
);

t.test('a Float that is not a number equals nothing, not even itself', async (t) => {
  const text = `
big = 1e308 * 10.0
nan = big - big
def test(a, b)
  c = 0
  c += 1 if a == b
  c += 10 if a != b
  c += 100 unless a == b
  c += 1000 if [a] == [b]
  c += 10_000 if {k: a} == {k: b}
  c += 100_000 while a == b and c < 100_000
  eq = a == b
  ne = a != b
  kind = case a
    when b then "same"
    else "other"
  end
  [c, eq, ne, kind, [a].include?(b)]
end
def own(x) [x == x, x != x, (x == x ? 1 : 2)] end
20.times { |i| test(0.5, 0.5 * i); own(i * 0.5) }
puts test(nan, nan), test(nan, 0.5), test(0.5, 0.5), own(nan), own(nan * 2.0), own(0.5)`;
  const differ = '[110, false, true, other, false]';
  prints(t, text, [
    differ,
    differ,
    '[111001, true, false, same, true]',
    '[false, true, 2]',
    '[false, true, 2]',
    '[true, false, 1]',
  ]);
});

t.test('an Integer 0 has no sign', async (t) => {
  const text = `
def times(a, b) a * b end
def floats(z) [z + -0.0, -0.0 + z, z * 1.5, 1.5 * z, z / 2, z / -2.0, z - 0.0, z * 2 * 1.5, -z * 1.5] end
def zeros(n) [times(n, 0), times(0, n), times(n, -3) * 0, n * 0, 0 * n, -(n - n), 0 // n, 0 % n, 4 * n % n, (0.1 * n).round] end
20.times { |i| floats(i) }
puts zeros(-4).map { |z| floats(z).map { |x| "#{x}" }.uniq }.uniq
x = 1.5
for i in 0...20
  x = x * 1.5
  x = times(0, -i) * 1.5 if i == 15
end
puts x, zeros(-4).uniq, zeros(-2).map { |z| "#{z * -1.0}" }.uniq`;
  prints(t, text, ['[[0.0, -0.0]]', '0.0', '[0]', '[-0.0]']);
});

t.test('an empty try has neither a range nor a handler', async (t) => {
  const text = `
def test(n)
  for i in 0...n
    begin
    rescue
      puts "never"
    end
    begin
    ensure
      print "a"
    end
    begin
    rescue
      puts "never"
    else
      print "b"
    ensure
      print "c"
    end
    x = begin
    rescue
      1
    end
    print "#{x == nil} "
  end
end
def empty
rescue
  puts "never"
end
5.times { |i| test(1); empty() }
test(2)
puts ""
p empty()`;
  for (const { handlers } of programOf(text).functions)
    for (let k = 0; k < handlers.length; k += 4) t.ok(handlers[k] < handlers[k + 1]);
  prints(t, text, ['abctrue '.repeat(7), '(Nil) nil']);
});

/** Frames of a thread whose stack is on the heap. */
function framesOf(top: Frame | null): Frame[] {
  const frames: Frame[] = [];
  for (let frame = top; frame !== null; frame = frame.parent) frames.push(frame);
  return frames;
}

t.test('a suspension does not visit the frames below it', async (t) => {
  const text =
    'def down(n)\n  return 1 + down(n - 1) if n > 0\n  later("deep")\n  i = 0\n  while i < 2000\n    i += 1\n    later(i)\n  end\n  i\nend\nputs down(5000)';
  for (const mode of MODES) {
    const made = machine({ natives: slowNatives, ...mode });
    const fiber = start(made, text);
    while (!(fiber.state === 'waiting' && fiber.depth > 5000)) made.host.turn();
    // Counts reads of `parent` in all frames except the innermost, which changes.
    const frames = framesOf(fiber.frame).slice(1);
    let looks = 0;
    for (const frame of frames) {
      let { parent } = frame;
      Object.defineProperty(frame, 'parent', {
        get: () => (looks++, parent),
        set: (to: Frame | null) => void (parent = to),
      });
    }
    const before = fiber.waitNumber;
    while (fiber.waitNumber < before + 2000) made.host.turn();
    t.equal(looks, 0, nameOf(mode));
    made.host.runAll();
    t.strictSame(
      [frames.length, looks >= frames.length, ...made.host.lines(), ...made.reports],
      [5001, true, '7000'],
      nameOf(mode),
    );
  }
});

t.test("JavaScript's own errors pass every handler", async (t) => {
  const text = (call: string): string => `
def test(hurts)
  begin
    [1].each { |x| ${call} if hurts }
  rescue => e
    puts "rescued"
  ensure
    puts "ensured" if hurts
  end
end
20.times { test(false) }
begin
  test(true)
rescue
  puts "rescued outside"
ensure
  puts "ensured outside"
end`;
  for (const [call, type] of [
    ['crash()', TypeError],
    ['overflow()', RangeError],
  ] as const) {
    for (const mode of MODES) {
      const made = machine({ natives: slowNatives, ...mode });
      start(made, text(call));
      t.throws(() => made.host.runAll(), type, nameOf(mode));
      t.strictSame(made.host.lines(), [], nameOf(mode));
    }
  }
});

/** Trace of the error that ends a text, innermost frame first. */
function traceOf(text: string, mode: MachineOptions): string {
  const made = machine({ natives: slowNatives, ...mode });
  let trace: string[] = [];
  start(made, text).onEnd((outcome) => {
    if (!outcome.ok && outcome.error instanceof SvcError)
      trace = (outcome.error.value.trace ?? []).map(({ name, line }) => `${name}:${line}`);
  });
  made.host.runAll();
  return trace.join(' ');
}

/** Programs that end with an error, and its trace. */
const TRACES: Record<string, [text: string, trace: string]> = {
  'suspended on the way': [
    `def inner(x)
  later(1)
  raise "no" if x == 9
  x
end
def outer(v)
  v.map { |x|
    inner(x)
  }
end
20.times { outer([1, 2]) }
outer([1, 9])`,
    'inner:3 outer:8 main:12',
  ],
  'raised again': [
    `def f(n)
  raise "first" if n == 15
end
def g(n)
  f(n)
rescue => e
  later(1)
  raise
end
20.times { |i|
  begin
    g(i)
  ensure
    later(2)
  end
}`,
    'f:2 g:5 main:12',
  ],
  'entered at its loop': [
    `def f(n)
  for i in 0...n
    later(i) if i % 7 == 0
    raise "x" if i == 40
  end
end
def g(n)
  f(n)
end
g(20)
for i in 0...30
  g(i * 2)
end`,
    'f:4 g:8 main:12',
  ],
  'given up for the interpreter': [
    `def f(v, k)
  x = 0.5
  for y in v
    x = x * y
    x = x - k
  end
  x
end
def g(v, k)
  f(v, k) * 2.0
end
40.times { g([1.5, 2.5], 0.5) }
g([1.5, 2], 0.5)
g([1.5, "text"], 0.5)`,
    'f:4 g:10 main:14',
  ],
  'given up in between': [
    `def f(x, n)
  y = x * 1.5
  if n > 0
    y = f(n == 3 ? 2 : x, n - 1) + y
  end
  raise "end" if n == 0 and x == 2
  y
end
40.times { f(0.5, 2) }
f(0.5, 4)`,
    'f:6 f:4 f:4 f:4 f:4 main:10',
  ],
  'in a function and its twin': [
    `def f(n, bad)
  raise "x" if bad and n < 4
  n < 2 ? n : f(n - 1, bad) + f(n - 2, bad)
end
f(15, false)
f(8, true)`,
    'f:2 f:3 f:3 f:3 f:3 f:3 main:6',
  ],
  'in functions called by natives': [
    `def f(n)
  raise "x" if n == 30
  n
end
s = shared(0)
40.times { |i|
  s.update { |v|
    f(i)
  }
}`,
    'f:2 block:8 main:7',
  ],
  // A long trace omits the middle.
  'from the heap and the stack': [
    `def down(n)
  down(n - 1) if n > 0
  raise "x" if n == 0
end
down(250)`,
    `down:3 ${'down:2 '.repeat(98)}main:5`,
  ],
};

t.test('a trace names each frame once, in every tier and after suspensions', async (t) => {
  for (const [name, [text, trace]] of Object.entries(TRACES))
    for (const mode of MODES) t.equal(traceOf(text, mode), trace, `${name}, ${nameOf(mode)}`);
});

t.test('with the shortest slices programs advance in every slice', async (t) => {
  // The body of the second loop consumes more fuel than a slice has.
  const text = `
def f(x) x > 0 ? f(x - 1) : 0 end
def long(n)
  x = 0
  while n > 0
${'    x = x * 3 - n + x % 7\n    x = x % 1000\n'.repeat(20)}    n -= 1
  end
  x
end
n = 0
while n < 50
  n += 1
end
def around(block)
  block.()
end
puts n, f(50), [1, 2].map { |x| f(x) }, long(20) < 1000, around { around { f(9) } }, spawn { f(20) }.value`;
  for (const jit of [null, 0, 1, 3]) {
    const slices: number[] = [];
    for (const slice of [1, 2, 3]) {
      const { lines, errors, machine: made } = run(text, { natives: slowNatives, jit, slice });
      t.strictSame([...lines, ...errors], ['50', '0', '[0, 0]', 'true', '0', '0']);
      slices.push(made.vm.scheduler.stats.slices);
    }
    // At most 220 calls and iterations, and at least one of them in each slice.
    t.ok(slices[0] <= 220 && slices[1] < slices[0] && slices[2] <= slices[1], `JIT ${jit}: ${slices.join()} slices`);
  }
});

/** Number of times that compiled code of a program is left for the interpreter. */
function givenUp(text: string, mode: MachineOptions): number {
  const { vm, host } = machine({ natives: slowNatives, ...mode });
  const { functions, entry } = vm.link(programOf(text));
  vm.spawn('main', vm.closureOf(entry), []);
  host.runAll();
  return functions.reduce((sum, { deopts }) => sum + deopts, 0);
}

t.test('code continues on the stack after its function was left and compiled again', async (t) => {
  // On the way down operands differ at 29 and 10; on the way up the first version receives an unexpected result at 26.
  const recursive = `
def test(p, q, n, odd)
  y = p * 0.5
  z = q * 0.25
  if n > 0
    inner = test(n == 29 ? odd : p, n == 10 ? odd : q, n - 1, odd)
    z = z + inner * 0.5
    z = z + y
  end
  n == 25 and odd == 3 ? (z + p).round : z + p
end
50.times { test(1.5, 2.5, 2, 0.5) }
puts test(1.5, 2.5, 32, 3), test(1.5, 2.5, 32, 0.5), test(1.5, 3, 26, 3)
50.times { test(2, 3, 2, 3) }
puts test(1.5, 2.5, 32, 3)
begin
  test(1.5, 2.5, 32, "text")
rescue TypeError
  puts test(1.5, 2.5, 32, 0.5)
end`;
  prints(t, recursive, ['6.029296875', '5.562499880528776', '6.0', '6.029296875', '5.562499880528776']);
  // Waiting frames outlive several versions of the code.
  const parked = `
def work(gate, x, s, odd)
  a = x * 2.0
  for i in 0...30
    a = a * 1.0 + s
    if i == 28
      gate.recv
      s = odd
    end
  end
  a + x
end
gates = (0...6).map { |i| channel(0) }
tasks = gates.map_with_index { |gate, i| spawn { work(gate, 0.5, 0.5, i % 2 == 0 ? 0.5 : 1) } }
sleep(1)
open = channel(100)
90.times { |i| open.send(i) }
30.times { work(open, 0.5, 0.5, 0.5) }
30.times { work(open, 1, 0.5, 0.5) }
30.times { work(open, 0.5, 0.5, 1) }
for gate in gates
  gate.send(1)
end
puts await(tasks)`;
  prints(t, parked, ['[16.5, 17.0, 16.5, 17.0, 16.5, 17.0]']);
  // Code with feedback of Floats is left more than once.
  for (const text of [recursive, parked])
    for (const mode of MODES) if (mode.jit !== null && mode.jit > 0) t.ok(givenUp(text, mode) >= 2, nameOf(mode));
});

t.test('machines share no feedback', async (t) => {
  const program = programOf(`
def scale(v, k)
  x = 0.5
  for y in v
    x = x * y + k
  end
  x
end
out = []
40.times { |i| out << scale([1.5, i * 0.5], 0.25) }
puts out.sum, scale([1.5, 2], 0.25), scale([3, 2], 1)
begin
  scale([1.5, nil], 0.5)
rescue TypeError => e
  puts e.line
end`);
  for (const mode of MODES) {
    const { vm, host, reports } = machine({ natives: slowNatives, ...mode });
    const { functions, entry } = vm.link(program);
    const cold = functions.map(({ compiled, calls, turns, feedback, loops, deopts }) => [
      compiled,
      calls,
      turns,
      feedback.some((bits) => bits !== 0),
      loops.size,
      deopts,
    ]);
    t.strictSame(
      cold,
      functions.map(() => [false, 0, 0, false, 0, 0]),
      nameOf(mode),
    );
    for (let round = 0; round < 4; round++) {
      vm.spawn('main', vm.closureOf(entry), []);
      host.runAll();
      t.strictSame([...host.lines(), ...reports], ['400.0', '2.25', '6.0', '5'], `${nameOf(mode)}, round ${round}`);
    }
  }
});
