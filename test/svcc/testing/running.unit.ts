import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../patience.js';
import { hasEnded } from '../../processes.js';
import { Svcc } from '../svcc.js';
import { outcomes, project, reportOf } from './support.js';

t.jobs = 2;

t.test('groups, hooks and tables run in order', async (t) => {
  const file = await reportOf(
    t,
    `puts "top"
describe "outer" do
  before_each { puts "before outer" }
  after_each { puts "after outer" }
  test("first") { puts "first"; assert_eq(1, 1) }
  describe "inner" do
    before_each { puts "before inner" }
    after_each { puts "after inner 1" }
    after_each { puts "after inner 2" }
    test("second") { puts "second"; assert_eq(1, 2) }
  end
end
test_each([[1, 2], [3, 5], "text", {a: 1}]) { |a, b| assert_eq([a, b].length, 2) }
test_each([[1, 2]], "names") { |a, b| assert_true(a < b) }
`,
  );
  t.strictSame(outcomes(file), [
    'passed outer › first',
    'failed outer › inner › second | AssertionError: expected 2, got 1',
    'passed (1, 2)',
    'passed (3, 5)',
    'passed ("text")',
    'passed ({a: 1})',
    'passed names (1, 2)',
  ]);
  t.equal(file.tests[1].output, 'before outer\nbefore inner\nsecond\nafter inner 2\nafter inner 1\nafter outer\n');
  t.equal(file.output, 'top\n');
});

t.test('failures of hooks are told apart; hooks after the test run in any case', async (t) => {
  const file = await reportOf(
    t,
    `describe "before" do
  before_each { raise "no database" }
  after_each { puts "cleaned" }
  test("a") { puts "never" }
end
describe "after" do
  after_each { raise ValueError, "cannot remove" }
  after_each { halt(404) }
  test("b") { assert_eq(1, 2) }
  test("c") { skip "later" }
end
describe "body" do
  test("d") { assert_true(true) }
  raise "in the group"
end
test("e") { assert_true(true) }
`,
  );
  t.strictSame(outcomes(file), [
    'failed before › a | before_each: RuntimeError: no database',
    'failed after › b | AssertionError: expected 2, got 1 | after_each: RuntimeError: halt() outside a request | after_each: ValueError: cannot remove',
    'failed after › c | after_each: RuntimeError: halt() outside a request | after_each: ValueError: cannot remove',
    'passed body › d',
    'failed body | describe: RuntimeError: in the group',
    'passed e',
  ]);
  t.equal(file.tests[0].output, 'cleaned\n');
});

t.test('tests that do not end, end the program or get stuck', async (t) => {
  const file = await reportOf(
    t,
    `test("loops", timeout: 0.3) { loop { 1 } }
test("sleeps", timeout: 0.2) { sleep(1000) }
test("ensures", timeout: 0.2) { begin; sleep(1000); ensure; puts "ensured"; end }
test("rescues", timeout: 0.2) { begin; sleep(1000); rescue Error; puts "rescued"; end }
test("exits") { exit(7) }
test("exits well") { exit }
test("deadlock") { channel(0).recv }
test("deep") { f = ->(x) { f.(x + 1) + 1 }; f.(0) }
test("prints") { 1000.times { |i| puts "#{i}".center(99_999, "x") }; assert_true(false) }
test("unknown") { undefined_name }
test("bad time", timeout: 5) { timeout(0) { } }
test("good") { assert_true(true) }
`,
  );
  const [loops, sleeps, ensures, rescues, exits, well, deadlock, deep, prints, unknown, bad, good] = outcomes(file);
  t.match(loops, /^failed loops \| timed out after 0\.3 s$/);
  t.match(sleeps, /^failed sleeps \| timed out after 0\.2 s, waiting for sleep$/);
  t.match(ensures, 'timed out');
  t.equal(file.tests[2].output, 'ensured\n');
  t.match(rescues, 'timed out');
  t.equal(file.tests[3].output, '');
  t.equal(exits, 'failed exits | the test called exit(7)');
  t.equal(well, 'failed exits well | the test called exit(0)');
  t.match(deadlock, /^failed deadlock \| RuntimeError: deadlock: all threads wait for each other/);
  t.match(deep, /^failed deep \| (NameError|StackError|TypeError)/);
  t.match(prints, /^failed prints/);
  t.ok(file.tests[8].output.length < 200_000, 'long output is shortened');
  t.match(file.tests[8].output, /characters left out/);
  t.match(unknown, /^failed unknown \| NameError/);
  t.match(bad, /^failed bad time \| ArgumentError/);
  t.equal(good, 'passed good');
  t.match(file.tests[0].failures[0].trace[0], { line: 1 });
});

t.test('exit in a thread or in a group is a failure, and the other tests run', async (t) => {
  const source = `app = web_app()
app.get("/exit") { exit(0) }
app.get("/thread") { spawn { exit(0) }; "started" }
app.websocket("/chat") { |ws| exit(0) }
test("thread") { spawn { exit(0) }; sleep(100); assert_true(false) }
test("held") { task = spawn { exit(3) }; sleep(100); await task }
test("many") { 30.times { spawn { exit(0) } }; sleep(100) }
test("handler") { app.client.get("/exit"); sleep(100) }
test("thread of a handler") { app.client.get("/thread"); sleep(100) }
test("socket") { app.client.websocket("/chat"); sleep(100) }
test("cleans up") { begin; spawn { exit(0) }; sleep(100); ensure; puts "ensured"; end }
describe "hooks" do
  after_each { puts "after" }
  test("stream") { app.client.get("/thread"); sleep(100) }
end
describe "group" do
  exit(0)
  test("not reached") { assert_true(true) }
end
test("good") { assert_true(true) }
`;
  const end = '| thread: a thread called exit(0)';
  const expected = [
    `failed thread ${end}`,
    'failed held | thread: a thread called exit(3)',
    `failed many ${end}`,
    `failed handler ${end}`,
    `failed thread of a handler ${end}`,
    `failed socket ${end}`,
    `failed cleans up ${end}`,
    `failed hooks › stream ${end}`,
    'failed group | describe: the group called exit(0)',
    'passed good',
  ];
  for (const args of [[], ['--seeds', '2']]) {
    const { files, exitCode } = await project(t, { 'a_test.svc': source }).report(args);
    t.strictSame(outcomes(files[0]), expected, args.join(' '));
    t.equal(files[0].problem, null);
    t.equal(files[0].tests[6].output, 'ensured\n');
    t.equal(files[0].tests[7].output, 'after\n');
    t.equal(exitCode, 1);
  }
});

t.test('a thread that the file started cannot drop tests', async (t) => {
  const one = project(t, {
    'during_test.svc': `spawn { sleep(0.05); exit(0) }
test("one") { sleep(100); assert_true(true) }
test("two") { assert_true(true) }
`,
    'between_test.svc': `spawn { sleep(0.05); exit(0) }
test("one") { assert_true(true) }
sleep(100)
test("two") { assert_true(true) }
`,
    'after_test.svc': `spawn { sleep(0.05); exit(0) }
test("one") { assert_true(true) }
`,
    'none_test.svc': 'spawn { exit(0) }\nsleep(100)\n',
  });
  const { files, exitCode } = await one.report();
  const [after, between, during, none] = files;
  t.strictSame(outcomes(after), ['passed one']);
  t.equal(after.problem, null);
  t.strictSame(outcomes(between), ['passed one']);
  t.equal(between.problem, 'a thread called exit(0); tests after that did not run');
  t.strictSame(outcomes(during), ['failed one | thread: a thread called exit(0)', 'passed two']);
  t.equal(none.problem, null);
  t.equal(exitCode, 1);
});

t.test('a test that takes all memory fails alone', async (t) => {
  const { report } = project(t, {
    'a_test.svc': `test("greedy") { list = []; loop { list.push([1, 2, 3, 4]) } }
test("good") { assert_true(true) }
`,
  });
  const { files } = await report([], { NODE_OPTIONS: '--max-old-space-size=150' });
  t.match(outcomes(files[0]), [/^failed greedy \| MemoryError: out of memory/, 'passed good']);
});

t.test('threads and servers that a test leaves are ended and named', async (t) => {
  const file = await reportOf(
    t,
    `def serve
  app = web_app()
  app.get("/") { "hello" }
  app.run(0)
end
test("thread") do
  spawn { begin; sleep(1000); ensure; puts "ended"; end }
end
test("server") do
  spawn { serve() }
  sleep(0.1)
end
test("short") { spawn { sleep(0.01) } }
test("another") { assert_true(true) }
spawn { sleep(1000) }
`,
  );
  t.strictSame(outcomes(file), ['passed thread', 'passed server', 'passed short', 'passed another']);
  t.match(file.tests[0].left, [/^the thread spawn \(a_test\.svc:7\)$/]);
  t.match(file.tests[1].left, [/^a server \(a_test\.svc:4\)$/]);
  t.strictSame(file.tests[2].left, []);
  t.strictSame(file.left, ['the thread spawn (a_test.svc:15)']);
  t.equal(file.passed, true);
});

t.test('a process that dies takes only its own file with it', async (t) => {
  const { report } = project(t, {
    'dies_test.svc': `test("first") { assert_true(true) }
test("dies") { shell("kill -9 $PPID"); sleep(1) }
test("never") { assert_true(true) }
`,
    'stops_test.svc': 'test("stops", timeout: 0.1) { shell("kill -STOP $PPID") }\n',
    'good_test.svc': 'test("good") { assert_true(true) }\n',
    'leaves_test.svc': `puts "on the way"\nexit(4)\ntest("never") { assert_true(true) }\n`,
    'raises_test.svc': `test("good") { assert_true(true) }\nraise "outside"\n`,
    'syntax_test.svc': 'test("x") do\n  1 +\nend\n',
    'empty_test.svc': '',
    'bytes_test.svc': 'x = 1\n',
  });
  const { files, exitCode, summary } = await report(['--jobs', '3']);
  t.equal(exitCode, 1);
  const [bytes, dies, empty, good, leaves, raises, stops, syntax] = files;
  t.strictSame(outcomes(dies), ['passed first', 'failed dies | the process ended with SIGKILL while the test ran']);
  t.equal(dies.problem, "the process ended with SIGKILL; tests after 'dies' did not run");
  t.match(outcomes(stops), [/did not react, and was killed while the test ran/]);
  t.strictSame(outcomes(good), ['passed good']);
  t.equal(leaves.problem, 'the program ended with exit code 4');
  t.equal(leaves.output, 'on the way\n');
  t.equal(raises.problem, 'the program ended with exit code 1');
  t.match(raises.output, /RuntimeError: outside\n {2}2 \| raise "outside"/);
  t.match(syntax.problem, /^syntax_test\.svc:\d+:\d+: error: /);
  for (const { tests, passed } of [empty, bytes]) t.strictSame([tests, passed], [[], true]);
  t.equal(summary.broken, 5);
});

t.test('names: the same, of all alphabets, with all signs', async (t) => {
  const source = `test("same") { assert_true(true) }
test("same") { assert_true(false) }
test("Größe 😀 名前") { assert_true(true) }
test("a # b \\\\ c\\n<&> \\e[31m") { assert_true(true) }
test("") { assert_true(true) }
`;
  const { tests } = await reportOf(t, source);
  t.strictSame(
    tests.map(({ name, status }) => [name, status]),
    [
      ['same', 'passed'],
      ['same', 'failed'],
      ['Größe 😀 名前', 'passed'],
      ['a # b \\ c\n<&> \x1b[31m', 'passed'],
      ['', 'passed'],
    ],
  );
});

t.test('tests belong neither in tests nor outside of blocks', async (t) => {
  const file = await reportOf(
    t,
    `test("nested") { test("inner") { } }
test("group") { describe("inner") { } }
test("hook") { before_each { } }
test("skip in a thread") { await spawn { skip "x" } }
test("empty") { assert_raises(ArgumentError, /at least one row/) { 1 } }
begin
  skip "outside"
rescue => e
  puts e
end
begin
  mock(:http_get) { nil }
rescue => e
  puts e
end
begin
  assert_snapshot(1)
rescue => e
  puts e
end
begin
  test_each([]) { }
rescue => e
  puts e
end
begin
  test("x", timeout: 0) { }
rescue => e
  puts e
end
`,
  );
  const texts = outcomes(file);
  t.match(texts[0], /^failed nested \| RuntimeError: test\(\) inside of a test/);
  t.match(texts[1], /^failed group \| RuntimeError: describe\(\) inside of a test/);
  t.match(texts[2], /^failed hook \| RuntimeError: before_each\(\) inside of a test/);
  t.match(texts[3], /RuntimeError: skip\(\) belongs in the thread of the test itself/);
  t.match(texts[4], /AssertionError: expected ArgumentError \/at least one row\/, but the block returned 1/);
  t.equal(
    file.output,
    'skip() belongs in a test\nmock() belongs in a test\nassert_snapshot() belongs in a test\n' +
      'test_each() needs a table with at least one row\ntimeout: must be more than 0 seconds, got 0\n',
  );
});

t.test('an error between tests is reported although a test has failed', async (t) => {
  const file = await reportOf(t, 'test("a") { assert_eq(1, 2) }\nraise "between"\ntest("b") { assert_eq(1, 1) }\n');
  t.strictSame(outcomes(file), ['failed a | AssertionError: expected 2, got 1']);
  t.equal(file.problem, 'the program ended with exit code 1');
  t.match(file.output, 'RuntimeError: between');
});

t.test('expectations of assert_raises that no error can fit are refused', async (t) => {
  const file = await reportOf(
    t,
    `test("number") { assert_raises(1) { raise "x" } }
test("type") { assert_raises(String) { raise "x" } }
test("fitting") { assert_raises(RuntimeError, "x", /^x/) { raise "x" } }
`,
  );
  t.match(outcomes(file), [
    /^failed number \| ArgumentError: assert_raises\(\): expected a type of errors, a text or a regular expression, got 1$/,
    /^failed type \| ArgumentError: /,
    'passed fitting',
  ]);
});

t.test('mocks replace functions of the library until the test ends', async (t) => {
  const file = await reportOf(
    t,
    `def weather(city) = http_get("https://weather.example/#{city}", timeout: 5)
test "replaced" do
  calls = mock(:http_get) { |url| "it rains, says #{url}" }
  assert_eq(weather("oslo"), "it rains, says https://weather.example/oslo")
  assert_eq(calls.map { |call| call.values_at(0, 2) }, [["https://weather.example/oslo", 5]])
  200.times { weather("x") }
  assert_eq(calls.length, 201)
end
test("fails") { mock(:sqrt) { |x| -x }; assert_eq(sqrt(4), 0) }
test("restored") { assert_eq(sqrt(4), 2.0) }
test("checks arguments") { mock(:sqrt) { 1 }; assert_raises(TypeError) { sqrt("x") } }
test("waits") { mock(:random) { sleep(0.01); 4 }; assert_eq(random(), 4) }
test("raises") { mock(:shell) { raise IOError, "gone" }; assert_raises(IOError) { shell("x") } }
test("unknown") { mock(:http_gte) { nil } }
test("by position") { mock(:http_get) { |url, headers: nil| headers } }
test("method") { mock(:upcase) { nil } }
test("own") { mock(:assert_eq) { nil } }
def helper(a) = a
test("of the program") { mock(:helper) { nil } }
test("defaults") do
  calls = [mock(:http_get) { 1 }, mock(:round) { 1 }, mock(:now) { 1 }]
  http_get("u"); http_get("u", timeout: 5); http_get("u", timeout: 30); now()
  assert_eq([calls[0], calls[2]], [[["u"], ["u", nil, 5], ["u"]], [[]]])
end
test("a function in place of a block") { mock(:http_get, helper); assert_eq(http_get("u"), "u") }
test("any number of arguments") do
  calls = [mock(:puts) { |*all| all }, mock(:print) { |first, second| [first, second] }, mock(:p) { |value| value }]
  assert_eq([puts("a", 1), puts(), puts([2]), puts([3, 4]), puts(*[5, 6])], [["a", 1], [], [[2]], [[3, 4]], [5, 6]])
  assert_eq(calls[0], [["a", 1], [], [[2]], [[3, 4]], [5, 6]])
  assert_eq([print([1, 2]), print("a", "b", sep: "-")], [[[1, 2], nil], ["a", "b"]])
  assert_eq(calls[1], [[[1, 2]], ["a", "b", "-"]])
  assert_eq([p([1, 2]), p(1, 2), calls[2]], [[1, 2], 1, [[[1, 2]], [1, 2]]])
end
def gathered(first, *others) = [first, others]
test("any number of arguments of a function") { mock(:puts, gathered); assert_eq(puts(1, 2, 3), [1, [2, 3]]) }
test("a vector") { mock(:json_encode) { |value, pretty = 7| [value, pretty] }; assert_eq(json_encode([1, 2]), [[1, 2], 7]) }
test("named arguments of any name") do
  calls = mock(:http) { |_, _, options| options }
  assert_eq([http("GET", "/", json: 1), http("PUT", "/"), calls], [{json: 1}, nil, [["GET", "/", {json: 1}], ["PUT", "/"]]])
end
`,
  );
  t.strictSame(outcomes(file), [
    'passed replaced',
    'failed fails | AssertionError: expected 0, got -4',
    'passed restored',
    'passed checks arguments',
    'passed waits',
    'passed raises',
    "failed unknown | ArgumentError: mock(): the library has no function 'http_gte'; did you mean 'http_get'?",
    "failed by position | ArgumentError: mock(:http_get): the block gets the arguments by position, in the order of http_get's parameters; write 'headers' instead of 'headers:'",
    "failed method | ArgumentError: mock(): the library has no function 'upcase'. Functions of the program and methods cannot be replaced: pass them as arguments",
    "failed own | ArgumentError: mock(): 'assert_eq' is a function for tests, and stays",
    "failed of the program | ArgumentError: mock(): the library has no function 'helper'. Functions of the program and methods cannot be replaced: pass them as arguments",
    'passed defaults',
    'passed a function in place of a block',
    'passed any number of arguments',
    'passed any number of arguments of a function',
    'passed a vector',
    'passed named arguments of any name',
  ]);
});

t.test('the clock can be virtual; seeds are tried until one fails', async (t) => {
  const { report, run } = project(t, {
    'a_test.svc': `test("hours") { start = clock_ms(); sleep(3600); assert_true(clock_ms() - start >= 3_600_000) }
test("limit", timeout: 10) { sleep(20) }
test("deadlock") { channel(0).recv }
test("leaves") { spawn { sleep(10) } }
`,
    'race_test.svc': `test("order") do
  inbox = channel(2)
  spawn { inbox.send("a") }
  spawn { inbox.send("b") }
  assert_eq([inbox.recv, inbox.recv], ["a", "b"])
end
`,
  });
  const { files } = await report(['a_test.svc'], { SVC_CLOCK: 'virtual' });
  t.strictSame(
    outcomes(files[0]).map((text) => text.split(':')[0]),
    [
      'passed hours',
      'failed limit | timed out after 10 s, waiting for sleep',
      'failed deadlock | RuntimeError',
      'passed leaves',
    ],
  );
  const seeded = (await report(['race_test.svc', '--seeds', '50'])).files[0];
  t.match(outcomes(seeded), [/^failed order/]);
  t.type(seeded.seed, 'number');
  const again = await report(['race_test.svc'], { SVC_CLOCK: 'virtual', SVC_SEED: String(seeded.seed) });
  t.match(outcomes(again.files[0]), outcomes(seeded));
  t.match(
    (await run(['race_test.svc', '--seeds', '50'])).stdout,
    `SVC_CLOCK=virtual SVC_SEED=${seeded.seed} svcc test race_test.svc`,
  );
  for (const [reporter, start] of [
    ['tap', '# race_test.svc: failed with seed '],
    ['junit', '<property name="repeat" value="'],
  ]) {
    const { stdout } = await run(['race_test.svc', '--seeds', '50', '--reporter', reporter]);
    t.match(stdout, start);
    t.match(stdout, `SVC_CLOCK=virtual SVC_SEED=${seeded.seed} svcc test race_test.svc`);
  }
});

t.test('filter, bail and jobs', async (t) => {
  const { report, run } = project(t, {
    'a_test.svc': `describe "sums" do
  test("small") { assert_eq(1 + 1, 2) }
  test("large") { assert_eq(1 + 1, 3) }
end
test("other") { assert_true(true) }
`,
    'b_test.svc': 'test("small b") { assert_true(true) }\n',
  });
  const small = await report(['--filter', '^(sums )?small']);
  t.strictSame(small.files.flatMap(outcomes), ['passed sums › small', 'passed small b']);
  t.equal(small.exitCode, 0);
  const bailed = await report(['--bail', '--jobs', '1']);
  t.strictSame(bailed.files.flatMap(outcomes), [
    'passed sums › small',
    'failed sums › large | AssertionError: expected 3, got 2',
  ]);
  t.equal(bailed.summary.stopped, true);
  t.equal(bailed.exitCode, 1);
  const none = await run(['--filter', 'nothing like it']);
  t.equal(none.exitCode, 2);
  t.equal(none.stderr, 'svcc: no test matches --filter nothing like it\n');
});

t.test('files are found by their names and folders', async (t) => {
  const pass = 'test("x") { assert_true(true) }\n';
  const { report, run, cwd } = project(t, {
    'app.svc': 'raise "not a test"\n',
    'notes_test.svc': pass,
    'test/helper.svc': 'HELP = 1\n',
    'test/deep/more.svc': pass,
    'lib/inner_test.svc': pass,
    'lib/test/x.svc': pass,
    'lib/test/data.txt': 'text',
    'node_modules/m/m_test.svc': 'raise "not ours"\n',
    '.hidden/h_test.svc': 'raise "not ours"\n',
  });
  const names = async (...args: string[]): Promise<string[]> => (await report(args)).files.map(({ file }) => file);
  const all = ['lib/inner_test.svc', 'lib/test/x.svc', 'notes_test.svc', 'test/deep/more.svc', 'test/helper.svc'];
  t.strictSame(await names(), all);
  t.strictSame(await names('lib'), ['lib/inner_test.svc', 'lib/test/x.svc']);
  t.strictSame(await names('test/deep', 'notes_test.svc', './notes_test.svc'), [
    'test/deep/more.svc',
    'notes_test.svc',
  ]);
  for (const [args, message] of [
    [['nowhere'], 'svcc: cannot read nowhere: no such file or directory\n'],
    [['lib/test/data.txt'], 'svcc: lib/test/data.txt is not a .svc file; name files or folders of tests\n'],
    [['--filter', '('], /^svcc: --filter is not a regular expression: .*\n$/],
    [['--jobs', '0'], /^error: --jobs must be a number from 1 to 256/],
    [['--reporter', 'xml'], /^error: .*choices/],
  ] as const) {
    const { exitCode, stderr } = await run([...args]);
    t.equal(exitCode, 2, args.join(' '));
    t.match(stderr, message);
  }
  const empty = project(t, {});
  t.ok(cwd);
  t.match(await empty.run(), { exitCode: 2, stderr: /^svcc: no tests found/ });
});

t.test('errors in threads of a test fail it, also if the task is never awaited', async (t) => {
  const file = await reportOf(
    t,
    `test("detached") { spawn { assert_eq(1, 2) }; sleep(0.01) }
test("held") do
  task = spawn { raise ValueError, "no" }
  sleep(0.01)
end
test("awaited") { assert_raises(ValueError) { await spawn { raise ValueError, "no" } } }
test("cancelled") do
  task = spawn { sleep(60) }
  task.cancel
end
test("many") { 25.times { spawn { raise "again" } }; sleep(0.01) }
test("last") { assert_true(true) }
`,
  );
  t.strictSame(outcomes(file), [
    'failed detached | thread: AssertionError: expected 2, got 1',
    'failed held | thread: ValueError: no',
    'passed awaited',
    'passed cancelled',
    `failed many | ${'thread: RuntimeError: again | '.repeat(10)}thread: 15 more threads failed`,
    'passed last',
  ]);
  t.equal(file.tests[0].failures[0].trace[0].line, 1);
  t.equal(file.problem, null);
});

t.test('errors in threads that no test started are output of the file', async (t) => {
  const file = await reportOf(
    t,
    `spawn { sleep(0.01); raise "worker" }
test("a") { puts "inside"; sleep(0.1) }
`,
  );
  t.strictSame(outcomes(file), ['passed a']);
  t.equal(file.tests[0].output, 'inside\n');
  t.equal(file.problem, null);
  t.match(file.output, /RuntimeError: worker\n[^]*:1/);
});

t.test('a signal ends the commands of tests', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { cwd } = project(t, {
      'a_test.svc': 'test("a") { shell("echo $$ > pid; mv pid began; exec sleep 1000") }\n',
    });
    const running = new Svcc(['test'], { cwd });
    t.teardown(() => running.child.kill('SIGKILL'));
    await until('the command', () => existsSync(join(cwd, 'began')));
    const { exitCode } = await running.stop(signal);
    t.equal(exitCode, signal === 'SIGTERM' ? 143 : 130);
    await until('the end of the command', () => hasEnded(readFileSync(join(cwd, 'began'), 'utf8').trim()));
    rmSync(join(cwd, 'began'));
  }
});

t.test('a signal that comes while a command starts ends it', async (t) => {
  // The command runs before the call that starts it has returned.
  const { cwd, run } = project(t, {
    'a_test.svc': 'test("a") { shell("echo $$ > began; kill -TERM $PPID; exec sleep 1000") }\n',
  });
  t.equal((await run()).exitCode, 1);
  const pid = readFileSync(join(cwd, 'began'), 'utf8').trim();
  await until('the end of the command', () => hasEnded(pid));
});

t.test('a killed run leaves no process behind', async (t) => {
  const { cwd } = project(t, {
    'a_test.svc': 'test("a") { shell("echo $$ $PPID > pids; mv pids began; exec sleep 1000") }\n',
  });
  const running = new Svcc(['test'], { cwd });
  await until('the command', () => existsSync(join(cwd, 'began')));
  running.child.kill('SIGKILL');
  await running.ended;
  const pids = readFileSync(join(cwd, 'began'), 'utf8').trim().split(' ');
  t.teardown(() => {
    for (const pid of pids) if (!hasEnded(pid)) process.kill(Number(pid), 'SIGKILL');
  });
  await until('the end of the file and its command', () => pids.every(hasEnded));
});
