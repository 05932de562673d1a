import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';

// editors/neovim starts the language server, which a script stands for. Skipped without Neovim.

const ROOT = resolve(import.meta.dirname, '../..');
const SERVER = join(import.meta.dirname, 'support/server.js');
const LIMIT_MS = 120_000;

function isInstalled(): boolean {
  try {
    execFileSync('nvim', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Outcome {
  /** What the server received. */
  log: string[];
  /** What Neovim printed. */
  output: string;
}

/** Runs Lua in Neovim with the plugins of editors/, in a folder with a program; `wait` ends when the server has a document. */
async function run(t: Test, folder: string, lua: string, path = process.env.PATH): Promise<Outcome> {
  const logged = join(folder, 'log');
  const script = join(folder, 'script.lua');
  writeFileSync(
    script,
    `vim.opt.runtimepath:prepend('${ROOT}/editors/vim')
vim.opt.runtimepath:prepend('${ROOT}/editors/neovim')
vim.cmd('filetype plugin indent on')
local function received(text)
  local file = io.open('${logged}')
  local found = file and file:read('*a'):find(text, 1, true)
  if file then file:close() end
  return found
end
local function wait(text) return vim.wait(60000, function() return received(text) end, 20) end
local ok, problem = pcall(function()
${lua}
end)
if not ok then io.stderr:write(problem) end
vim.cmd('qall!')
`,
  );
  const output = await new Promise<string>((done) => {
    const env = { ...process.env, NODE_OPTIONS: '', PATH: path, SVC_SERVER_LOG: logged };
    const args = ['--headless', '-u', 'NONE', '-i', 'NONE', '-n', '-S', script];
    execFile(NVIM, args, { env, cwd: folder, timeout: LIMIT_MS }, (error, stdout, stderr) =>
      done(`${error?.message ?? ''}${stdout}${stderr}`),
    );
  });
  t.comment(output);
  return { log: existsSync(logged) ? readFileSync(logged, 'utf8').trimEnd().split('\n') : [], output };
}

const skip = !isInstalled() && 'nvim is not installed';
const NVIM = isInstalled()
  ? realpathSync(execFileSync('sh', ['-c', 'command -v nvim'], { encoding: 'utf8' }).trim())
  : '';

const PROGRAM = { 'package.json': '{}', lib: { 'app.svc': 'puts 1\n', 'other.svc': 'puts 2\n' } };

t.test('the server of the options serves all programs of a project', { skip }, async (t) => {
  const folder = t.testdir(PROGRAM);
  const { log, output } = await run(
    t,
    folder,
    `require('svc').setup({ cmd = { '${process.execPath}', '${SERVER}', 'lsp' } })
vim.cmd('edit ${folder}/lib/app.svc')
wait('didOpen')
vim.cmd('edit ${folder}/lib/other.svc')
wait('didOpen svc other.svc')
vim.cmd('edit ${folder}/script.lua')
print(#(vim.lsp.get_clients or vim.lsp.get_active_clients)())`,
  );
  t.match(output, /1$/);
  t.equal(log[0], 'started lsp');
  t.equal(log[1], `initialize ${folder}`);
  t.ok(log.includes('textDocument/didOpen svc other.svc'), log.join(', '));
  t.equal(log.filter((line) => line === 'started lsp').length, 1);
  t.ok(log.includes('textDocument/didOpen svc app.svc'), log.join(', '));
});

t.test("svcc of the project's node_modules comes before PATH", { skip }, async (t) => {
  const folder = t.testdir(PROGRAM);
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'svcc'), `#!/bin/sh\nexec '${process.execPath}' '${SERVER}' "$@"\n`);
  chmodSync(join(bin, 'svcc'), 0o755);
  const { log } = await run(
    t,
    folder,
    `require('svc').setup()\nvim.cmd('edit ${folder}/lib/app.svc')\nwait('didOpen')`,
  );
  t.equal(log[0], 'started lsp');
  t.ok(log.includes('textDocument/didOpen svc app.svc'), log.join(', '));
});

t.test('without svcc there is one message', { skip }, async (t) => {
  const folder = t.testdir(PROGRAM);
  const { log, output } = await run(
    t,
    folder,
    `require('svc').setup()
vim.cmd('edit ${folder}/lib/app.svc')
vim.cmd('edit ${folder}/lib/other.svc')`,
    '/usr/bin:/bin',
  );
  t.strictSame(log, []);
  t.equal(output.match(/svcc is neither in node_modules nor in PATH/g)?.length, 1, output);
});
