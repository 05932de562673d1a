import { execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { TEMPLATES } from '../../svcc/projecttemplates.js';
import { until } from '../patience.js';
import { isInShare } from '../share.js';
import { assertRefused } from './refusals.js';
import { ROOT, Svcc, svcc } from './svcc.js';

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.jobs = 4;

t.test('a new project passes its own test', async (t) => {
  const cwd = t.testdir();
  const made = await svcc(['new', 'shop'], { cwd });
  t.match(made.stdout, /^made shop; continue with\n\n {4}cd shop\n {4}svcc test\n/);
  t.equal(`${made.exitCode}${made.stderr}`, '0');
  const project = join(cwd, 'shop');
  t.strictSame((await readdir(project, { recursive: true })).sort(), [
    '.dockerignore',
    '.env.example',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'app.svc',
    'public',
    'public/style.css',
    'routes.svc',
    'test',
    'test/routes_test.svc',
  ]);
  t.match(await readFile(join(project, '.gitignore'), 'utf8'), /^\*\.db\n\*\.db-\*$/m, 'databases stay out');
  const tested = await svcc(['test'], { cwd: project });
  t.match(
    tested.stdout,
    /^✓ test\/routes_test\.svc\n {2}✓ the front page.*\n {2}✓ a greeting.*\n {2}✓ files.*\n\n3 passed in 1 file /,
  );
  t.equal(`${tested.exitCode}${tested.stderr}`, '0');
  const checked = await svcc(['check', '--strict', 'app.svc', 'test/routes_test.svc'], { cwd: project });
  t.strictSame(checked, { stdout: '', stderr: '', exitCode: 0 });
  t.match(await readFile(join(project, 'README.md'), 'utf8'), `svc-lang-${version}.tgz`);
  for (const file of ['app.svc', 'routes.svc', 'README.md', 'Dockerfile'])
    t.notMatch(await readFile(join(project, file), 'utf8'), '{{', file);
});

/** What each template answers when it runs. */
const ANSWERS: Record<string, (t: Test, base: string, project: string) => Promise<void>> = {
  basic: async (t, base) => {
    t.match(await text(base), '<h1>shop</h1>');
  },
  api: async (t, base, project) => {
    t.equal((await fetch(`${base}/notes`)).status, 401);
    t.match(await text(`${base}/docs`), '<title>API</title>');
    const { stdout: token } = await svcc(['run', 'token.svc', 'ann'], { cwd: project });
    const headers = { Authorization: `Bearer ${token.trim()}`, 'Content-Type': 'application/json' };
    const added = await fetch(`${base}/notes`, { method: 'POST', headers, body: '{"title": "Milk"}' });
    t.equal(added.status, 201);
    t.match(await (await fetch(`${base}/notes/1`, { headers })).json(), { id: 1, title: 'Milk', author: 'ann' });
  },
  pages: async (t, base) => {
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const body = new URLSearchParams({ name: 'Ann', text: 'Hello <b>' });
    const written = await fetch(base, { method: 'POST', headers, body, redirect: 'manual' });
    t.equal(written.status, 303);
    const page = await fetch(base);
    t.match(page.headers.get('content-security-policy'), "default-src 'self'");
    t.match(await page.text(), '<p>Hello &lt;b&gt;</p>');
    t.equal((await fetch(base, { method: 'POST', headers, body: new URLSearchParams() })).status, 422);
  },
  live: async (t, base) => {
    t.match(await text(base), '<title>lobby · shop</title>');
    const socket = new WebSocket(`${base.replace('http', 'ws')}/rooms/lobby`);
    const messages: unknown[] = [];
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('{"name": "Ann", "text": "Hello"}');
    await until('the message', () => messages.length === 3);
    t.strictSame(messages, [{ history: [] }, { people: 1 }, { message: { name: 'Ann', text: 'Hello' } }]);
  },
};

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

/** Makes a project `shop` in a folder of its own and returns the path of this folder. */
async function made(t: Test, template: string): Promise<string> {
  const cwd = t.testdir({ elsewhere: {} });
  const outcome = await svcc(['new', 'shop', '--template', template], { cwd });
  t.equal(`${outcome.exitCode}${outcome.stderr}`, '0');
  return cwd;
}

/** Asserts that a project's server answers as its template does and ends with 0. */
async function assertServes(t: Test, template: string, server: Svcc, project: string): Promise<void> {
  t.teardown(() => server.child.kill('SIGKILL'));
  await ANSWERS[template](t, `http://127.0.0.1:${await server.port()}`, project);
  const { exitCode, stderr } = await server.stop();
  t.equal(`${exitCode}${stderr}`, '0', 'SIGTERM ends it');
}

t.strictSame(Object.keys(ANSWERS), Object.keys(TEMPLATES));

for (const template of Object.keys(TEMPLATES).filter((name) => isInShare(name))) {
  t.test(`a new project of the template ${template} passes its tests and serves`, async (t) => {
    const project = join(await made(t, template), 'shop');
    const entries = (await readdir(project, { recursive: true })).map((entry) => join(project, entry));
    const paths = entries.filter((path) => statSync(path).isFile());
    for (const path of paths) t.notMatch(await readFile(path, 'utf8'), '{{', path);
    const programs = paths.filter((path) => path.endsWith('.svc'));
    t.strictSame(await svcc(['check', '--strict', ...programs], { cwd: project }), {
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    const tested = await svcc(['test', '--reporter', 'tap'], { cwd: project });
    t.match(tested.stdout, /^TAP version 14\n(ok .*\n){3,}1\.\.\d+\n$/);
    t.equal(`${tested.exitCode}${tested.stderr}`, '0');
    await assertServes(t, template, new Svcc(['run', '--port', '0', 'app.svc'], { cwd: project }), project);
  });

  t.test(`a new project of the template ${template} runs from an artefact, as in its container`, async (t) => {
    const cwd = await made(t, template);
    const project = join(cwd, 'shop');
    const [, options] = /^RUN svcc compile (.*)$/m.exec(await readFile(join(project, 'Dockerfile'), 'utf8'))!;
    const compiled = await svcc(['compile', ...options.split(' ')], { cwd: project });
    t.equal(`${compiled.exitCode}${compiled.stderr}`, '0');
    await copyFile(join(project, 'app.svcb'), join(cwd, 'elsewhere/app.svcb'));
    const env = await readFile(join(project, '.env'), 'utf8').catch(() => '');
    const secrets = Object.fromEntries(
      [...env.matchAll(/^(\w+_SECRET)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const server = new Svcc(['run', '--port', '0', 'app.svcb'], { cwd: join(cwd, 'elsewhere'), env: secrets });
    await assertServes(t, template, server, project);
  });
}

t.test('the style sheet of a new project is in its artefact', async (t) => {
  const cwd = t.testdir({ elsewhere: {} });
  await svcc(['new', 'shop'], { cwd });
  const compiled = await svcc(['compile', 'app.svc', '--assets', 'public', '--output', '../elsewhere/app.svcb'], {
    cwd: join(cwd, 'shop'),
  });
  t.equal(`${compiled.exitCode}${compiled.stderr}`, '0');
  const server = new Svcc(['run', '--port', '0', 'app.svcb'], { cwd: join(cwd, 'elsewhere') });
  const base = `http://127.0.0.1:${await server.port()}`;
  t.match(await text(`${base}/static/style.css`), 'font-family');
  t.equal((await server.stop()).exitCode, 0);
});

t.test('the files and commands of its Dockerfile exist', async (t) => {
  const cwd = t.testdir({ image: {} });
  await svcc(['new', 'shop'], { cwd });
  const project = join(cwd, 'shop');
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', ROOT], {
    cwd: project,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const lines = (await readFile(join(project, 'Dockerfile'), 'utf8')).split('\n');
  const names = await readdir(project);
  for (const line of lines) {
    const source = /^COPY (?!--from)(\S+) /.exec(line)?.[1];
    if (source !== undefined && source !== '.')
      t.same(
        names.filter((name) => new RegExp(`^${source.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name)),
        [`svc-lang-${version}.tgz`],
        line,
      );
  }
  await promisify(execFile)('tar', ['xf', join(project, `svc-lang-${version}.tgz`), '-C', join(cwd, 'image')]);
  const packed = join(cwd, 'image/package/dist/svcc.js');
  for (const template of Object.keys(TEMPLATES)) {
    await promisify(execFile)(process.execPath, [packed, 'new', `packed-${template}`, '--template', template], { cwd });
    await svcc(['new', `own-${template}`, '--template', template], { cwd });
    const [of, own] = await Promise.all(
      ['packed', 'own'].map((name) => readdir(join(cwd, `${name}-${template}`), { recursive: true })),
    );
    t.strictSame(of.sort(), own.sort(), `the package makes the same project of ${template}`);
  }
  const commands = lines
    .filter((line) => /^(RUN|CMD) .*svcc/.test(line))
    .map((line) => (line.startsWith('CMD') ? (JSON.parse(line.slice(4)) as string[]) : line.slice(4).split(' ')));
  t.equal(commands.length, 2);
  const [compile, run] = commands.map(([, ...args]) => args);
  const env = { ...process.env, NODE_OPTIONS: '' };
  await promisify(execFile)(process.execPath, [packed, ...compile], { cwd: project, env });
  const image = join(cwd, 'image');
  await copyFile(join(project, 'app.svcb'), join(image, 'app.svcb'));
  const server = spawn(process.execPath, [packed, ...run], { cwd: image, env: { ...env, PORT: '0' } });
  t.teardown(() => server.kill('SIGKILL'));
  const port = await new Promise<string>((resolve) => {
    let out = '';
    server.stdout.on('data', (text: Buffer) => {
      const found = /:(\d+)\n/.exec((out += text.toString()));
      if (found !== null) resolve(found[1]);
    });
  });
  t.match(await (await fetch(`http://127.0.0.1:${port}/static/style.css`)).text(), 'font-family');
});

t.test('projects with a secret have one of their own', async (t) => {
  const cwd = t.testdir();
  const secrets = new Set<string>();
  for (const [name, template] of [
    ['one', 'api'],
    ['two', 'api'],
    ['three', 'pages'],
  ]) {
    await svcc(['new', name, '--template', template], { cwd });
    const project = join(cwd, name);
    const settings = await readFile(join(project, '.env'), 'utf8');
    const [line, secret] = /^[A-Z]+_SECRET=([0-9a-f]{64})$/m.exec(settings)!;
    secrets.add(secret);
    t.equal((await stat(join(project, '.env'))).mode & 0o777, 0o600, 'for its owner alone');
    const example = line.replace(secret, '');
    t.equal(await readFile(join(project, '.env.example'), 'utf8'), settings.replace(line, example));
    for (const file of ['.gitignore', '.dockerignore'])
      t.match(await readFile(join(project, file), 'utf8'), /^\.env\n[^]*^(?:app\.db\*|\*\.db\n\*\.db-\*)\n$/m);
    await rm(join(project, '.env'));
    const started = await svcc(['run', 'app.svc'], { cwd: project });
    t.match(started.stderr, `${example}`.replace('=', ' is missing: copy .env.example to .env and fill it in'));
    t.equal(started.exitCode, 1);
  }
  t.equal(secrets.size, 3);
});

t.test('the token of an API needs a name and a secret', async (t) => {
  const project = join(await made(t, 'api'), 'shop');
  const usage = {
    stdout: '',
    stderr: 'usage: svcc run token.svc NAME, with TOKEN_SECRET in .env or in the environment\n',
    exitCode: 2,
  };
  t.strictSame(await svcc(['run', 'token.svc'], { cwd: project }), usage);
  await rm(join(project, '.env'));
  t.strictSame(await svcc(['run', 'token.svc', 'ann'], { cwd: project }), usage);
});

t.test('the help lists the templates', async (t) => {
  for (const args of [
    ['new', '--help'],
    ['help', 'new'],
  ]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    t.equal(`${exitCode}${stderr}`, '0');
    t.match(stdout, /--template <name> .*\(default: "basic"\)/);
    for (const [name, about] of Object.entries(TEMPLATES))
      t.equal(stdout.split('\n').filter((line) => line === `  ${name.padEnd(6)} ${about}`).length, 1, name);
  }
});

t.test('an unknown template is refused, and nothing is written', async (t) => {
  const cwd = t.testdir();
  const message = (name: string, hint = ''): string =>
    `svcc: there is no template '${name}': choose basic, api, pages or live${hint}\n`;
  for (const name of ['nope', '', '../api', 'constructor', 'API', 'shared'])
    t.strictSame(await svcc(['new', 'x', '--template', name], { cwd }), {
      stdout: '',
      stderr: message(name),
      exitCode: 2,
    });
  for (const [name, meant] of [
    ['page', 'pages'],
    ['lvie', 'live'],
    ['apis', 'api'],
  ]) {
    const stderr = message(name, ` (did you mean ${meant}?)`);
    t.strictSame(await svcc(['new', 'x', `--template=${name}`], { cwd }), { stdout: '', stderr, exitCode: 2 });
  }
  assertRefused(t, await svcc(['new', 'x', '--template'], { cwd }), 2, /'--template <name>' argument missing/, {
    lines: 3,
  });
  t.strictSame(await readdir(cwd), []);
});

t.test('an impossible project is refused, and nothing is written', async (t) => {
  const cwd = t.testdir({ shop: { 'mine.txt': 'kept' } });
  assertRefused(t, await svcc(['new', 'shop'], { cwd }), 2, /shop already exists/, { lines: 1 });
  assertRefused(
    t,
    await svcc(['new', 'My Shop'], { cwd }),
    2,
    /'My Shop' is not a valid project name: use at most 64/,
    {
      lines: 1,
    },
  );
  assertRefused(t, await svcc(['new', 'a/b'], { cwd }), 2, /the folder .* does not exist; create it first/, {
    lines: 1,
  });
  assertRefused(t, await svcc(['new'], { cwd }), 2, /missing required argument 'name'/, { lines: 3 });
  assertRefused(
    t,
    await svcc(['new', 'shop/mine.txt/x'], { cwd }),
    2,
    /the folder .*mine\.txt does not exist; create it first/,
    { lines: 1 },
  );
  t.strictSame(await readdir(cwd, { recursive: true }), ['shop', 'shop/mine.txt']);
  t.equal((await stat(join(cwd, 'shop/mine.txt'))).size, 4);
});
