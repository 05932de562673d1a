import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { isInShare } from '../share.js';
import { compilerWasLoaded, type Fault, faulty, parts, Project, sealed, TEMPORARY } from './cachefixture.js';
import { svcc } from './svcc.js';

// Only a build has a cache. The builder defines SVC_BUILD; the sources read it from the globals.
(globalThis as { SVC_BUILD?: string }).SVC_BUILD = 'test';
const { fromCache, intoCache } = await import('../../svcc/cache.js');
const { store } = await import('../../svcc/cachefiles.js');

const ROOT_USER = process.getuid?.() === 0;
const NO_ROOT = { skip: ROOT_USER && 'root may read and write everything' };
const HOUR_MS = 3_600_000;

t.jobs = 3;

/** Runs a synchronous action with variables of the environment. */
function within<T>(env: Record<string, string>, action: () => T): T {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return action();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

t.test('the second run reads the entry and does not load the compiler', async (t) => {
  const project = new Project(t, {
    'app.svc': 'require "lib/b"\nputs twice(21)',
    lib: { 'b.svc': 'def twice(x)\n  x * 2\nend' },
  });
  const right = { stdout: '42\n', stderr: '', exitCode: 0 };
  const coverage = (name: string): string => join(t.testdirName, name);
  t.strictSame(await project.run('app.svc', { env: { NODE_V8_COVERAGE: coverage('first') } }), right);
  const { ino, mtimeMs, mode } = statSync(project.entry());
  t.equal(mode & 0o777, 0o600, 'only the user may read and write it');
  t.strictSame(await project.run('app.svc', { env: { NODE_V8_COVERAGE: coverage('second') } }), right);
  const after = statSync(project.entry());
  t.strictSame([after.ino, after.mtimeMs], [ino, mtimeMs], 'nothing was written');
  t.strictSame(
    await project.run('app.svc', { flags: ['--no-cache'], env: { NODE_V8_COVERAGE: coverage('third') } }),
    right,
  );
  t.strictSame(
    ['first', 'second', 'third'].map((name) => compilerWasLoaded(coverage(name))),
    [true, false, true],
  );
});

t.test('--no-cache neither writes nor reads entries', async (t) => {
  const project = new Project(t, { 'app.svc': 'puts "right"' });
  t.equal((await project.run('app.svc', { flags: ['--no-cache'] })).stdout, 'right\n');
  t.notOk(existsSync(project.cache));
  await forge(project);
  t.equal((await project.run()).stdout, 'forged\n', 'the output shows that the entry was used');
  t.equal((await project.run('app.svc', { flags: ['--no-cache'] })).stdout, 'right\n');
});

t.test('errors are the same from the cache', async (t) => {
  const project = new Project(t, {
    'app.svc': 'require "lib/b"\nputs "before"\ndef f(x)\n  twice(x) \\\n    .upcase\nend\nf(nil)',
    lib: { 'b.svc': '# Ünïcode before it\ndef twice(x)\n  y = "é" ; x * 2\nend' },
  });
  const first = await project.run();
  t.equal(first.exitCode, 1);
  t.equal(first.stdout, 'before\n');
  t.match(
    first.stderr,
    /y = "é" ; x \* 2\n\s+\| +\^\n.*lib\/b\.svc:3 in twice\n.*app\.svc:4 in f\n.*app\.svc:7/,
    'source line, caret and backtrace',
  );
  t.equal(project.entries().length, 1);
  t.strictSame(await project.run(), first);
  t.strictSame(await project.run('app.svc', { flags: ['--no-cache'] }), first);
  const otherName = await project.run('./app.svc');
  t.strictSame(
    otherName,
    await project.run('./app.svc', { flags: ['--no-cache'] }),
    'files are named as the command line names them',
  );
  t.match(otherName.stderr, './app.svc:7');
});

t.test('exit codes are the same from the cache', async (t) => {
  const project = new Project(t, { 'app.svc': 'puts "out"\nexit(7)' });
  const first = await project.run();
  t.strictSame(first, { stdout: 'out\n', stderr: '', exitCode: 7 });
  t.strictSame(await project.run(), first);
});

t.test('warnings and errors of the compiler are shown every time', async (t) => {
  const project = new Project(t, { 'app.svc': 'const A = 1\nA = 2\nputs A', 'bad.svc': 'puts (' });
  for (const file of ['app.svc', 'bad.svc']) {
    const first = await project.run(file);
    t.match(first.stderr, `${file}:`, `${file} has something to say`);
    t.strictSame(await project.run(file), first);
    t.strictSame(await project.run(file, { flags: ['--no-cache'] }), first);
  }
});

t.test('a changed text of the same size and time is noticed', async (t) => {
  const project = new Project(t, { 'app.svc': 'require "b"\nputs "app 1 #{b()}"', 'b.svc': 'def b\n  1\nend' });
  for (const name of ['app.svc', 'b.svc']) utimesSync(join(project.cwd, name), 1_000_000_000, 1_000_000_000);
  t.equal((await project.run()).stdout, 'app 1 1\n');
  const replace = (name: string, text: string): void => {
    const path = join(project.cwd, name);
    const { atime, mtime, size } = statSync(path);
    writeFileSync(path, text);
    utimesSync(path, atime, mtime);
    t.strictSame([statSync(path).size, statSync(path).mtimeMs], [size, mtime.getTime()]);
  };
  replace('b.svc', 'def b\n  2\nend');
  t.equal((await project.run()).stdout, 'app 1 2\n');
  replace('app.svc', 'require "b"\nputs "app 3 #{b()}"');
  t.equal((await project.run()).stdout, 'app 3 2\n');
  t.equal(project.entries().length, 1, 'the entry is replaced');
});

t.test('a module that appears or disappears is noticed', async (t) => {
  const project = new Project(t, {
    'app.svc': 'require "lib/a"',
    'b.svc': 'puts "working directory"',
    lib: { 'a.svc': 'require "b"' },
  });
  t.equal((await project.run()).stdout, 'working directory\n');
  project.write('lib/b.svc', 'puts "beside"');
  t.equal((await project.run()).stdout, 'beside\n', 'the folder of the requiring file comes first');
  rmSync(join(project.cwd, 'lib/b.svc'));
  t.equal((await project.run()).stdout, 'working directory\n');
  rmSync(join(project.cwd, 'b.svc'));
  const none = await project.run();
  t.equal(none.exitCode, 2);
  t.strictSame(none, await project.run('app.svc', { flags: ['--no-cache'] }));
});

t.test('a changed or missing stitch is noticed', async (t) => {
  const project = new Project(t, {
    'app.svc': 'stitch "s"\nputs greeting()',
    stitches: { 's.svc': 'def greeting\n  "hello"\nend' },
  });
  const path = join(project.cwd, 'stitches/s.svc');
  const outside = (): ReturnType<Project['run']> => project.run(join(project.cwd, 'app.svc'), { cwd: t.testdirName });
  const first = await outside();
  writeFileSync(path, 'def greeting\n  "howdy"\nend');
  const second = await outside();
  t.strictSame([first.stdout, second.stdout], ['hello\n', 'howdy\n']);
  rmSync(path);
  t.equal((await outside()).exitCode, 2);
});

t.test('each working directory has its own entry', async (t) => {
  const project = new Project(t, {
    'app.svc': 'require "b"\nputs 1 + nil',
    one: { 'b.svc': 'puts "one"' },
    two: { 'b.svc': 'puts "two"' },
  });
  const app = join(project.cwd, 'app.svc');
  for (const name of ['one', 'two', 'one']) {
    const { stdout, stderr } = await project.run(app, { cwd: join(project.cwd, name) });
    t.equal(stdout, `${name}\n`);
    t.match(stderr, `${app}:2`);
  }
  t.equal(project.entries().length, 2);
});

/**
 * Writes a valid entry for `app.svc` whose program prints `forged`: output shows whether the entry is used. Returns the
 * program in it.
 */
async function forge(project: Project): Promise<Buffer> {
  const text = readFileSync(join(project.cwd, 'app.svc'), 'utf8');
  await project.run();
  const { manifest, sources } = parts(readFileSync(project.entry()));
  project.write('app.svc', 'puts "forged"');
  await project.run();
  const { program } = parts(readFileSync(project.entry()));
  project.write('app.svc', text);
  writeFileSync(project.entry(), sealed({ manifest, sources, program }));
  return program;
}

/** Changes that make the entry of `forge` invalid. */
const BAD: Record<string, (path: string) => void> = {
  'with a changed byte': (path) => {
    const bytes = readFileSync(path);
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(path, bytes);
  },
  "sealed as another program's or another build's": (path) => {
    const entry = parts(readFileSync(path));
    writeFileSync(path, sealed({ ...entry, manifest: entry.manifest.replace('"key":["', '"key":["x') }));
  },
  'whose program is cut off': (path) => {
    const entry = parts(readFileSync(path));
    writeFileSync(path, sealed({ ...entry, program: entry.program.subarray(0, -1) }));
  },
  'that is cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)),
  'that is empty': (path) => writeFileSync(path, ''),
  'that all may write': (path) => chmodSync(path, 0o666),
  'that the group may write': (path) => chmodSync(path, 0o620),
  'of another user': (path) => chownSync(path, 65534, 65534),
  'that may not be read': (path) => chmodSync(path, 0),
  'that is a symbolic link to a good one': (path) => {
    copyFileSync(path, `${path}~`);
    chmodSync(`${path}~`, 0o600);
    rmSync(path);
    symlinkSync(`${path}~`, path);
  },
  'that is a directory': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'that is a pipe': (path) => {
    rmSync(path);
    execFileSync('mkfifo', [path]);
  },
};

function unlikely(what: string): string | false {
  if (what === 'of another user') return !ROOT_USER && 'only root can give files away';
  return what === 'that may not be read' && NO_ROOT.skip;
}

t.test('an invalid entry is ignored', { timeout: 60_000 }, async (t) => {
  const project = new Project(t, { 'app.svc': 'puts "right"' });
  const program = await forge(project);
  const good = project.entry();
  t.equal((await project.run()).stdout, 'forged\n', 'the entry is valid before the change');
  t.jobs = 2;
  for (const [what, spoil] of Object.entries(BAD).filter(([what]) => isInShare(what))) {
    t.test(`an entry ${what} is ignored`, { skip: unlikely(what) }, async (t) => {
      const path = join(t.testdir(), basename(good));
      copyFileSync(good, path);
      spoil(path);
      const env = { SVC_CACHE_DIR: t.testdirName };
      const wasDirectory = lstatSync(path).isDirectory();
      t.strictSame(await project.run('app.svc', { env }), { stdout: 'right\n', stderr: '', exitCode: 0 });
      t.strictSame(
        readdirSync(t.testdirName).filter((name) => TEMPORARY.test(name)),
        [],
        'no temporary files',
      );
      if (wasDirectory) return;
      const { mode, uid } = lstatSync(path);
      t.strictSame(
        [lstatSync(path).isFile(), mode & 0o777, uid],
        [true, 0o600, process.getuid?.() ?? 0],
        'a valid entry has replaced it',
      );
      t.notOk(parts(readFileSync(path)).program.equals(program));
    });
  }
});

t.test('changed bits, truncated entries and wrong lists of files are noticed', async (t) => {
  const folder = t.testdir({ 'app.svc': 'puts 1', cache: {} });
  const path = join(folder, 'app.svc');
  within({ SVC_CACHE_DIR: join(folder, 'cache') }, () => {
    const payload = Buffer.from('what the compiler made');
    intoCache(
      path,
      { files: [{ shown: 'app.svc', path, bytes: Buffer.from('puts 1') }], absent: [], listings: [] },
      payload,
    );
    const [name] = readdirSync(join(folder, 'cache'));
    const file = join(folder, 'cache', name);
    const bytes = readFileSync(file);
    const { payload: found, texts } = fromCache(path) ?? {};
    t.strictSame({ found, texts }, { found: payload, texts: new Map([['app.svc', 'puts 1']]) });
    const taken: string[] = [];
    const spoilt = (what: string, content: Buffer): void => {
      writeFileSync(file, content);
      if (fromCache(path) !== null) taken.push(what);
    };
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(bytes);
        changed[at] ^= 1 << bit;
        spoilt(`bit ${bit} of byte ${at}`, changed);
      }
      spoilt(`the first ${at} bytes`, bytes.subarray(0, at));
    }
    spoilt('a byte more', Buffer.concat([bytes, Buffer.alloc(1)]));
    const entry = parts(bytes);
    const { manifest } = entry;
    const listing = (text: string): Buffer => sealed({ ...entry, manifest: text });
    spoilt('a list of files that is no list', listing('{}'));
    spoilt('a list of files that is no JSON', listing(manifest.slice(1)));
    spoilt('a list of files that ends after the entry', sealed(entry, 0xffffffff));
    spoilt('other bytes of a file', sealed({ ...entry, sources: Buffer.from('puts 2') }));
    spoilt('a wrong size of a file', listing(manifest.replace('"size":6', '"size":5')));
    spoilt('a file that is missing', listing(manifest.replaceAll('app.svc', 'none.svc')));
    spoilt(
      'a file that has appeared',
      listing(manifest.replace('"absent":[]', `"absent":[${JSON.stringify(folder)}]`)),
    );
    spoilt('another build', listing(manifest.replace('"key":["', '"key":["x')));
    spoilt(
      'another working directory',
      listing(manifest.replace(JSON.stringify(process.cwd()), JSON.stringify(folder))),
    );
    spoilt('another program', listing(manifest.replace(`${JSON.stringify(path)}],"files"`, '"other.svc"],"files"')));
    t.strictSame(taken, []);
    writeFileSync(file, sealed(entry));
    t.not(fromCache(path), null, 'the unchanged entry is used');
  });
});

/** Environments with unusable cache folders, for the path of a test's folder. */
const FOLDERS: Record<string, (folder: string) => Record<string, string>> = {
  'that is missing with those above it': (folder) => ({ SVC_CACHE_DIR: join(folder, 'x/y/z') }),
  'that is a file': (folder) => ({ SVC_CACHE_DIR: join(folder, 'file') }),
  'below a file': (folder) => ({ SVC_CACHE_DIR: join(folder, 'file/x') }),
  'that is a symbolic link to nothing': (folder) => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    return { SVC_CACHE_DIR: join(folder, 'link') };
  },
  'with an empty name and no home': () => ({ SVC_CACHE_DIR: '', HOME: '' }),
  'with too long a name': (folder) => ({ SVC_CACHE_DIR: join(folder, 'x'.repeat(300)) }),
};

for (const [what, environment] of Object.entries(FOLDERS)) {
  t.test(`a cache folder ${what}: the program runs`, async (t) => {
    const project = new Project(t, { 'app.svc': 'puts "right"' });
    writeFileSync(join(t.testdirName, 'file'), 'mine');
    const env = environment(t.testdirName);
    t.strictSame(await project.run('app.svc', { env }), { stdout: 'right\n', stderr: '', exitCode: 0 });
    t.equal(readFileSync(join(t.testdirName, 'file'), 'utf8'), 'mine');
    t.strictSame(readdirSync(project.cwd), ['app.svc'], 'nothing appears beside the program');
  });
}

t.test('a cache folder that may not be written: the program runs', NO_ROOT, async (t) => {
  const project = new Project(t, { 'app.svc': 'puts "right"' });
  mkdirSync(project.cache, 0o500);
  for (let i = 0; i < 2; i++) t.strictSame(await project.run(), { stdout: 'right\n', stderr: '', exitCode: 0 });
  t.strictSame(readdirSync(project.cache), []);
});

t.test('the folder is $SVC_CACHE_DIR, else svc in $XDG_CACHE_HOME, else in ~/.cache', async (t) => {
  const { cwd } = new Project(t, { 'app.svc': 'puts "right"', sub: {} });
  const at = (name: string): string => join(t.testdirName, name);
  const cases: [env: Record<string, string>, folder: string][] = [
    [{ SVC_CACHE_DIR: at('one'), XDG_CACHE_HOME: at('never'), HOME: at('never') }, 'one'],
    [{ SVC_CACHE_DIR: '', XDG_CACHE_HOME: at('two'), HOME: at('never') }, 'two/svc'],
    [{ SVC_CACHE_DIR: '', XDG_CACHE_HOME: '', HOME: at('three') }, 'three/.cache/svc'],
    [{ SVC_CACHE_DIR: '', XDG_CACHE_HOME: 'relative', HOME: at('four') }, 'four/.cache/svc'],
  ];
  for (const [env, folder] of cases) {
    t.strictSame(await svcc(['run', 'app.svc'], { cwd, env }), { stdout: 'right\n', stderr: '', exitCode: 0 });
    t.equal(readdirSync(at(folder)).length, 1, folder);
  }
  t.notOk(existsSync(at('never')));
  t.notOk(existsSync(join(cwd, 'relative')));
});

/** Faults of the file system for all files of the cache. */
const FAULTS: Record<string, Fault> = {
  'a full disk while it is written (ENOSPC)': { call: 'writeFileSync', error: 'ENOSPC' },
  'a full disk when it is flushed (ENOSPC)': { call: 'fsyncSync', error: 'ENOSPC' },
  'no permission for the folder (EACCES)': { call: 'mkdirSync', error: 'EACCES' },
  'no permission to replace it (EACCES)': { call: 'renameSync', error: 'EACCES' },
  'a read-only file system (EROFS)': { call: 'openSync', error: 'EROFS', after: 1 },
  'too many open files (EMFILE)': { call: 'openSync', error: 'EMFILE' },
  'a broken disk (EIO)': { call: 'readFileSync', error: 'EIO' },
  'a folder that cannot be listed (EACCES)': { call: 'readdirSync', error: 'EACCES' },
};

for (const [what, fault] of Object.entries(FAULTS)) {
  t.test(`${what}: the program runs as without a cache`, async (t) => {
    const project = new Project(t, { 'app.svc': 'puts "right"' });
    t.strictSame(await project.run('app.svc', { env: faulty(t, fault) }), {
      stdout: 'right\n',
      stderr: '',
      exitCode: 0,
    });
    if (existsSync(project.cache))
      t.strictSame(
        readdirSync(project.cache).filter((name) => TEMPORARY.test(name)),
        [],
        'no temporary files',
      );
  });
}

t.test('an old entry on a read-only file system is used', async (t) => {
  const project = new Project(t, { 'app.svc': 'puts "right"' });
  await forge(project);
  const longAgo = new Date(Date.now() - 2 * HOUR_MS);
  utimesSync(project.entry(), longAgo, longAgo);
  t.equal(
    (await project.run('app.svc', { env: faulty(t, { call: 'futimesSync', error: 'EROFS' }) })).stdout,
    'forged\n',
  );
  await project.run();
  t.ok(statSync(project.entry()).mtimeMs > longAgo.getTime() + HOUR_MS, 'elsewhere its last use is recorded');
});

t.test('the entries that were not used for longest are removed', async (t) => {
  const folder = t.testdir({ cache: {}, 'a.svc': '' });
  const cache = join(folder, 'cache');
  const env = { SVC_CACHE_DIR: cache, SVC_CACHE_BYTES: '1000000' };
  const put = (name: string, limit = env.SVC_CACHE_BYTES): string =>
    within({ ...env, SVC_CACHE_BYTES: limit }, () => {
      const before = readdirSync(cache);
      intoCache(name, { files: [], absent: [], listings: [] }, Buffer.alloc(1000));
      return readdirSync(cache).find((other) => !before.includes(other)) ?? '';
    });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => put(name));
  t.equal(new Set(readdirSync(cache)).size, 6);
  // Last uses: c, d, e, f, b, a.
  for (const [i, n] of [2, 3, 4, 5, 1, 0].entries())
    utimesSync(join(cache, names[n]), 1_000_000_000 + (i * HOUR_MS) / 1000, 1_000_000_000 + (i * HOUR_MS) / 1000);
  const { size } = statSync(join(cache, names[0]));
  const newest = put('g', String(size * 4));
  t.strictSame(readdirSync(cache).sort(), [names[0], names[1], newest].sort(), 'three quarters of the limit remain');
  const tiny = put('h', '1');
  t.strictSame(readdirSync(cache), [tiny], 'the newest remains even if it exceeds the limit');
  // Also if a clock was wrong.
  utimesSync(join(cache, tiny), 4_000_000_000, 4_000_000_000);
  const last = put('i', '1');
  t.strictSame(readdirSync(cache), [last]);
  for (const limit of ['', 'abc', '-1', '1.5']) put(`${limit}x`, limit);
  t.equal(readdirSync(cache).length, 5, 'an invalid limit is ignored');
});

t.test('small files are removed now and then', async (t) => {
  const cache = t.testdir({});
  const [size, limit, count] = [1000, 100_000, 400];
  let looks = 0;
  let most = 0;
  within({ SVC_CACHE_BYTES: String(limit) }, () => {
    for (let i = 0; i < count; i++) {
      const before = readdirSync(cache).length;
      store(join(cache, `${i.toString(16).padStart(8, '0')}.svcc`), Buffer.alloc(size), false);
      const files = readdirSync(cache).length;
      if (files <= before) looks++;
      most = Math.max(most, files);
    }
  });
  // The chance that none of 200 calls looks is 1 in 400,000.
  t.ok(looks > 0 && looks < count / 4, `${looks} of ${count} calls removed files`);
  t.ok(most * size < limit + 200 * size, `${most} files`);
});

t.test('programs run with a cache that is too small', async (t) => {
  const project = new Project(t, { 'a.svc': 'puts "a"', 'b.svc': 'puts "b"' });
  for (const name of ['a', 'b', 'b', 'a']) {
    t.strictSame(await project.run(`${name}.svc`, { env: { SVC_CACHE_BYTES: '1' } }), {
      stdout: `${name}\n`,
      stderr: '',
      exitCode: 0,
    });
    t.equal(project.entries().length, 1);
  }
});

t.test('cache info and cache clear', async (t) => {
  const project = new Project(t, { 'a.svc': 'puts 1', 'b.svc': 'puts 2' });
  const env = { SVC_CACHE_DIR: project.cache };
  const clear = (): ReturnType<typeof svcc> => svcc(['cache', 'clear'], { env });
  t.match(
    (await svcc(['cache', 'info'], { env })).stdout,
    `folder   ${project.cache}\nentries  0\nsize     0 KB of at most 65536 KB\n`,
  );
  t.strictSame(await clear(), { stdout: '0 entries removed\n', stderr: '', exitCode: 0 });
  t.notOk(existsSync(project.cache), 'neither creates the folder');
  await project.run('a.svc');
  await project.run('b.svc');
  const name = project.entries()[0];
  const foreign = ['notes.txt', 'mine.svcc', 'notes.svcc.txt', `${name}.bak`, `x${name}`];
  for (const other of foreign) writeFileSync(join(project.cache, other), 'mine');
  mkdirSync(join(project.cache, '00000000.svcc'));
  writeFileSync(join(project.cache, `${name}.1.a`), 'a dead process left it');
  const info = await svcc(['cache', 'info'], { env: { ...env, SVC_CACHE_BYTES: '2048' } });
  t.strictSame(info, {
    stdout: `folder   ${project.cache}\nentries  2\nsize     1 KB of at most 2 KB\n`,
    stderr: '',
    exitCode: 0,
  });
  t.strictSame(await clear(), { stdout: '2 entries removed\n', stderr: '', exitCode: 0 });
  t.strictSame(
    readdirSync(project.cache).sort(),
    [...foreign, '00000000.svcc'].sort(),
    'files that are not entries remain',
  );
});
