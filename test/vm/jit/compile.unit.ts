import t from 'tap';
import { decodeAll } from '../../../vm/bytecode/decode.js';
import { OPCODES } from '../../../vm/bytecode/opcodes.js';
import type { Jit } from '../../../vm/jit/jit.js';
import { emitters } from '../../../vm/jit/emit/emitters.js';
import { Generator } from '../../../vm/jit/emit/generator.js';
import { runtime } from '../../../vm/jit/runtime.js';
import { corpus } from '../support/corpus.js';
import { machine, programOf, run, start } from '../support/machine.js';

t.test('functions are compiled after enough calls', async (t) => {
  const made = machine({ jit: 5 });
  const linked = made.vm.link(
    programOf('def hot(n) n + 1 end\ndef cold(n) n end\n6.times { |i| hot(i) }\ncold(1)\nputs "end"'),
  );
  made.vm.spawn('main', made.vm.closureOf(linked.entry), []);
  made.host.runAll();
  t.strictSame(
    linked.functions.map(({ name, compiled }) => [name, compiled]),
    [
      ['main', false],
      ['hot', true],
      ['cold', false],
    ],
  );
  t.strictSame(made.host.lines(), ['end']);
});

t.test('a function that the compiler fails at stays in the interpreter', async (t) => {
  const text = 'def hot(n)\n  n = n * 2 if n > 3\n  n\nend\nputs (0..50).sum { |i| hot(i) }';
  const { generate } = Generator.prototype;
  t.teardown(() => (Generator.prototype.generate = generate));
  Generator.prototype.generate = () => {
    throw new TypeError('a mistake');
  };
  const failures: string[] = [];
  const whenUncompiled = (fn: { name: string }, error: unknown): void =>
    void failures.push(`${fn.name}: ${(error as Error).message}`);
  t.strictSame(run(text, { jit: 2, whenUncompiled }).lines, run(text, { jit: null }).lines);
  t.ok(failures.includes('hot: a mistake'), failures.join());
  t.equal(new Set(failures).size, failures.length, 'once for each');
  t.throws(() => run(text, { jit: 2 }), /a mistake/, 'tests see it');
});

t.test('compiled code contains no text of the program', async (t) => {
  const { vm } = machine({ jit: 0 });
  const text =
    'marker = "MARKER`${1}\\"\\n"\nh = {MARKER: 1}\nputs h.MARKER, h["MARKER"], marker =~ /MARKER/\ndef MARKER2(MARKER3) MARKER3 end\nputs h.keys()';
  for (const fn of vm.link(programOf(text)).functions)
    t.notMatch((vm.tier as Jit).source(fn, -1)?.source ?? '', 'MARKER');
});

t.test('functions that are too large stay in the interpreter', async (t) => {
  const many = Array.from({ length: 3000 }, (_, i) => `  x = x * 2 - ${i}`).join('\n');
  const nested = `${'if x\n'.repeat(60)}x = 1\n${'end\n'.repeat(60)}`;
  for (const body of [many, Array.from({ length: 300 }, (_, i) => `  v${i} = x\n`).join(''), nested]) {
    const text = `def f(x)\n${body}\n  x\nend\n3.times { |i| f(i) }\nputs f(0) == f(0)`;
    t.strictSame(run(text).lines, ['true']);
  }
  const made = machine({ jit: 0 });
  start(made, `def f(x)\n${many}\n  x\nend\nf(1)`);
  made.host.runAll();
  t.strictSame(made.reports, []);
});

t.test('every function of the test programs can be compiled, from its start and from each of its loops', async (t) => {
  const { vm } = machine({ jit: 0 });
  const jit = vm.tier as Jit;
  const refused: string[] = [];
  let count = 0;
  for (const { program } of corpus(3).compiled) {
    for (const fn of vm.link(program).functions) {
      if (jit.compile(fn)) count++;
      // Functions with more registers would use too much of the stack.
      else if (fn.blank.length <= 64) refused.push(fn.name);
      for (const { pc, info } of decodeAll(fn.code, fn.name))
        if (info.name === 'LOOPHEAD' && jit.loopCode(fn, pc) === null) refused.push(`${fn.name} at ${pc}`);
    }
  }
  t.strictSame(refused, []);
  t.ok(count > 500, `${count} functions`);
});

t.test('a deep recursion moves to the heap and back', async (t) => {
  for (const depth of [100, 199, 200, 201, 399, 5000, 9998]) {
    t.strictSame(run(`def down(n) n == 0 ? 0 : 1 + down(n - 1) end\nputs down(${depth})`).lines, [String(depth)]);
  }
  t.strictSame(
    run(
      'def down(n) n == 0 ? 0 : 1 + down(n - 1) end\n3.times do\n  begin\n    down(20_000)\n  rescue StackError => e\n    puts e, down(9000)\n  end\nend',
    ).lines,
    [
      'stack is deeper than 10000 calls',
      '9000',
      'stack is deeper than 10000 calls',
      '9000',
      'stack is deeper than 10000 calls',
      '9000',
    ],
  );
});

t.test('backtraces name the lines of compiled and interpreted frames', async (t) => {
  const text = `def a(n)
  b(n)
end
def b(n)
  n == 0 ? nil + 1 : [n].map { |x| a(x - 1) }
end
begin
  a(2)
rescue => e
  puts e.backtrace
end
f = ->(g) { g() }
begin
  f(-> { raise "x" })
rescue => e
  puts e.backtrace
end
begin
  parallel_map([1]) { |x| a(x) }
rescue => e
  puts e.backtrace
end`;
  const { lines } = run(text);
  t.strictSame(lines, [
    '[test.svc:5 in b, test.svc:2 in a, test.svc:5 in b, test.svc:2 in a, test.svc:5 in b, test.svc:2 in a, test.svc:8 in main]',
    '[test.svc:14 in lambda, test.svc:12 in lambda, test.svc:14 in main]',
    '[test.svc:5 in b, test.svc:2 in a, test.svc:5 in b, test.svc:2 in a, test.svc:19 in block]',
  ]);
});

t.test('every opcode has an emitter, and functions that generated code calls exist', async (t) => {
  for (const { op, name } of OPCODES) t.type(emitters[op], 'function', name);
  const { vm } = machine({ jit: 0 });
  const jit = vm.tier as Jit;
  const called = new Set<string>();
  for (const { program } of corpus(3).compiled.filter((_, i) => i % 2 === 0)) {
    for (const fn of vm.link(program).functions) {
      for (const [, name] of (jit.source(fn, -1)?.source ?? '').matchAll(/(?<![\w.$])([A-Za-z]\w*)\(/g))
        called.add(name);
    }
  }
  const own = /^(k\d+|if|for|catch|function|return|J|FN|Array)$/;
  const known = new Set([...Object.keys(runtime(vm).helpers), 'deopt']);
  t.strictSame(
    [...called].filter((name) => !own.test(name) && !known.has(name)),
    [],
  );
  t.ok(called.size > 40, `${called.size} names`);
});
