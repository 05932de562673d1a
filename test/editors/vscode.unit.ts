import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { buildClient } from '../../editors/vscode/build.js';
import { ROOT } from '../svcc/svcc.js';

// The extension for VS Code: its manifest, its bundle and its package. What it contributes is in units.test.ts and
// snippets.bundle.test.ts.

const FOLDER = join(ROOT, 'editors/vscode');
const read = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, unknown> & { icon: string; main: string };

/** All relative paths in a value. */
function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\.\//.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

t.test('files that the manifest names exist', async (t) => {
  const paths = [...pathsIn(manifest), manifest.icon].filter((path) => path !== manifest.main);
  t.ok(paths.length > 8, `${paths.length} paths`);
  for (const path of paths) t.ok(existsSync(join(FOLDER, path)), path);
});

t.test('JSON of the extension can be read', async () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  for (const name of names) if (name.endsWith('.json') && !name.includes('node_modules')) JSON.parse(read(name));
});

t.test('the client is one file that needs only VS Code and Node', async (t) => {
  const outfile = join(t.testdir(), 'client.cjs');
  const { metafile, warnings } = await buildClient(outfile);
  t.strictSame(warnings, []);
  const needed = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  t.strictSame(
    needed.filter((name) => name !== 'vscode' && !builtinModules.includes(name.replace(/^node:/, ''))),
    [],
  );
  t.match(readFileSync(outfile, 'utf8'), /activate/);
});

/** The tool that packs extensions, if it is installed. */
const VSCE = [FOLDER, ROOT]
  .map((folder) => join(folder, 'node_modules/.bin/vsce'))
  .concat(process.env.SVC_VSCE ?? [])
  .find((path) => existsSync(path));
const skip = VSCE === undefined && '@vscode/vsce is not installed: `npm install --no-save @vscode/vsce`';

t.test('the package holds only what runs', { skip }, async (t) => {
  const out = join(t.testdir(), 'svc.vsix');
  const output = await new Promise<string>((done) => {
    const args = ['package', '--allow-missing-repository', '--no-dependencies', '--out', out];
    const env = { ...process.env, NODE_OPTIONS: '' };
    execFile(VSCE as string, args, { cwd: FOLDER, env }, (_, stdout, stderr) => done(`${stdout}${stderr}`));
  });
  t.ok(existsSync(out), output);
  const listed = [...output.matchAll(/─ ([\w.-]+\.\w+) /g)].map(([, name]) => name).sort();
  t.strictSame(listed, [
    'LICENSE.txt',
    'client.cjs',
    'extension.vsixmanifest',
    'icon.png',
    'language-configuration.json',
    'package.json',
    'readme.md',
    'svc-markdown.tmLanguage.json',
    'svc-template.tmLanguage.json',
    'svc.json',
    'svc.tmLanguage.json',
    'template-configuration.json',
    'template.json',
  ]);
});
