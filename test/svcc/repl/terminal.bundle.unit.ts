import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { HAS_TMUX, TerminalSession } from './tmux.js';

t.jobs = 2;

/** Runs a test with a session in a terminal; skipped where `tmux` is missing. */
function inTerminal(
  name: string,
  work: (t: Test, session: TerminalSession, cwd: string) => Promise<void>,
  {
    files = {},
    args = [],
    env = {},
  }: { files?: Record<string, string>; args?: string[]; env?: Record<string, string> } = {},
): void {
  t.test(name, { skip: HAS_TMUX ? false : 'tmux is not installed' }, async (t) => {
    const cwd = t.testdir(files);
    const session = await TerminalSession.start(cwd, args, env);
    t.teardown(() => session.close());
    await work(t, session, cwd);
  });
}

inTerminal('inputs of several lines, and giving them up', async (t, session) => {
  await session.enter('def f(a)', /^svc:1\*$/m);
  await session.enter('  a * 2', /^svc:1\* {3}a \* 2\nsvc:1\*$/m);
  await session.enter('end', /^=> <function f>\nsvc:2>$/m);
  await session.enter('f(', /^svc:2\*$/m);
  await session.enter('', /^repl:2:1:3: error: expected `\)`[^]*svc:3>$/m);
  await session.enter('f(', /^svc:3\*$/m);
  await session.press('C-c');
  await session.shows(/^svc:3\* \^C\nsvc:4>$/m);
  await session.type('f(1');
  await session.press('C-c');
  await session.shows(/^svc:4> f\(1\^C\nsvc:4>$/m);
  t.match(await session.enter('f 21', /^=> 42\nsvc:5>$/m), /svc:4> f 21\n=> 42/);
});

inTerminal('Ctrl+C ends evaluations, not the session', async (_, session) => {
  await session.enter('x = 1', /^=> 1$/m);
  for (const endless of ['loop { }', 'sleep(1000)', 'x += 1 while true', '(1..).map { it }']) {
    await session.type(`puts "runs"; ${endless}`);
    await session.press('Enter');
    await session.shows(/^runs$/m);
    await session.press('C-c');
    await session.shows(/^\(interrupted\)\nsvc:\d+>$/m);
    await session.press('C-l');
    await session.shows(/^svc:\d+>$/);
  }
  await session.enter('begin; sleep(1000); ensure; puts "cleaned"; end', /cleaned"; end$/m);
  await session.press('C-c');
  await session.shows(/^cleaned\n\(interrupted\)\nsvc:/m);
  await session.enter('"x is #{x > 1}"', /^=> "x is true"$/m);
});

inTerminal('Ctrl+C twice or Ctrl+D ends the session, with its cleanup', async (_, session) => {
  await session.enter('spawn { begin; sleep(1000); ensure; puts "cleaned"; end }; sleep(0)', /^=> nil$/m);
  await session.press('C-c');
  await session.shows(/^\(Ctrl\+C again or Ctrl\+D ends the session\)$/m);
  await session.enter('1 + 1', /^=> 2$/m);
  await session.press('C-c');
  await session.shows(/session\)[^]*session\)/);
  await session.press('C-c');
  await session.shows(/^cleaned\nended: 0/m);
});

inTerminal('Ctrl+D', async (_, session) => {
  await session.press('C-d');
  await session.shows(/^svc:1>\nended: 0/m);
});

inTerminal('the exit code', async (_, session) => {
  await session.enter('exit(3)', /^ended: 3/m);
});

inTerminal('output of threads appears above the line that is being edited', async (_, session) => {
  await session.enter('go = channel()', /^=> <Channel>$/m);
  await session.enter('spawn { loop { puts "from #{go.recv()}" } }; nil', /^=> nil\nsvc:3>$/m);
  await session.enter('spawn { sleep(0.5); go.send("a thread") }; nil', /^=> nil\nsvc:4>$/m);
  await session.type(`"${'typed '.repeat(20)}while`);
  await session.shows(/^from a thread\nsvc:4> "typed typed [^]*while$/m);
  await session.enter(' it ran".size', /^from a thread\nsvc:4> "typed typed [^]* ran"\.size\n=> 132$/m);
  await session.enter('spawn { sleep(0.5); print "no newline" }; nil', /^=> nil\nsvc:6>$/m);
  await session.type('1 +');
  await session.shows(/^no newline\nsvc:6> 1 \+$/m);
  await session.enter(' 1', /^svc:6> 1 \+ 1\n=> 2$/m);
});

inTerminal('keys that are pressed during an evaluation count after it', async (_, session) => {
  await session.type('gate = channel(); spawn { sleep(1); gate.send(1) }; puts "runs"; gate.recv()');
  await session.press('Enter');
  await session.shows(/^runs$/m);
  await session.type('1 + 1');
  await session.press('Enter');
  await session.type('2 + 2');
  await session.press('Enter');
  await session.shows(/^=> 1\nsvc:2> 1 \+ 1\n=> 2\nsvc:3> 2 \+ 2\n=> 4\nsvc:4>$/m);
});

/** An input of several lines that was taken from the history: from Node 24 on, readline shows a bar before further lines. */
const RECALLED =
  parseInt(process.versions.node) < 24 ? /^svc:1> def two\n {2}2\nend$/m : /^svc:1> def two\n\| {3}2\n\| end$/m;

inTerminal('history', async (t, session, cwd) => {
  await session.enter('first = 1', /^=> 1$/m);
  await session.enter('def two', /^svc:2\*$/m);
  await session.enter('  2', /^svc:2\* {3}2\nsvc/m);
  await session.enter('end', /^=> <function two>$/m);
  await session.enter('answer = input("Name? ")', /^Name\?$/m);
  await session.enter('secret', /^=> "secret"$/m);
  await session.press('C-d');
  await session.shows(/^ended: 0/m);
  t.equal(
    readFileSync(join(cwd, 'state/svc/history'), 'utf8'),
    'first = 1\ndef two\\n  2\\nend\nanswer = input("Name? ")\n',
    'what the program asks for is not in it',
  );
  const next = await TerminalSession.start(cwd);
  t.teardown(() => next.close());
  await next.press('Up');
  await next.shows(/^svc:1> answer = /m);
  await next.press('Up');
  await next.shows(RECALLED);
  await next.press('Enter');
  await next.shows(/^=> <function two>\nsvc:2>$/m);
  await next.press('Up');
  await next.shows(/^svc:2> def two$/m);
  await next.press('C-c');
  await next.press('C-r');
  await next.type('fir');
  await next.press('C-c');
  await next.enter('two', /^=> 2$/m);
});

inTerminal('completion', async (_, session) => {
  await session.enter('user = {name: "Ann", nickname: "A"}', /^=> \{name/m);
  await session.type('user.nick');
  await session.press('Tab');
  await session.shows(/^svc:2> user\.nickname$/m);
  await session.type('.upca');
  await session.press('Tab');
  await session.shows(/^svc:2> user\.nickname\.upcase$/m);
  await session.press('Enter');
  await session.shows(/^=> "A"$/m);
  await session.type('user[:n');
  await session.press('Tab');
  await session.press('Tab');
  await session.shows(/^name\] +nickname\]\n/m);
  await session.press('C-c');
  await session.type(':thr');
  await session.press('Tab');
  await session.shows(/^svc:3> :threads$/m);
});

inTerminal('a pasted text may hold empty lines', async (_, session) => {
  await session.paste('def pasted(x)\n\n  y = x\n\n  y * 2\nend\npasted(4)\n');
  await session.shows(/^=> <function pasted>\nsvc:2> pasted\(4\)\n=> 8\nsvc:3>$/m);
});

inTerminal(
  'a server runs while the prompt waits',
  async (t, session) => {
    const [, port] = /running on http:\/\/\S+:(\d+)/.exec(await session.shows(/Enter :stop to stop/)) ?? [];
    await session.type('half of ');
    await session.shows(/^svc:1> half of$/m);
    t.equal(await (await fetch(`http://localhost:${port}/Ann`)).text(), 'hello Ann');
    await session.shows(/^greeted Ann\nsvc:1> half of$/m);
    await session.press('C-c');
    await session.enter('def greeting() = "good day"', /^=> <function greeting>$/m);
    t.equal(await (await fetch(`http://localhost:${port}/Bob`)).text(), 'good day Bob');
    await session.enter('names', /^=> \["Ann", "Bob"\]$/m);
    await session.enter(':threads', /^thread \d+ main: waiting for server/m);
    await session.enter('loop { }', /^svc:\d+> loop \{ \}$/m);
    await session.press('C-c');
    await session.shows(/^\(interrupted\)$/m);
    t.equal(await (await fetch(`http://localhost:${port}/Eve`)).text(), 'good day Eve', 'it has not been interrupted');
    await session.enter(':stop', /told to end/);
    await session.press('C-d');
    await session.shows(/^ended: 0/m);
  },
  {
    args: ['app.svc'],
    files: {
      'app.svc': `names = []
app = web_app()
app.get("/:name") do |req|
  names.push(req.params["name"])
  puts "greeted #{req.params["name"]}"
  "#{greeting()} #{req.params["name"]}"
end
def greeting() = "hello"
app.run(0)
`,
    },
  },
);

inTerminal('colours of values and errors', async (t, session) => {
  await session.enter('[1, "a", nil]', /^=> \[1, "a", nil\]$/m);
  t.match(await session.colours(), /=> \[.\[36m1.\[39m, .\[32m"a".\[39m, .\[35mnil.\[39m\]/);
  await session.enter('nil.x', /^AttributeError/m);
  t.match(await session.colours(), /.\[31mAttributeError/);
});

inTerminal('colours of the line that is typed', async (t, session) => {
  await session.type('de');
  await session.shows(/^svc:1> de$/m);
  t.match(await session.colours(), /svc:1> de\n/, 'a name');
  await session.type('f twice(x) = x * 2 # doubled');
  await session.shows(/# doubled$/m);
  t.match(await session.colours(), /svc:1> .\[34mdef.\[39m twice\(x\) = x \* .\[36m2.\[39m .\[90m# doubled/);
  await session.enter('', /^=> <function twice>\nsvc:2>$/m);
  await session.enter('puts [1,', /^svc:2\*$/m);
  // A line longer than the row, changed at its start.
  await session.type(`"${'a'.repeat(100)}"]`);
  await session.press('Home');
  await session.type('nil, ');
  await session.shows(/^svc:2\* nil, "a+\na+"\]$/m);
  t.match(await session.colours(), /svc:2\* .\[35mnil.\[39m, .\[32m"a+\n?a+"/);
  await session.enter('', /^=> nil\nsvc:3>$/m);
  await session.enter('name = input("Name? ")', /^Name\?$/m);
  await session.type('def 5');
  await session.shows(/^Name\? def 5$/m);
  t.match(await session.colours(), /Name\? def 5\n/, 'what a program asks for is no code');
  await session.enter('', /^=> "def 5"$/m);
});

inTerminal(
  'no colours with NO_COLOR',
  async (t, session) => {
    await session.enter('[1, "a", nil].x', /^AttributeError/m);
    await session.enter('1 +* 2', /^repl:2:1:4: error/m);
    t.notMatch(await session.colours(), /\u001b\[[0-9;]*m(?!svc)/);
  },
  { env: { NO_COLOR: '1' } },
);

inTerminal(
  'a terminal that shows plain text only',
  async (_, session) => {
    await session.enter('[1]', /^=> \[1\]\nsvc:2>$/m);
    await session.enter('loop { }', /^svc:2> loop \{ \}$/m);
    await session.press('C-c');
    await session.shows(/\(interrupted\)\nsvc:3>$/m);
    await session.enter('f(', /^svc:3\*$/m);
    await session.enter('', /^repl:3:1:3: error[^]*svc:4>$/m);
    await session.press('C-d');
    await session.shows(/ended: 0/);
  },
  { env: { TERM: 'dumb' } },
);
