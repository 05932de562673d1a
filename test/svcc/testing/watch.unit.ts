import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../svcc.js';
import { project } from './support.js';

t.jobs = 2;

const FILES = {
  'lib/a.svc': 'def a() = 1\n',
  'lib/b.svc': 'def b() = 1\n',
  'views/page.html.erb': '<p>one</p>\n',
  'a_test.svc': 'require "lib/a"\ntest("a") { assert_eq(a(), 1) }\n',
  'b_test.svc': 'require "lib/b"\ntest("b") { assert_eq(b(), 1) }\n',
  'c_test.svc':
    'app = web_app()\napp.templates("views")\napp.get("/") { render("page") }\ntest("c") { assert_match("one", app.client.get("/").body) }\n',
};

async function watching(t: Test, files: Record<string, string> = FILES, args: string[] = []) {
  const { cwd } = project(t, files);
  const watch = new Svcc(['test', '--watch', ...args], { cwd });
  t.teardown(() => watch.child.kill('SIGKILL'));
  let read = 0;
  return {
    watch,
    cwd,
    /** Saves a file atomically: a half-written version would be another change. */
    save: (name: string, text: string): void => {
      writeFileSync(join(cwd, `${name}.new`), text);
      renameSync(join(cwd, `${name}.new`), join(cwd, name));
    },
    remove: (name: string): void => rmSync(join(cwd, name)),
    /** What was printed in the next round, up to its end. */
    round: async (): Promise<string> => {
      const end = '\nwaiting for a change\n';
      await until('the end of a round', () => watch.stdout.includes(end, read));
      const from = read;
      read = watch.stdout.indexOf(end, read) + end.length;
      return watch.stdout.slice(from, read);
    },
  };
}

/** Names of files in the order in which they were reported, with their signs. */
function order(round: string): string[] {
  return [...round.matchAll(/^[✓✗] .*\.svc$/gm)].map(([line]) => line);
}

t.test('what uses a changed file runs first, then what failed, then the rest', async (t) => {
  const { round, save } = await watching(t);
  t.strictSame(order(await round()), ['✓ a_test.svc', '✓ b_test.svc', '✓ c_test.svc']);
  save('lib/b.svc', 'def b() = 2\n');
  const second = await round();
  t.match(second, /^\nchanged: lib\/b\.svc\n/);
  t.strictSame(order(second), ['✗ b_test.svc', '✓ a_test.svc', '✓ c_test.svc']);
  save('views/page.html.erb', '<p>two</p>\n');
  t.strictSame(order(await round()), ['✗ c_test.svc', '✗ b_test.svc', '✓ a_test.svc']);
  save('lib/b.svc', 'def b( = 1\n');
  t.match(await round(), /lib\/b\.svc:1:\d+: error: /);
  save('lib/b.svc', 'def b() = 1\n');
  t.strictSame(order(await round()), ['✓ b_test.svc', '✗ c_test.svc', '✓ a_test.svc']);
  save('d_test.svc', 'test("d") { assert_true(true) }\n');
  t.strictSame(order(await round()), ['✓ d_test.svc', '✗ c_test.svc', '✓ a_test.svc', '✓ b_test.svc']);
});

t.test('a missing file is noticed when it is created', async (t) => {
  const { 'lib/a.svc': a, 'a_test.svc': test } = FILES;
  const { round, save, cwd } = await watching(t, {
    'a_test.svc': test,
    'b_test.svc': 'test("b") { assert_true(true) }\n',
  });
  t.match(await round(), /a_test\.svc:1:1: error: cannot find/);
  mkdirSync(join(cwd, 'lib'));
  save('lib/a.svc', a);
  t.strictSame(order(await round()), ['✓ a_test.svc', '✓ b_test.svc']);
});

/** Milliseconds of processor time of a process and of its children that have ended. */
function timeWithChildren({ pid }: { pid?: number }): number {
  const fields = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1].split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

t.test('a round takes no longer than the same tests in a new process', async (t) => {
  const { watch, round, save } = await watching(t, {
    'lib/a.svc': FILES['lib/a.svc'],
    'a_test.svc': FILES['a_test.svc'],
  });
  await round();
  // The process that was just started, and the one that ran its tests.
  const whole = timeWithChildren(watch.child);
  const rounds: number[] = [];
  for (let i = 0; i < 4; i++) {
    const before = timeWithChildren(watch.child);
    save('lib/a.svc', `def a() = 1 # ${i}\n`);
    await round();
    rounds.push(timeWithChildren(watch.child) - before);
  }
  t.comment(`${whole} ms at first, then ${rounds.join(', ')} ms`);
  t.ok(Math.min(...rounds) < whole, `${rounds.join(', ')} ms of at most ${whole} ms`);
});

/** The processes that a process has started. */
function childrenOf({ pid }: { pid?: number }): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}

/** The process that waits for a job, once it runs svcc: stopped between fork and exec, it would stop its parent as well. */
function standbyOf(watch: { pid?: number }): number | null {
  const children = childrenOf(watch);
  if (children.length !== 1) return null;
  const [pid] = children;
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('\0--standby\0') ? pid : null;
}

t.test('one process waits for the next round, and ends with the command', async (t) => {
  const runs = { 'b_test.svc': 'test("b") { file_append("runs.txt", ".") }\n' };
  const { watch, cwd, round, save } = await watching(t, { ...FILES, ...runs }, ['--jobs', '2']);
  await round();
  const waiting = (): Promise<number> => until('a process that waits', () => standbyOf(watch.child));
  const first = await waiting();
  save('lib/a.svc', 'def a() = 2\n');
  t.match(order(await round())[0], '✗ a_test.svc');
  const second = await waiting();
  t.not(second, first, 'it has run the tests');
  process.kill(second, 'SIGSTOP');
  save('lib/a.svc', 'def a() = 1\n');
  await until('another file runs', () => readFileSync(join(cwd, 'runs.txt'), 'utf8') === '...');
  process.kill(second, 'SIGKILL');
  t.match(order(await round()), ['✓ a_test.svc', '✓ b_test.svc', '✓ c_test.svc'], 'also if it dies with its job');
  const third = await waiting();
  watch.child.kill('SIGKILL');
  await until('its end', () => !existsSync(`/proc/${third}/exe`));
});

t.test('a deleted file of tests is left out', async (t) => {
  const { round, save, remove } = await watching(t, FILES);
  t.match(await round(), 'b_test.svc');
  remove('b_test.svc');
  save('a_test.svc', 'test("a") { assert_true(true) }\n');
  const text = await round();
  t.notMatch(text, /[✓✗] b_test\.svc/);
  t.notMatch(text, 'cannot read');
});

t.test('a change breaks off a round, also one that would take long', async (t) => {
  const loops = 'test("endless", timeout: 3600) { loop { 1 } }\n';
  const { watch, round, save } = await watching(
    t,
    { 'a_test.svc': loops, 'b_test.svc': 'test("b") { assert_true(true) }\n' },
    ['--jobs', '2'],
  );
  await until('the process of the test', () => watch.child.exitCode === null && watch.child.pid !== undefined);
  await new Promise((resume) => setTimeout(resume, 500));
  save('a_test.svc', 'test("ends") { assert_true(true) }\n');
  t.match(await round(), /✓ ends\n/);
  watch.child.kill('SIGINT');
  t.equal((await watch.finished()).exitCode, 130);
});

t.test('coverage is shown for each round; other reporters are refused', async (t) => {
  const { round, save } = await watching(t, FILES, ['--coverage']);
  t.match(await round(), 'lib/a.svc  100.0 % (1/1)');
  save('lib/a.svc', 'def a() = 1\ndef c() = 2\n');
  t.match(await round(), 'lib/a.svc  50.0 % (1/2)');
  const { run } = project(t, FILES);
  t.match(await run(['--watch', '--reporter', 'tap']), {
    exitCode: 2,
    stderr: 'svcc: --watch prints results for people: leave out --reporter\n',
  });
});
