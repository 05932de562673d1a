import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';
import { allGrammars } from './grammars.js';

// Scopes of the grammars for editors. `scopes/` names those of single words; `snapshots/` holds all of some programs, and is
// written anew with UPDATE_GOLDEN=1.

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');
const MANIFEST = join(ROOT, 'editors/vscode/package.json');
const SNAPSHOTS = 'test/editors/snapshots';
const SCOPES: Record<string, string> = { program: 'source.svc', page: 'text.html.svc', text: 'text.html.markdown' };

const folder = mkdtempSync(join(tmpdir(), 'svc-scopes-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

/** Options that load HTML and Markdown, which editors bring themselves. The others are named by the extension's manifest. */
const foreign = (await allGrammars())
  .filter(({ scopeName }) => !scopeName.includes('svc'))
  .flatMap((grammar) => {
    const path = join(folder, `${grammar.scopeName}.json`);
    writeFileSync(path, JSON.stringify(grammar));
    return ['--grammar', path];
  });

interface Result {
  exitCode: number;
  output: string;
}

function run(tool: string, ...args: string[]): Promise<Result> {
  const all = [join(BIN, tool), '--config', MANIFEST, ...foreign, ...args];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return new Promise((done) => {
    execFile(process.execPath, all, { cwd: ROOT, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.replace(/^grammar not found for .*\n/gm, '');
      done({ exitCode: error === null ? 0 : Number(error.code), output });
    });
  });
}

t.test('single words', async (t) => {
  const { exitCode, output } = await run('vscode-tmgrammar-test', '--compact', 'test/editors/scopes/*.txt');
  t.equal(exitCode, 0, output);
  t.equal(output.match(/run successfuly/g)?.length, readdirSync(join(ROOT, 'test/editors/scopes')).length);
});

t.test('a wrong scope is found', async (t) => {
  const path = join(folder, 'wrong.txt');
  writeFileSync(path, '# SYNTAX TEST "source.svc" "wrong"\n\nx = 1\n#   ^ keyword.control.svc\n');
  const { exitCode, output } = await run('vscode-tmgrammar-test', '--compact', path);
  t.not(exitCode, 0);
  t.match(output, /Missing required scopes/);
});

for (const [name, scope] of Object.entries(SCOPES)) {
  t.test(`all scopes of ${name}.txt`, async (t) => {
    const update = process.env.UPDATE_GOLDEN === '1' ? ['--updateSnapshot'] : [];
    const { exitCode, output } = await run(
      'vscode-tmgrammar-snap',
      '--scope',
      scope,
      ...update,
      `${SNAPSHOTS}/${name}.txt`,
    );
    t.equal(exitCode, 0, output);
  });
}
