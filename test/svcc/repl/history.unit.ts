import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import t from 'tap';
import { History, historyPath, MAX_ENTRIES } from '../../../svcc/repl/history.js';

t.test('where it is', async (t) => {
  t.equal(historyPath({ XDG_STATE_HOME: '/state' }), '/state/svc/history');
  t.match(historyPath({}), /\/\.local\/state\/svc\/history$/);
  t.match(
    historyPath({ XDG_STATE_HOME: 'relative' }),
    /\/\.local\/state\/svc\/history$/,
    'relative paths do not count',
  );
});

t.test('inputs come back, the newest first', async (t) => {
  const path = join(t.testdir({}), 'a/b/history');
  const history = new History(path);
  t.strictSame(history.load(), [], 'there is none yet');
  const inputs = ['x = 1', 'def f\n  "a\\n"\nend', 'ü 😀'];
  for (const input of inputs) history.add(input);
  t.strictSame(new History(path).load(), [...inputs].reverse());
  t.equal(statSync(path).mode & 0o777, 0o600, 'only the user can read it');
  t.equal(statSync(join(path, '..')).mode & 0o777, 0o700);
});

t.test('it stays bounded', async (t) => {
  const path = join(t.testdir({}), 'history');
  writeFileSync(path, Array.from({ length: 5 * MAX_ENTRIES }, (_, i) => `entry ${i}\n`).join(''));
  const loaded = new History(path).load();
  t.equal(loaded.length, MAX_ENTRIES);
  t.equal(loaded[0], `entry ${5 * MAX_ENTRIES - 1}`);
  t.equal(readFileSync(path, 'utf8').split('\n').length, MAX_ENTRIES + 1);
  t.equal(statSync(path).mode & 0o777, 0o600);
  const history = new History(path);
  history.add('x'.repeat(20_000));
  t.equal(history.load()[0], loaded[0], 'a huge input is not kept');
});

t.test('one session at a time shortens it', async (t) => {
  const path = join(t.testdir({}), 'history');
  const lines = Array.from({ length: 3 * MAX_ENTRIES }, (_, i) => `entry ${i}\n`).join('');
  writeFileSync(path, lines);
  writeFileSync(`${path}.lock`, '');
  t.equal(new History(path).load().length, MAX_ENTRIES);
  t.equal(readFileSync(path, 'utf8'), lines, 'another session does it');
  t.ok(existsSync(`${path}.lock`), 'its lock stays');
  const longAgo = Date.now() / 1000 - 120;
  utimesSync(`${path}.lock`, longAgo, longAgo);
  new History(path).load();
  t.equal(readFileSync(path, 'utf8').split('\n').length, MAX_ENTRIES + 1, 'a killed session does it no more');
  t.notOk(existsSync(`${path}.lock`));
});

t.test('a history that cannot be used is none', async (t) => {
  const folder = t.testdir({ file: '' });
  for (const path of [null, join(folder, 'file/history'), folder]) {
    const history = new History(path);
    history.add('x');
    t.strictSame(history.load(), []);
  }
});

/** Starts another process that adds inputs, and shortens the history now and then. */
function session(path: string, name: string, count: number): Promise<unknown> {
  const file = join(import.meta.dirname, `historyuser${extname(import.meta.url)}`);
  const child = spawn(process.execPath, ['--import=tsx', file, path, name, String(count)], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: 'inherit',
  });
  return once(child, 'close');
}

t.test('sessions at the same time lose nothing', async (t) => {
  const path = join(t.testdir({}), 'history');
  // As long as it may be before it is shortened.
  writeFileSync(path, 'old\n'.repeat(2 * MAX_ENTRIES));
  const count = 400;
  await Promise.all([session(path, 'one', count), session(path, 'two', count)]);
  const kept = new Set(readFileSync(path, 'utf8').split('\n'));
  const lost = ['one', 'two'].flatMap((name) =>
    Array.from({ length: count }, (_, i) => `${name} ${i}`).filter((input) => !kept.has(input)),
  );
  t.strictSame(lost, []);
});
