import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { findSvcc, type Places } from '../../editors/vscode/client/find.js';

// Where the extension for VS Code looks for svcc.

/** Makes programs in a folder of the test, and a function that finds one of them there. */
function stage(t: Test, ...programs: string[]): { root: string; find: (places: Partial<Places>) => unknown } {
  const root = t.testdir();
  for (const program of programs) {
    mkdirSync(join(root, program, '..'), { recursive: true });
    writeFileSync(join(root, program), '');
    chmodSync(join(root, program), 0o755);
  }
  const find = (places: Partial<Places>): unknown =>
    findSvcc({ setting: '', folder: join(root, 'project/app'), path: '', isWindows: false, ...places });
  return { root, find };
}

t.test('the setting comes before node_modules and PATH', async (t) => {
  const { root, find } = stage(t, 'own/svcc', 'project/node_modules/.bin/svcc', 'bin/svcc');
  const setting = join(root, 'own/svcc');
  t.strictSame(find({ setting, path: join(root, 'bin') }), { command: setting, shell: false });
  t.strictSame(find({ setting: '../../own/svcc' }), { command: setting, shell: false });
});

t.test('a setting that names no program is a problem, whatever else is installed', async (t) => {
  const { root, find } = stage(t, 'bin/svcc');
  const setting = join(root, 'none/svcc');
  t.match(find({ setting, path: join(root, 'bin') }), { problem: /svc\.path is .*none\/svcc, which is no program/ });
  t.match(find({ setting: root }), { problem: /no program/ });
});

t.test('node_modules of the folder and of those around it come before PATH', async (t) => {
  const { root, find } = stage(t, 'project/node_modules/.bin/svcc', 'bin/svcc');
  const command = join(root, 'project/node_modules/.bin/svcc');
  t.strictSame(find({ path: join(root, 'bin') }), { command, shell: false });
});

t.test('PATH is read in its order, without relative entries', async (t) => {
  const { root, find } = stage(t, 'one/other', 'two/svcc', 'three/svcc');
  const path = ['.', '', ...['one', 'two', 'three'].map((name) => join(root, name))].join(delimiter);
  t.strictSame(find({ path }), { command: join(root, 'two/svcc'), shell: false });
  t.strictSame(find({ path, folder: undefined }), { command: join(root, 'two/svcc'), shell: false });
});

t.test('files that cannot be run are passed over', async (t) => {
  const { root, find } = stage(t, 'one/svcc', 'two/svcc');
  chmodSync(join(root, 'one/svcc'), 0o644);
  const path = [join(root, 'one'), join(root, 'two')].join(delimiter);
  t.strictSame(find({ path }), { command: join(root, 'two/svcc'), shell: false });
});

t.test('on Windows a script is started by a shell', async (t) => {
  const { root, find } = stage(t, 'project/node_modules/.bin/svcc', 'project/node_modules/.bin/svcc.cmd');
  const command = `"${join(root, 'project/node_modules/.bin/svcc.cmd')}"`;
  t.strictSame(find({ isWindows: true }), { command, shell: true });
});

t.test('without svcc the message says what to do', async (t) => {
  const { find } = stage(t);
  t.match(find({}), { problem: /neither in node_modules nor in PATH\. Install it, or set svc\.path/ });
});
