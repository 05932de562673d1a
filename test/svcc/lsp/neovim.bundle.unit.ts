import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { bundledSvcc } from '../../bundle.js';
import { ROOT } from '../svcc.js';
import { PROJECT } from './project.js';

const isMissing = spawnSync('nvim', ['--version']).error !== undefined;

/** Runs a script in Neovim without a terminal. Returns what it printed. */
function neovim(script: string, env: Record<string, string>): Promise<string> {
  const { NODE_OPTIONS: _, ...others } = process.env;
  const child = spawn('nvim', ['--headless', '--clean', '-n', '-c', `luafile ${script}`, '-c', 'cquit 1'], {
    env: { ...others, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((done) => child.on('close', () => done(output)));
}

t.test('Neovim uses every request', { skip: isMissing && 'nvim is not installed' }, async (t) => {
  const folder = t.testdir({});
  for (const [file, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const output = await neovim(join(ROOT, 'test/svcc/lsp/neovim.lua'), {
    SVC_NODE: process.execPath,
    SVC_BUNDLE: bundledSvcc(),
    SVC_FOLDER: folder,
    HOME: t.testdirName,
  });
  const line = output.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`no answers: ${output}`);
  const answers = JSON.parse(line) as Record<string, unknown>;
  const list = (name: string): unknown[] => answers[name] as unknown[];
  t.match(answers['textDocument/hover'], { contents: { value: /def search\(store: Store/ } });
  t.match(answers['textDocument/definition'], [{ uri: /store\/search\.svc$/ }]);
  t.equal(list('textDocument/references').length, 3);
  t.equal(list('textDocument/documentHighlight').length, 3);
  t.match(answers['textDocument/documentSymbol'], [{ name: 'note_routes', children: [{ name: 'GET /' }, {}, {}] }]);
  t.equal(list('workspace/symbol').length, 6);
  t.ok(list('textDocument/foldingRange').length > 3);
  t.match(answers['textDocument/semanticTokens/full'], { data: [] });
  t.ok(Array.isArray(answers['textDocument/inlayHint']));
  t.match(answers['textDocument/prepareRename'], { placeholder: 'search' });
  t.match(answers['textDocument/completion'], { items: [{ label: 'notes' }, { label: 'people' }, { label: 'add' }] });
  t.match(answers['textDocument/signatureHelp'], { activeParameter: 1, signatures: [{ label: /^search\(/ }] });
  t.match(answers.diagnostics, [[20, /undefined name 'putz'/]]);
  t.strictSame(answers.fixed, ['puts store']);
  t.match(answers.renamed, { 'routes/notes.svc': 1, 'store/search.svc': 1, 'tests/notes_test.svc': 1 });
});
