import t, { type Test } from 'tap';
import { cpuTime } from '../../clock.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { native } from '../../../vm/calls/native.js';
import type { VM } from '../../../vm/vm.js';
import { SvcError } from '../../../vm/values/error.js';
import { machine, programOf, run, start, type MachineOptions } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';

// One test for each typical mistake of an interpreter that can be suspended. test/vm/jit/traps.unit.ts has those of compiled code.

const SLICES = [0, 1, 2, 3, 7, 1000];

/** Runs a text with slices of several lengths: all must print `expected` and end without an uncaught error. */
function prints(t: Test, text: string, expected: string[], options: MachineOptions = {}): void {
  for (const slice of SLICES) {
    const { lines, errors } = run(text, { natives: slowNatives, ...options, slice });
    t.strictSame(lines, expected, `slice ${slice}`);
    t.strictSame(errors, [], `slice ${slice}`);
  }
}

/** Calls of something that waits, by instruction. */
const CALLS: Record<string, string> = {
  CALL: 'waits(%)',
  CALLV: 'f.(%)',
  CALLN: 'f.(value: %)',
  APPLY: 'waits(*[%])',
  NATIVE: 'later(%)',
  CALLM: 's.answer(%)',
  CALLMN: 's.answer(value: %)',
  APPLYM: 's.answer(*[%])',
  INDEX: 's[%]',
};
const AROUND = `
def waits(value) later(value) end
f = ->(value) { later(value) }
s = slow()
`;

t.test('a suspension does not change the register of the result', async (t) => {
  for (const [op, call] of Object.entries(CALLS)) {
    await t.test(op, async (t) => {
      const text = `${AROUND}
def test(f, s)
  x = "before"
  begin
    x = ${call.replace('%', '"fail"')}
  rescue => e
    puts "#{x} #{e}"
  end
  x = ${call.replace('%', '"after"')}
  puts x
end
test(f, s)`;
      prints(t, text, ['before failed later', 'after']);
    });
  }
  await t.test('GETF', async (t) =>
    prints(t, `${AROUND}x = "before"\nbegin\n  x = s.bad\nrescue => e\n  puts "#{x} #{e}"\nend\nx = s.good\nputs x`, [
      'before failed later',
      'good',
    ]),
  );
});

t.test('variables that a handler reads survive the suspension', async (t) => {
  prints(
    t,
    `${AROUND}
def test(a, b)
  c = a + b
  begin
    d = later(c) * 2
    later("fail")
    c = 0
  rescue
    puts a, b, c, d
  ensure
    puts later(c) + d
  end
end
test(1, 2)`,
    ['1', '2', '3', '6', '9'],
  );
});

t.test('a handler runs once for one error', async (t) => {
  prints(
    t,
    `
n = 0
m = 0
begin
  begin
    [1, 2, 3].each { |x| later("fail") if x == 2 }
  rescue => e
    n += 1
    later(1)
    raise "second"
  ensure
    later(2)
    m += 1
  end
rescue => e
  puts n, m, e
end`,
    ['1', '1', 'second'],
  );
});

t.test('an error at the entry of a function is handled by the caller', async (t) => {
  // The function's handler covers its first instruction, but the function did not begin.
  const text = `
ran = [0]
def dive(ran, n)
  begin
    ran[0] += 1
    dive(ran, n + 1)
  rescue StackError
    [n, ran[0]]
  end
end
n, count = dive(ran, 1)
puts n == count`;
  prints(t, text, ['true'], { maxDepth: 60 });
});

t.test('a thread cancelled before its first instruction runs nothing', async (t) => {
  prints(
    t,
    `
t = spawn do
  begin
    puts "body"
  ensure
    puts "cleanup"
  end
end
t.cancel
sleep(1)
puts t.done?`,
    ['true'],
  );
});

t.test('empty bodies with handlers', async (t) => {
  for (const text of [
    'begin\nrescue\n  puts 1\nend',
    'begin\nensure\n  puts 2\nend',
    'begin\nrescue\n  puts 1\nelse\n  puts 3\nensure\n  puts 2\nend',
    'x = begin\nrescue\n  1\nend\np x',
  ]) {
    const program = programOf(text);
    verifyProgram(program);
  }
  prints(
    t,
    'begin\nrescue\n  puts 1\nend\nbegin\nensure\n  puts 2\nend\nbegin\nrescue\n  puts 1\nelse\n  puts 3\nensure\n  puts 4\nend',
    ['2', '3', '4'],
  );
});

t.test('suspending costs the same at any depth', async (t) => {
  const time = (depth: number): number => {
    const made = machine({ natives: slowNatives });
    start(made, `def down(n)\n  return down(n - 1) if n > 0\n  3000.times { later(1) }\n  nil\nend\ndown(${depth})`);
    return cpuTime(() => made.host.runAll());
  };
  time(1);
  const [shallow, deep] = [Math.min(time(1), time(1)), Math.min(time(9000), time(9000))];
  t.comment(`3,000 suspensions: 1 frame deep ${shallow.toFixed(1)} ms, 9,000 deep ${deep.toFixed(1)} ms`);
  t.ok(deep < 10 * shallow + 30);
});

t.test("JavaScript's own errors cannot be rescued", async (t) => {
  for (const [call, type] of [
    ['crash()', TypeError],
    ['overflow()', RangeError],
  ] as const) {
    for (const slice of SLICES) {
      const made = machine({ natives: slowNatives, slice });
      start(made, `begin\n  ${call}\nrescue => e\n  puts "rescued"\nensure\n  puts "ensured"\nend`);
      t.throws(() => made.host.runAll(), type);
      t.strictSame(made.host.lines(), []);
    }
  }
});

/** Trace of the error that ends a text, innermost frame first. */
function traceOf(text: string, slice: number): string[] {
  const made = machine({ natives: slowNatives, slice });
  let trace: string[] = [];
  start(made, text).onEnd((outcome) => {
    if (!outcome.ok && outcome.error instanceof SvcError)
      trace = (outcome.error.value.trace ?? []).map(({ name, line }) => `${name}:${line}`);
  });
  made.host.runAll();
  return trace;
}

t.test('traces name each frame once, also after suspensions and rescues', async (t) => {
  const nested = `def inner(x)
  later(1)
  raise "no" if x == 2
  x
end
def middle(xs)
  xs.map { |x|
    inner(x)
  }
end
def outer
  begin
    middle([1, 2])
  ensure
    later(1)
  end
end
begin
  outer()
rescue KeyError
  puts "not this"
end`;
  for (const slice of SLICES)
    t.strictSame(traceOf(nested, slice), ['inner:3', 'middle:8', 'outer:13', 'main:19'], `slice ${slice}`);
  const again = `def f
  raise "first"
end
begin
  f()
rescue => e
  later(1)
  raise
end`;
  for (const slice of SLICES)
    t.strictSame(traceOf(again, slice), ['f:2', 'main:5'], `raised again it keeps its trace, slice ${slice}`);
  const byBlock = 's = shared(1)\ns.update { |v|\n  later(v)\n  v + nil\n}';
  for (const slice of SLICES)
    t.strictSame(
      traceOf(byBlock, slice),
      ['block:4', 'main:2'],
      `what stands between a native and its block does not show, slice ${slice}`,
    );
  const late = 'x = 1\ny =\n  later("fail")\nputs x';
  for (const slice of SLICES)
    t.strictSame(traceOf(late, slice), ['main:3'], `an error that arrives later stands at the call, slice ${slice}`);
});

t.test('programs advance with the shortest slice', async (t) => {
  prints(
    t,
    'n = 0\nwhile n < 50\n  n += 1\nend\ndef f(x) x > 0 ? f(x - 1) : 0 end\nputs n, f(50), [1, 2].map { |x| f(x) }',
    ['50', '0', '[0, 0]'],
  );
});

t.test('no value of a program is undefined', async (t) => {
  const seen: unknown[] = [];
  const look = native('look', '*values: Any', 'Nil', '', (_vm: VM, values: unknown[]) => void seen.push(...values));
  for (const slice of SLICES) {
    run(
      'v = [1]\nh = {a: 1}\nlook(v[5], v[-9], h["x"], h.x, v[3..4], v[0..], h[nil], later(nil), look(), look, (if false then 1 end), (while false do end))\na, b, *c = v\nlook(a, b, c)\nlook({a: nil}&.a, nil&.b, puts())\nbegin\n  1\nensure\n  2\nend.then { |x| look(x) }',
      { natives: [...slowNatives, look], slice },
    );
  }
  t.ok(seen.length > 0);
  t.notOk(seen.includes(undefined));
});
