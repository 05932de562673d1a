import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CODE, faulty, Project, sealedCode, TEMPORARY } from './cachefixture.js';
import { svcc } from './svcc.js';

// Generated code that `svcc run` keeps beside the entry of a program.

/** `twice` is compiled. Its code has the number 1000 in it, and no other code has. */
const PROGRAM = `def twice(i)
  i * 2 + 1000
end
puts (1..50).map { |i| twice(i) }.sum
`;
const RIGHT = { stdout: '52550\n', stderr: '', exitCode: 0 };

t.jobs = 3;

function codeOf(project: Project): string[] {
  return existsSync(project.cache) ? readdirSync(project.cache).filter((name) => CODE.test(name)) : [];
}

/** A project that has been run, and the path of its code. */
async function kept(t: Test, program = PROGRAM): Promise<{ project: Project; path: string }> {
  const project = new Project(t, { 'app.svc': program });
  await project.run();
  const names = codeOf(project);
  t.equal(names.length, 1);
  return { project, path: join(project.cache, names[0]) };
}

/** Changes the code so that its results show that it was used. */
function forge(path: string, from = '1000', to = '2000'): void {
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8', 0, bytes.length / 2);
  writeFileSync(path, sealedCode(text.replaceAll(from, to)));
}

t.test('the next run uses it and writes nothing', async (t) => {
  const { project, path } = await kept(t);
  t.equal(statSync(path).mode & 0o777, 0o600, 'only the user may read and write it');
  forge(path);
  const { ino, mtimeMs } = statSync(path);
  // The first calls are interpreted.
  t.match((await project.run()).stdout, /^(9[0-9]|10[0-2])...\n/);
  t.strictSame([statSync(path).ino, statSync(path).mtimeMs], [ino, mtimeMs]);
  t.strictSame(await project.run('app.svc', { flags: ['--no-cache'] }), RIGHT);
});

/** Tells on stderr whether the generator was loaded. */
const WATCH = `const vm = require('node:vm');
const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, options) {
    super(text, options);
    if (options.filename.endsWith('generator.js')) process.stderr.write('generator');
  }
};
`;

t.test('the generator is loaded only for code that is not kept', async (t) => {
  const project = new Project(t, { 'app.svc': PROGRAM, 'watch.cjs': WATCH });
  const env = { NODE_OPTIONS: `--require ${join(project.cwd, 'watch.cjs')}` };
  t.strictSame(await project.run('app.svc', { env }), { ...RIGHT, stderr: 'generator' });
  t.strictSame(await project.run('app.svc', { env }), RIGHT);
});

t.test('nothing is kept of programs that have no hot code, without a cache, and under other settings', async (t) => {
  const project = new Project(t, { 'cold.svc': 'puts 1', 'app.svc': PROGRAM });
  t.equal((await project.run('cold.svc')).stdout, '1\n');
  for (const env of [{ SVC_JIT: '0' }, { SVC_JIT: 'off' }, { SVC_SLICE: '1' }] as Record<string, string>[])
    t.strictSame(await project.run('app.svc', { env }), RIGHT);
  t.strictSame(await project.run('app.svc', { flags: ['--no-cache'] }), RIGHT);
  t.strictSame(codeOf(project), []);
});

t.test('code of other settings than the usual ones is not used', async (t) => {
  const { project, path } = await kept(t);
  forge(path);
  t.strictSame(await project.run('app.svc', { env: { SVC_JIT: '0' } }), RIGHT);
  t.strictSame(await project.run('app.svc', { env: { SVC_SLICE: '3' } }), RIGHT);
});

t.test('it is kept however the program ends', async (t) => {
  for (const [end, exitCode] of [
    ['exit(3)', 3],
    ['raise "at the end"', 1],
    ['spawn { exit(4) }\nsleep(60)', 4],
  ] as const) {
    const project = new Project(t, { 'app.svc': `${PROGRAM}${end}\n` });
    t.equal((await project.run()).exitCode, exitCode);
    t.equal(codeOf(project).length, 1, end);
  }
});

t.test('it belongs to one version of the program', async (t) => {
  const { project, path } = await kept(t);
  forge(path);
  project.write('app.svc', PROGRAM.replace('i * 2', 'i * 3'));
  t.equal((await project.run()).stdout, '53825\n');
  t.equal((await project.run()).stdout, '53825\n');
  project.write('app.svc', PROGRAM);
  forge(path);
  t.strictSame(await project.run(), RIGHT, 'the entry is a new one, though the text is that of the first version');
});

t.test('damaged code is ignored', async (t) => {
  const { project, path } = await kept(t);
  const good = readFileSync(path);
  const damaged: Record<string, Buffer> = { 'an empty file': Buffer.alloc(0), 'three bytes': good.subarray(0, 3) };
  for (const part of [0.1, 0.5, 0.9]) {
    const at = Math.floor(good.length * part);
    damaged[`the first ${at} bytes`] = good.subarray(0, at);
    const changed = Buffer.from(good);
    changed[at] ^= 1;
    damaged[`byte ${at} changed`] = changed;
  }
  for (const [what, bytes] of Object.entries(damaged)) {
    writeFileSync(path, bytes);
    t.strictSame(await project.run(), RIGHT, what);
    t.ok(readFileSync(path).length > good.length / 2, 'it is stored again');
  }
});

t.test('files that others may have written are ignored', async (t) => {
  const { project, path } = await kept(t);
  forge(path);
  chmodSync(path, 0o620);
  t.strictSame(await project.run(), RIGHT, 'writable by the group');
  const forged = join(project.cwd, 'forged');
  forge(path);
  writeFileSync(forged, readFileSync(path), { mode: 0o600 });
  rmSync(path);
  symlinkSync(forged, path);
  t.strictSame(await project.run(), RIGHT, 'a symbolic link');
  rmSync(path);
  mkdirSync(path);
  t.strictSame(await project.run(), RIGHT, 'a folder');
});

t.test('where it cannot be written, the program runs', async (t) => {
  for (const [call, error] of [
    ['writeFileSync', 'ENOSPC'],
    ['renameSync', 'EACCES'],
    ['openSync', 'EMFILE'],
  ]) {
    const project = new Project(t, { 'app.svc': PROGRAM });
    await project.run('app.svc', { env: { SVC_JIT: 'off' } });
    t.strictSame(await project.run('app.svc', { env: faulty(t, { call, error }) }), RIGHT, call);
    t.strictSame(codeOf(project), []);
    t.notOk(readdirSync(project.cache).some((name) => TEMPORARY.test(name)));
  }
});

t.test('kill -9 at each call while it is written', async (t) => {
  const project = new Project(t, { 'app.svc': PROGRAM });
  await project.run('app.svc', { env: { SVC_JIT: 'off' } });
  for (let dieAt = 1; ; dieAt++) {
    const victim = await project.run('app.svc', { env: faulty(t, { dieAt }) });
    if (victim.exitCode !== null) break;
    t.ok(dieAt < 40);
    t.strictSame(await project.run('app.svc', { env: { SVC_JIT: 'off' } }), RIGHT);
  }
  t.strictSame(await project.run(), RIGHT);
});

t.test('cache info counts it with its entry, cache clear removes both', async (t) => {
  const { project, path } = await kept(t);
  const env = { SVC_CACHE_DIR: project.cache };
  const size = Math.round((statSync(path).size + statSync(project.entry()).size) / 1024);
  t.match((await svcc(['cache', 'info'], { env })).stdout, `entries  1\nsize     ${size} KB`);
  t.equal((await svcc(['cache', 'clear'], { env })).stdout, '1 entry removed\n');
  t.strictSame(readdirSync(project.cache), []);
});

t.test('an entry that is removed for room takes its code with it', async (t) => {
  const { project } = await kept(t);
  project.write('other.svc', PROGRAM.replace('1000', '3000'));
  const env = { SVC_CACHE_BYTES: '1' };
  t.equal((await project.run('other.svc', { env })).stdout, '152550\n');
  t.equal(project.entries().length, 1);
  t.equal(codeOf(project).length, 1);
  t.equal(codeOf(project)[0].slice(0, 8), project.entries()[0].slice(0, 8), 'code and entry of the other program');
});
