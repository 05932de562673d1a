import t from 'tap';
import { OPCODES } from '../../../vm/bytecode/opcodes.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { handOutMs } from '../../clock.js';
import { isInShare } from '../../share.js';
import { ClockedHost } from '../support/clockedhost.js';
import { machine, start } from '../support/machine.js';

/** Bytes of the longest vector that a program makes in these turns. When it grows, it is copied to new memory in one step. */
const LONGEST_VECTOR = 48 * 2 ** 20;
/** Maximum milliseconds of one turn of the event loop. Collections of garbage and page faults count. */
const BOUND = 100 + handOutMs(LONGEST_VECTOR);
/** Maximum tries. The shortest counts, because other processes and V8's threads take processor time. */
const TRIES = 8;
/** Turns of the event loop that are measured. */
const TURNS = 20;

const integers = (count: number): Value[] => Array.from({ length: count }, (_, i) => i + 1);
const hash = (): Hash => Hash.from(integers(60_000).map((i): [Value, Value] => [`k${i as number}`, i]));

/** Operands of about a megabyte, by name. */
const OPERANDS: Record<string, () => Value> = {
  v: () => integers(200_000),
  w: () => integers(200_000),
  n: () => integers(400).map(() => integers(400)),
  m: () => integers(400).map(() => integers(400)),
  few: () => [1, [2, integers(200_000)]],
  few2: () => [1, [2, integers(200_000)]],
  h: hash,
  g: hash,
  s: () => 'ab'.repeat(500_000),
  u: () => `${'ab'.repeat(499_999)}ac`,
  y: () => new Bytes(new Uint8Array(20_000_000).fill(97)),
  z: () => new Bytes(new Uint8Array(20_000_000).fill(97, 0, -1)),
  b: () => 3n ** 60_000n,
  c: () => 7n ** 150_000n,
};

const PROGRAM = `
record Box(a, b)
r1 = Box(a: v, b: 1)
r2 = Box(a: w, b: 1)
def three(a, b = 1, *c)
  a
end
def fail_with(x)
  raise x
end
`;

/** Operators on large operands, by opcode: bodies of an endless loop. */
// prettier-ignore
const CASES: Record<string, readonly string[]> = {
  ADD: ['v + w', 'v + 1', 'n + m', 'c + c', 's + u', 'few2 + few2', 'y + z'],
  SUB: ['v - w', 'n - 1', 'c - b'],
  MUL: ['b * b', 'c * c', 'v * 2', '[1, 2] * 500000', 's * 200', 'c * 3', 'n * 2'],
  DIV: ['v / 3', 'c / b', 'n / m'],
  IDIV: ['c // b', 'v // 7', 'b // 3'],
  MOD: ['c % b', 'v % 7', '"%s" % [v]', '"%p" % [n]', '("%d" * 30000) % v'],
  POW: ['3 ** 60000', '7 ** 150000', 'v ** 2'],
  ADDI: ['c + 1', 'v + 1'],
  NEG: ['-v', '-n', '-c'],
  LT: ['v < w', 's < u', 'n < m', 'z < y'],
  LE: ['v <= w', 's <= u'],
  GT: ['v > w', 'n > m'],
  GE: ['v >= w', 's >= u'],
  EQ: ['v == w', 'n == m', 's == u', 'h == g', 'few == few2', 'r1 == r2', 'y == z', '[y] == [z]'],
  NE: ['v != w', 'h != g'],
  COMPARE: ['v <=> w', 's <=> u', 'few <=> few2', 'y <=> z'],
  MATCH: ['s =~ /b+\\z/', 's =~ /(a|b)*c/', 's =~ /b(?=c)/'],
  UNION: ['v | w', 'h | g', 'n | m'],
  APPEND: ['v << 1', '[] << v'],
  MATCHES: ['case v\nwhen w then 1\nend', 'case s\nwhen /b\\s*c\\z/ then 1\nend', 'case h\nwhen {k1: Integer} then 1\nend', 'case u\nwhen s..u then 1\nend', 'case y\nwhen z then 1\nend'],
  JNLT: ['v < w ? 1 : 2', 's < u ? 1 : 2'],
  JNLE: ['v <= w ? 1 : 2'],
  JNGT: ['v > w ? 1 : 2'],
  JNGE: ['v >= w ? 1 : 2'],
  JNEQ: ['v == w ? 1 : 2', 'h == g ? 1 : 2'],
  JEQ: ['v != w ? 1 : 2'],
  JNLTI: ['c < 5 ? 1 : 2'],
  CALL: ['three(1, 2, 3)'],
  CALLN: ['three(1, b: 3)'],
  APPLY: ['three(*v)', '[].push(*v)'],
  APPLYM: ['[].push(*v)', '"".concat(*n)'],
  GETF: ['s.length', 'h.size', 'v.length'],
  SETF: ['h.k1 = 5'],
  INDEX: ['v[1..-2]', 's[5000..-2]', 'n[0..-1]', 's[999990]', 'y[1..9_000_000]', 'y[1..-2]', 'y[3]'],
  SETINDEX: ['[1][200000] = 2', 'h["k5"] = 1', '{}[u] = 1'],
  THROW: ['begin\nraise "x"\nrescue e\n1\nend', 'begin\nfail_with("x")\nrescue RuntimeError\n1\nend'],
  VEXTEND: ['[*v, *w]', '[*h]', '[*1..200000]', '[*"a".."zzzz"]', '[*y[0, 2_000_000]]'],
  HMERGE: ['{**h}', '{**h, **g}'],
  CONCAT: ['"#{v}"', '"#{h} #{n}"', '"#{c}"', '"#{few}"', '"#{r1}"', '"#{s}#{u}"', '"#{y}"', '"#{[y]}"'],
  ITER: ['for k in h\nbreak\nend', 'h.each do |k, x|\nbreak\nend', 'for t in "a".."zzzz"\nbreak\nend', 'for q in v\nbreak\nend', 'for q in y\nbreak\nend'],
  REST: ['a, *rest = v', 'a, *rest, z = n'],
};

/** Instructions of constant time. */
const CONSTANT =
  /^(LOAD\w+|ABSENT|MOVEW?|CAPTURE|NEWCELL|CELL\w+|GETSLOT|SETSLOT|NOT|JUMP|LOOP|LOOPHEAD|JF|JT|JNIL|JGIVEN|NATIVE|CALLV|CALLMN?|RETURN|RETHROW|CATCH|CLOSURE|VECTOR|VPUSH|HASH|RANGEX?|NEWREC|NEXT2?|ITEM|ITEMEND)$/;

t.test('each opcode has cases, or takes constant time', async (t) => {
  for (const { name } of OPCODES)
    t.ok(
      Object.hasOwn(CASES, name) !== CONSTANT.test(name),
      `${name}: add operands of a megabyte to CASES, unless it takes constant time`,
    );
});

/** New operands that a program names: some expressions change theirs. */
function operandsOf(program: string): [name: string, value: Value][] {
  const words = new Set(program.match(/\w+/g));
  return Object.entries(OPERANDS).flatMap(([name, make]): [string, Value][] =>
    words.has(name) ? [[name, make()]] : [],
  );
}

/**
 * The longest callback of a few turns of an endless loop over `expression`, in milliseconds, and whether the loop ends
 * when it is cancelled.
 */
function longestTurn(expression: string, jit: number | null, exact: boolean): { longest: number; ended: boolean } {
  const host = new ClockedHost(exact);
  const made = machine({ jit }, host);
  const program = `${PROGRAM}puts "ready"\nloop do\n${expression}\nend`;
  for (const [name, value] of operandsOf(program)) made.vm.globals.set(name, value);
  const fiber = start(made, program);
  while (host.out === '' && host.turn());
  host.longest = 0;
  for (let i = 0; i < TURNS; i++) host.turn();
  const { longest } = host;
  made.vm.scheduler.cancel(fiber);
  for (let i = 0; i < TURNS && !fiber.finished; i++) host.turn();
  return { longest, ended: fiber.finished };
}

for (const [name, expressions] of Object.entries(CASES)) {
  if (!isInShare(name)) continue;
  t.test(name, async (t) => {
    for (const expression of expressions) {
      for (const jit of [null, 0]) {
        const how = `${expression.replaceAll('\n', '; ')} ${jit === null ? 'interpreted' : 'compiled'}`;
        let longest = Infinity;
        for (let i = 0; i < TRIES && longest > BOUND; i++) {
          const run = longestTurn(expression, jit, i > 0);
          longest = Math.min(longest, run.longest);
          if (!run.ended) t.fail(`${how}: a cancelled loop does not end`);
        }
        t.ok(longest <= BOUND, `${how}: ${longest.toFixed(1)} ms`);
      }
    }
  });
}
