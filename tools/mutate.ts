import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MUTATIONS, type Mutation } from './mutations/index.js';
import { mutated } from './mutations/mutation.js';

/**
 * `npm run mutate [-- TEXT …]`: makes each listed mistake in a copy of the sources and runs the tests named for it,
 * which must fail. TEXT selects the mutations whose name, file or tests contain it. The exit code is 1 if fewer than
 * MIN_SHARE are caught.
 */
const ROOT = resolve(import.meta.dirname, '..');
const COPY = join(ROOT, `.tap/mutants-${process.pid}`);
const COPIED = [
  'vm',
  'compiler',
  'natives',
  'svcc',
  'tools',
  'test',
  'spec-tests',
  'examples',
  'templates',
  'docs',
  '.taprc',
  'CHANGELOG.md',
  'README.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const MIN_SHARE = 0.9;
/** Milliseconds until a hanging test is stopped. A mutation that makes a test hang is caught. */
const LIMIT_MS = 300_000;

/** Copies the sources. Tests that run programs in their own process use the copy, without a bundle. */
function copySources(): void {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const name of COPIED)
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
  const settings = JSON.parse(readFileSync(join(COPY, 'package.json'), 'utf8')) as { imports: Record<string, unknown> };
  settings.imports['#embed'] = './svcc/embed.ts';
  writeFileSync(join(COPY, 'package.json'), JSON.stringify(settings));
}

/** Whether a command succeeds in the copy. */
function succeeds(args: string[], env: Record<string, string> = {}): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: COPY, env: { ...process.env, ...env }, stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      done(code === 0);
    });
  });
}

/**
 * Whether a test passes. `file#text` runs the programs of the file whose name contains the text; `spec:text` runs the
 * programs of `spec-tests/` whose path contains it, interpreted and compiled; `web:text` runs those with exchanges.
 */
async function passes(test: string): Promise<boolean> {
  const tap = ['--import=tap', '--import=tsx'];
  if (!/^(spec|web):/.test(test)) {
    const [file, only = ''] = test.split('#');
    return succeeds([...tap, file], { SVC_ONLY: only, TAP_BAIL: '1', TAP_TIMEOUT: '600' });
  }
  const env = { SVC_SPEC: test.slice(test.indexOf(':') + 1), TAP_BAIL: '1', TAP_TIMEOUT: '600' };
  if (test.startsWith('web:')) return succeeds([...tap, 'test/web/exchanges.test.ts'], env);
  return (
    (await succeeds([...tap, 'test/spec/language.test.ts'], env)) &&
    succeeds([...tap, 'test/spec/language-jit.test.ts'], env)
  );
}

/** Builds the bundle for tests of the command line and of servers, which run it in processes of their own. */
async function prepare(mutation: Mutation): Promise<void> {
  if (mutation.bundle === true) await succeeds(['--import=tsx', 'tools/build.ts']);
}

const sound = new Map<string, boolean>();

/** Checks that the tests pass without a mutation; otherwise their failure would show nothing. */
async function checkSound(mutation: Mutation): Promise<void> {
  for (const test of mutation.tests) {
    if (!sound.has(test)) {
      await prepare(mutation);
      sound.set(test, await passes(test));
    }
    if (sound.get(test) !== true) throw new Error(`${test} fails without any mutation`);
  }
}

async function isCaught(mutation: Mutation): Promise<boolean> {
  const path = join(COPY, mutation.file);
  const source = readFileSync(path, 'utf8');
  const changed = mutated(source, mutation);
  if (changed === null) throw new Error(`${mutation.name}: ${mutation.file} must hold exactly once: ${mutation.from}`);
  writeFileSync(path, changed);
  try {
    await prepare(mutation);
    for (const test of mutation.tests) if (!(await passes(test))) return true;
    return false;
  } finally {
    writeFileSync(path, source);
  }
}

const wanted = process.argv.slice(2);
const chosen = MUTATIONS.filter(
  ({ name, file, tests }) =>
    wanted.length === 0 || wanted.some((text) => [name, file, ...tests].some((part) => part.includes(text))),
);
copySources();
const survivors: Mutation[] = [];
for (const mutation of chosen) {
  if (!existsSync(join(COPY, mutation.file))) throw new Error(`${mutation.name}: there is no ${mutation.file}`);
  await checkSound(mutation);
  const caught = await isCaught(mutation);
  if (!caught) survivors.push(mutation);
  console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${mutation.file}: ${mutation.name}`);
}
rmSync(COPY, { recursive: true, force: true });
const share = chosen.length === 0 ? 1 : 1 - survivors.length / chosen.length;
console.log(
  `${chosen.length - survivors.length} of ${chosen.length} mutations are caught: ${(share * 100).toFixed(1)} %`,
);
process.exitCode = share < MIN_SHARE ? 1 : 0;
