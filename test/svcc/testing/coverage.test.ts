import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';
import t, { type Test } from 'tap';
import { project } from './support.js';

t.jobs = 2;

/**
 * Programs with what was counted by hand, as comments: how often the line ran, then for each branch that begins on it,
 * how often each of its ways was taken.
 */
const PROGRAMS: Record<string, string> = {
  if: `def sign(x)
  if x > 0          #= 3 | 1 2
    "plus"          #= 1
  elsif x < 0       #= - | 0 2
    "minus"         #= 0
  else
    "zero"          #= 2
  end
end
sign(1)             #= 1
sign(0)             #= 1
sign(0)             #= 1
`,
  unless: `x = 5               #= 1
unless x > 3        #= 1 | 0 1
  x = 1             #= 0
else
  x = 2             #= 1
end
x = 3 unless x == 2 #= 1 | 0 1
x = 4 if x == 2     #= 1 | 1 0
`,
  case: `def name(n)
  case n            #= 4 | 2 1 1
  when 1, 2         #= -
    "few"           #= 2
  when 3 then "three" #= 1
  end
end
[1, 2, 3, 9].each { |n| name(n) } #= 4 | 4
def word(n)
  case n            #= 1 | 0 1
  when 1 then "one" #= 0
  else "more"       #= 1
  end
end
word(7)             #= 1
`,
  match: `def area(shape)
  case shape        #= 3 | 2 1 0
  in {r:} if r > 0  #= -
    r * r           #= 2
  in [w, h]         #= -
    w * h           #= 1
  else
    0               #= 0
  end
end
area({r: 1})        #= 1
area({r: 2})        #= 1
area([2, 3])        #= 1
p = 5 in Integer    #= 1
`,
  logical: `def both(a, b) = a && b   #= 3 | 1 2
def either(a, b) = a or b   #= 2 | 2 0
both(1, 2); both(nil, 1); both(false, 1) #= 1
either(1, 2)                #= 1
either(true, nil)           #= 1
c = !nil && (1 > 2 || 3)    #= 1 | 1 0 | 0 1
`,
  ternary: `def odd(n) = n % 2 == 1 ? "odd" : "even" #= 3 | 2 1
[1, 2, 3].map { odd(it) }   #= 3 | 3
`,
  while: `i = 0               #= 1
while i < 3         #= 1 | 3 1
  i += 1            #= 3
  next if i == 1    #= 3 | 1 2
  break if i > 5    #= 2 | 0 2
end
until i == 0        #= 1 | 3 1
  i -= 1            #= 3
end
for x in [1, 2]     #= 1
  i += x            #= 2
end
begin               #= 1
  i -= 1            #= 3
end while i > 0     #= - | 2 1
`,
  rescue: `def safe(x)
  10 // x           #= 3
rescue ZeroDivisionError #= - | 1 1
  "none"            #= 1
rescue TypeError => e
  "type"            #= 1
else
  "fine"            #= 1
ensure
  x = nil           #= 3
end
safe(0)             #= 1
safe("x")           #= 1
safe(1)             #= 1
y = to_int("x") rescue 5 #= 1 | 1
`,
  blocks: `total = 0           #= 1
[].each { |x| total += x } #= 1 | 0
[1, 2].each do |x|  #= 1 | 2
  total += x        #= 2
  [3].each do       #= 2 | 2
    total += it     #= 2
  end
end
f = ->(x) { x + 1 } #= 1 | 0
g = ->(x) { x + 1 } #= 2 | 2
g.(1); g.(2)        #= 1
3.times { }         #= 1 | 3
loop do             #= 1 | 1
  break             #= 1
end
`,
  assignments: `h = {a: 1}        #= 1
h[:a] ||= 2         #= 1 | 0 1
h[:b] ||= 3         #= 1 | 1 0
def seen(set, key)
  set[key] &&= 5    #= 3 | 1 2
end
seen(h, :a); seen(h, :c); seen({}, :a) #= 1
n = nil             #= 1
n ||= false || 7    #= 1 | 1 0 | 0 1
n ||= 8             #= 1 | 0 1
`,
  safe: `record Node(value, below = nil)
def lower(node) = node&.below&.value #= 3 | 1 2 | 2 1
lower(nil); lower(Node(1)); lower(Node(1, Node(2))) #= 1
def length_of(list) = list&.length() #= 2 | 1 1
length_of([false]); length_of(nil) #= 1
[1, nil].map { it&.abs() } #= 2 | 2 | 1 1
`,
  one_liners: `def never(x) = x * 2 #= 0
def empty; end
empty(); a = 1; b = 2 #= 1
record Point(x, y) do
  def sum() = x + y #= 1
  def none()
    0               #= 0
  end
end
error Own
const LIMIT = 5     #= 1
Point(1, 2).sum()   #= 1
if a == 1 then b = 5 else b = 6 end #= 1 | 1 0
puts "#{a == 1 ? "x" : "y"}" #= 1 | 1 0
`,
};

/** The counts that the comments of a program state. */
function expected(program: string): Record<string, string> {
  const found = program.split('\n').flatMap((line, i) => {
    const match = /#= (.*)$/.exec(line);
    return match === null || match[1] === '-' ? [] : [[`${i + 1}`, match[1].trim()]];
  });
  return Object.fromEntries(found) as Record<string, string>;
}

/** The counts of each file in lcov's format, as the comments state them. */
function counted(lcov: string): Record<string, Record<string, string>> {
  const files: Record<string, Record<string, string>> = {};
  for (const record of lcov.split('end_of_record\n').slice(0, -1)) {
    const lines = new Map<number, string>();
    const branches = new Map<string, { line: number; arms: string[] }>();
    for (const row of record.split('\n')) {
      const [, key, value] = /^(\w+):(.*)$/.exec(row) ?? [];
      const parts = (value ?? '').split(',');
      if (key === 'DA') lines.set(Number(parts[0]), parts[1]);
      if (key !== 'BRDA') continue;
      const branch = branches.get(parts[1]) ?? { line: Number(parts[0]), arms: [] };
      branch.arms.push(parts[3].replace('-', '0'));
      branches.set(parts[1], branch);
    }
    for (const { line, arms } of branches.values()) lines.set(line, `${lines.get(line) ?? '-'} | ${arms.join(' ')}`);
    const name = /^SF:.*\/(.*)\.svc$/m.exec(record)![1];
    files[name] = Object.fromEntries([...lines].sort(([a], [b]) => a - b).map(([line, text]) => [`${line}`, text]));
  }
  return files;
}

const FILES = {
  ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, text]) => [`lib/${name}.svc`, text])),
  ...Object.fromEntries(
    Object.keys(PROGRAMS).map((name) => [
      `test/${name}_test.svc`,
      `require "../lib/${name}"\ntest("x") { assert_true(true) }\n`,
    ]),
  ),
};

for (const [tier, jit] of [
  ['the interpreter', 'off'],
  ['compiled code', '0'],
])
  t.test(`lines and branches are those counted by hand, in ${tier}`, async (t) => {
    const { run, cwd } = project(t, FILES);
    const { exitCode, stdout } = await run(['--coverage'], { SVC_JIT: jit });
    t.equal(exitCode, 0, stdout);
    const found = counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8'));
    t.strictSame(Object.keys(found), Object.keys(PROGRAMS).sort(), 'files of tests are left out');
    for (const [name, program] of Object.entries(PROGRAMS)) t.strictSame(found[name], expected(program), name);
  });

/** A program that is called often enough to be compiled. */
const HOT = `def collatz(n)
  steps = 0                #= 3000
  while n != 1             #= 3000 | STEPS 3000
    n = n % 2 == 0 ? n // 2 : 3 * n + 1
    steps += 1
  end
  steps                    #= 3000
end
`;

t.test('hot code counts the same in both tiers; counts of several files add up', async (t) => {
  const source = 'require "lib/hot"\ntest("x") { (1..3000).each { |n| collatz(n) }; puts "x" }\n';
  const found: Record<string, string>[] = [];
  for (const jit of ['off', '0', '5']) {
    const { run, cwd } = project(t, { 'lib/hot.svc': HOT, 'a_test.svc': source });
    t.equal((await run(['--coverage'], { SVC_JIT: jit })).exitCode, 0);
    found.push(counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8')).hot);
  }
  t.strictSame(found[1], found[0]);
  t.strictSame(found[2], found[0]);
  let steps = 0;
  for (let start = 1; start <= 3000; start++) for (let n = start; n !== 1; n = n % 2 === 0 ? n / 2 : 3 * n + 1) steps++;
  t.equal(found[0]['3'], `3000 | ${steps} 3000`);
  const { run, cwd } = project(t, { 'lib/hot.svc': HOT, 'a_test.svc': source, 'b_test.svc': source });
  await run(['--coverage']);
  t.equal(counted(readFileSync(join(cwd, 'coverage/lcov.info'), 'utf8')).hot['3'], `6000 | ${2 * steps} 6000`);
});

async function reports(t: Test, args: string[] = []) {
  const { run, cwd } = project(t, {
    'lib/half.svc': 'def used() = "</script><b>&\'"\ndef unused(x)\n  y = x\n  y if x > 1\nend\n',
    'views/page.html.erb': '<p><%= used() %></p>\n',
    'a_test.svc':
      'require "lib/half"\napp = web_app()\napp.templates("views")\ntest("x") { assert_true(used() != nil) }\n',
  });
  return { cwd, outcome: await run(['--coverage', ...args]) };
}

t.test('the table and the page', async (t) => {
  const { cwd, outcome } = await reports(t);
  t.equal(outcome.exitCode, 0, outcome.stderr);
  t.match(
    outcome.stdout,
    `\nFILE          LINES         BRANCHES     NOT COVERED
lib/half.svc  33.3 % (1/3)  0.0 % (0/2)  3-4
all files     33.3 % (1/3)  0.0 % (0/2)
`,
  );
  const page = readFileSync(join(cwd, 'coverage/index.html'), 'utf8');
  const problems: string[] = [];
  parse(page, { onParseError: ({ code }) => problems.push(code) });
  t.strictSame(problems, []);
  t.notMatch(page, /<script|<\/script/, 'texts are escaped');
  t.match(page, '&lt;/script&gt;&lt;b&gt;&amp;&#39;');
  t.notMatch(page, /(src|href)="?https?:/, 'the page needs no other file');
});

t.test('other reporters keep standard output for themselves', async (t) => {
  const { outcome } = await reports(t, ['--reporter', 'json']);
  JSON.parse(outcome.stdout);
  t.match(outcome.stderr, 'lib/half.svc  33.3 %');
});

t.test('programs that are run without coverage count nothing, before and after', async (t) => {
  const { run, cwd } = project(t, {
    'lib/a.svc': 'def f() = 1\n',
    'a_test.svc': 'require "lib/a"\ntest("x") { f() }\n',
  });
  t.notMatch((await run()).stdout, 'FILE');
  t.match((await run(['--coverage'])).stdout, 'lib/a.svc  100.0 %');
  const { svcc } = await import('../svcc.js');
  t.notMatch((await svcc(['disasm', 'a_test.svc'], { cwd })).stdout, '%cover');
  t.notMatch((await run()).stdout, 'FILE');
});
