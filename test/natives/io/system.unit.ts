import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { happens } from '../../patience.js';
import { directory, output, runSource, showing } from './support.js';

const SHOW = showing();

t.test('shell', async (t) => {
  const printed = await output(
    t,
    `${SHOW}
show(-> { shell("echo out; echo err >&2; exit 3") })
show(-> { shell(["printf", "%s|", "a b; c", "$HOME", "*"]).stdout })
show(-> { shell("cat", input: "né").stdout })
show(-> { shell("true", input: "x" * 1000000).status })
show(-> { shell("kill -TERM $$").status })
show(-> { shell("no-such-program-here").status })
show(-> { shell(["no-such-program-here"]) })
show(-> { shell(["/"]) })
show(-> { shell([]) })
show(-> { shell("") })
show(-> { shell(["a", 1]) })
show(-> { shell("a\\0b") })
show(-> { shell("true", timeout: 0) })
show(-> { shell("echo x >&2", timeout: 5).stderr })
`,
  );
  t.equal(
    printed,
    `(Hash) {status: 3, stdout: "out\\n", stderr: "err\\n"}
(String) "a b; c|$HOME|*|"
(String) "né"
(Integer) 0
(Integer) 143
(Integer) 127
FileNotFoundError: cannot run no-such-program-here: no such program
IOError: cannot run /: permission denied
ArgumentError: shell() needs a command
ArgumentError: shell() needs a command
TypeError: shell(): the parts of a command must be String, got Integer
ValueError: shell(): a command cannot contain a NUL character
ArgumentError: timeout must be more than 0 seconds, got 0
(String) "x\\n"
`,
  );
});

/** Whether a process is alive. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isGone(pid: number): Promise<boolean> {
  return happens(() => !lives(pid));
}

t.test('a command and its children end with the thread that waits for it', async (t) => {
  const dir = await directory(t);
  const command = 'sleep 60 & echo $! > "$FILE"; sleep 60; echo never';
  const how = {
    'its own timeout': 'shell(c, timeout: 1)',
    'a timeout block': 'timeout(1) { shell(c) }',
    cancel: 't = spawn { shell(c) }; sleep 1; t.cancel; await t',
    'too much output': 'shell("#{c} | sleep 0.3; yes")',
  };
  const ends = async (name: string, line: string): Promise<void> => {
    const file = join(dir, name);
    const c = name === 'too much output' ? 'sleep 60 & echo $! > "$FILE"; sleep 0' : command;
    const { stdout } = await runSource(
      t,
      `
c = argv()[0]
begin
  ${line}
rescue => e
  puts e.type
end
pid = file_read(env("FILE")).strip
sleep 0.1
puts pid
`,
      [c],
      { env: { ...process.env, FILE: file } as Record<string, string> },
    );
    const [type, pid] = stdout.split('\n');
    t.equal(type, { cancel: 'RuntimeError', 'too much output': 'MemoryError' }[name] ?? 'TimeoutError', name);
    t.ok(await isGone(Number(pid)), `${name}: ${pid}`);
  };
  await Promise.all(Object.entries(how).map(([name, line]) => ends(name, line)));
});

t.test('other threads run while a command runs', async (t) => {
  t.equal(
    await output(
      t,
      `
order = channel(10)
a = spawn { order.send(shell("sleep 1; printf slow").stdout) }
b = spawn { order.send(shell("printf quick").stdout) }
order.send("main")
await [a, b]
puts order.recv, order.recv, order.recv
`,
    ),
    'main\nquick\nslow\n',
  );
});

t.test('dotenv', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'settings'), '\ufeffA=1\nHERE=file\n');
  writeFileSync(join(dir, 'bad'), 'A=1\n?\n');
  const { stdout } = await runSource(
    t,
    `${SHOW}
dir = argv()[0]
show(-> { dotenv("#{dir}/settings") })
show(-> { [env("A"), env("HERE"), shell("echo $A $HERE").stdout] })
dotenv("#{dir}/settings", override: true)
show(-> { [env("HERE"), shell("echo $HERE").stdout] })
show(-> { dotenv("#{dir}/none").replace(dir, "D") })
show(-> { dotenv("#{dir}/bad") })
show(-> { dotenv() })
`,
    [dir],
    { env: { HERE: 'before', PATH: process.env.PATH ?? '' } },
  );
  t.equal(
    stdout.replaceAll(dir, 'D'),
    `(Hash) {A: "1", HERE: "file"}
(Vector) ["1", "before", "1 before\\n"]
(Vector) ["file", "file\\n"]
FileNotFoundError: cannot read D/none: no such file or directory
ValueError: D/bad: line 2: expected NAME=value
(Hash) {}
`,
  );
  t.equal(process.env.HERE, undefined, 'the process’s own environment stays as it is');
});
