import { execFile, spawn } from 'node:child_process';
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { assertRefused } from './refusals.js';
import { ROOT, Svcc, svcc } from './svcc.js';

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.jobs = 4;

t.test('a new project passes its own test', async (t) => {
  const cwd = t.testdir();
  const made = await svcc(['new', 'shop'], { cwd });
  t.match(made.stdout, /^made shop; continue with\n\n {4}cd shop\n {4}svcc run test\/routes_test\.svc\n/);
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
  const tested = await svcc(['run', 'test/routes_test.svc'], { cwd: project });
  t.match(tested.stdout, /ok - the front page\nok - a greeting\nok - files\n$/);
  t.equal(`${tested.exitCode}${tested.stderr}`, '0');
  const checked = await svcc(['check', '--strict', 'app.svc', 'test/routes_test.svc'], { cwd: project });
  t.strictSame(checked, { stdout: '', stderr: '', exitCode: 0 });
  t.match(await readFile(join(project, 'README.md'), 'utf8'), `svc-lang-${version}.tgz`);
  for (const file of ['app.svc', 'routes.svc', 'README.md', 'Dockerfile'])
    t.notMatch(await readFile(join(project, file), 'utf8'), '{{', file);
});

t.test('a new project runs from an artefact, as in its container', async (t) => {
  const cwd = t.testdir({ elsewhere: {} });
  await svcc(['new', 'shop'], { cwd });
  const compiled = await svcc(['compile', 'app.svc', '--assets', 'public', '--output', '../elsewhere/app.svcb'], {
    cwd: join(cwd, 'shop'),
  });
  t.equal(`${compiled.exitCode}${compiled.stderr}`, '0');
  const server = new Svcc(['run', '--port', '0', 'app.svcb'], { cwd: join(cwd, 'elsewhere') });
  const base = `http://127.0.0.1:${await server.port()}`;
  t.match(await (await fetch(`${base}/static/style.css`)).text(), 'font-family');
  t.match(await (await fetch(base)).text(), '<h1>shop</h1>');
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
