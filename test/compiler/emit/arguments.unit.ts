import t from 'tap';
import fc from '../../property.js';
import { run } from '../../vm/support/machine.js';
import { settings } from '../../vm/support/values.js';

/** A valid parameter list, and a call that may or may not match it. */
interface Case {
  params: string[];
  positional: number;
  named: string[];
}

const cases: fc.Arbitrary<Case> = fc
  .record({ required: fc.nat(2), optional: fc.nat(2), named: fc.nat(2), rest: fc.boolean() })
  .chain(({ required, optional, named, rest }) => {
    const params = [
      ...Array.from({ length: required }, (_, i) => `r${i}`),
      ...Array.from({ length: optional }, (_, i) => `o${i} = "o${i}"`),
      ...Array.from({ length: named }, (_, i) => (i === 0 ? 'n0: "n0"' : 'n1:')),
      ...(rest ? ['*rest'] : []),
    ];
    // Mostly calls that match; some have a wrong count or an unknown name.
    const chance = (percent: number): fc.Arbitrary<boolean> => fc.nat(99).map((n) => n < percent);
    const likely: Record<string, number> = { r: 8, o: 12, n: 80, '*': 0 };
    const given = [...params.map((param) => chance(likely[param[0]])), chance(6)];
    const names = [...params.map((param) => param.slice(0, 2)), 'unknown'];
    // prettier-ignore
    return fc.record({
      params: fc.constant(params),
      positional: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: required, max: required + optional + (rest ? 2 : 0) }) }, { weight: 1, arbitrary: fc.nat(5) }),
      named: fc.tuple(...given).map((list) => names.filter((_, i) => list[i])),
    });
  });

/** The same call in every form; each prints what the function received, or the error. */
function program({ params, positional, named }: Case): string {
  const names = params.map((param) => param.replace(/^\*/, '').replace(/[ :].*/, ''));
  const positions = Array.from({ length: positional }, (_, i) => String(i));
  const pairs = named.map((name) => `${name}: "${name}!"`);
  const plain = [...positions, ...pairs].join(', ');
  const splatted = [`*[${positions.join(', ')}]`, ...(pairs.length > 0 ? [`**{${pairs.join(', ')}}`] : [])].join(', ');
  const calls = {
    static: `f(${plain})`,
    value: `g(${plain})`,
    point: `g.(${plain})`,
    call: `g.call(${plain})`,
    splat: `f(${splatted})`,
    'splat of a value': `g(${splatted})`,
  };
  const tries = Object.values(calls).map((call) => `begin\n  puts ${call}\nrescue => e\n  puts "#{e.type} #{e}"\nend`);
  return `def f(${params.join(', ')}) [${names.join(', ')}] end\ng = f\n${tries.join('\n')}`;
}

t.test('all forms of calls bind parameters in the same way', async (t) => {
  const shown = { bound: 0, refused: 0 };
  fc.assert(
    fc.property(cases, (made) => {
      const { lines, errors } = run(program(made));
      if (lines[0]?.startsWith('ArgumentError')) shown.refused++;
      else shown.bound++;
      return errors.length === 0 && lines.length === 6 && lines.every((line) => line === lines[0]);
    }),
    settings(60),
  );
  t.comment(JSON.stringify(shown));
});

t.test('arguments are evaluated in the order in which they are written', async (t) => {
  const { lines } = run(
    'say = ->(x) {\n  print x\n  x\n}\ndef f(a, b, c: 0, *rest) [a, b, c, rest] end\nputs f(say(1), c: say(3), b: say(2))\nputs f(say(1), say(2), say(4), say(5), c: say(3))\nputs f(*[say(1)], **{b: say(2)})',
  );
  t.strictSame(lines, ['132[1, 2, 3, []]', '12453[1, 2, 3, [4, 5]]', '12[1, 2, 0, []]']);
});

t.test('parameters after a rest parameter take the last arguments', async (t) => {
  const text =
    'def f(a, *rest, z) [a, rest, z] end\nl = ->(a, *rest, z) { [a, rest, z] }\nputs f(1, 2), f(1, 2, 3, 4), l(1, 2), l(1, 2, 3, 4), [[1, 2, 3]].map { |a, *rest, z| [a, rest, z] }';
  const { lines, errors } = run(text);
  t.strictSame(errors, []);
  t.strictSame(lines, ['[1, [], 2]', '[1, [2, 3], 4]', '[1, [], 2]', '[1, [2, 3], 4]', '[[1, [2], 3]]']);
});

t.test('defaults see the parameters before them and are evaluated at each call', async (t) => {
  const { lines } = run(
    'def f(a, b = a + 1, c = [a, b]) [a, b, c] end\nputs f(1), f(1, 5), f(1, c: 0)\ndef g(v = []) v << 1 end\nputs g(), g()\nh = ->(x, y = x * 2) { y }\nputs h(4), h(4, nil) == nil',
  );
  t.strictSame(lines, ['[1, 2, [1, 2]]', '[1, 5, [1, 5]]', '[1, 2, 0]', '[1]', '[1]', '8', 'true']);
});

t.test('a block is bound to the last positional parameter', async (t) => {
  const { lines, errors } = run(
    'def f(a, b = 7, act = nil) [a, b, act == nil ? nil : act(1)] end\nputs f(1), f(1) { |x| x + 1 }, f(1, 2) { |x| x + 2 }, f(1, b: 3) { 9 }\ng = f\nputs g(1) { |x| x + 1 }, g(*[1]) { |x| x + 1 }\ndef each_twice(xs, act)\n  xs.each { |x|\n    act(x)\n    act(x)\n  }\nend\neach_twice([1, 2]) { |x| print x }\nputs',
  );
  t.strictSame(errors, []);
  t.strictSame(lines, ['[1, 7, nil]', '[1, 7, 2]', '[1, 2, 3]', '[1, 3, 9]', '[1, 7, 2]', '[1, 7, 2]', '1122']);
});
