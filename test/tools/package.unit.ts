import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ROOT } from '../svcc/svcc.js';

t.jobs = 2;

/** Runs npm. @returns what it prints on stdout @throws Error if it fails */
async function npm(...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await promisify(execFile)('npm', args, { cwd: ROOT, env, maxBuffer: 1e8 })).stdout;
}

/** Targets of a Markdown text's relative links, and of the tests that the contract names, as paths in the project. */
function targets(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link.replace(/#.*/, ''))
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link));
  const tests = path.endsWith('web-contract.md')
    ? [...text.matchAll(/`((?:spec-tests|test)\/[^`]+)`/g)].map(([, test]) => test)
    : [];
  return [...links.map((link) => normalize(join(dirname(path), link)).replace(/\/$/, '')), ...tests];
}

/** Paths of all files in the package. */
async function packedFiles(): Promise<Set<string>> {
  const [{ files }] = JSON.parse(await npm('pack', '--dry-run', '--ignore-scripts', '--json')) as [
    { files: { path: string }[] },
  ];
  return new Set(files.map(({ path }) => path));
}

const packing = packedFiles();

t.test('every template of `svcc new` is in the package', async (t) => {
  const packed = await packing;
  const entries = readdirSync(join(ROOT, 'templates'), { recursive: true, encoding: 'utf8' });
  const files = entries.map((entry) => `templates/${entry}`).filter((path) => statSync(join(ROOT, path)).isFile());
  t.ok(files.length > 30, `${files.length} files`);
  t.same(
    files.filter((path) => !packed.has(path)),
    [],
  );
});

t.test('every link of a packed text has its target in the package', async (t) => {
  const packed = await packing;
  const leadsTo = (target: string): boolean =>
    packed.has(target) || [...packed].some((path) => path.startsWith(`${target}/`));
  const texts = [...packed].filter((path) => path.endsWith('.md'));
  const links = texts.flatMap((path) => targets(path).map((target) => ({ path, target })));
  t.ok(links.length > 400, `${links.length} links`);
  t.same(
    links.filter(({ target }) => !leadsTo(target)).map(({ path, target }) => `${path}: ${target}`),
    [],
  );
});

t.test('prepare does not build when the contents of the sources are unchanged', async (t) => {
  const built = statSync(join(ROOT, 'dist/svcc.js')).mtimeMs;
  const source = join(ROOT, 'svcc/main.ts');
  const { atime, mtime } = statSync(source);
  utimesSync(source, new Date(), new Date());
  t.teardown(() => utimesSync(source, atime, mtime));
  t.match(await npm('run', 'prepare'), /^dist\/ is up to date$/m, 'times of files do not matter');
  t.equal(statSync(join(ROOT, 'dist/svcc.js')).mtimeMs, built);
});
