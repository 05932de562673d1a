import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { cacheInfo, clearCache } from '../../svcc/cachefiles.js';
import { keepV8Code, keptV8Code } from '../../svcc/v8code.js';

/** Larger than the pieces in which copies are compared, and no multiple of them. */
const CODE = randomBytes(200_008);
const COMPILED = { createCachedData: () => CODE };
const HOUR_MS = 3_600_000;

/** An empty cache, with the variables of the environment. @returns its folder */
function emptyCache(test: Test, env: { NODE_OPTIONS?: string; SVC_CACHE_BYTES?: string } = {}): string {
  const cache = join(test.testdir({}), 'cache');
  const before = { ...process.env };
  Object.assign(process.env, { NODE_OPTIONS: '', SVC_CACHE_DIR: cache, ...env });
  test.teardown(() => {
    for (const name of ['NODE_OPTIONS', 'SVC_CACHE_DIR', 'SVC_CACHE_BYTES']) delete process.env[name];
    Object.assign(process.env, before);
  });
  return cache;
}

/** Path of the only file of the cache. */
function fileIn(cache: string): string {
  const names = readdirSync(cache);
  if (names.length !== 1) throw new Error(`files in the cache: ${names.join(' ')}`);
  return join(cache, names[0]);
}

/** Whether the code of `script` is found, whole. */
function isKept(script: string): boolean {
  const code = keptV8Code(script);
  if (code !== undefined && !code.equals(CODE)) throw new Error('other code was found');
  return code !== undefined;
}

t.test('kept code is found again, at a position that V8 does not copy it from', (t) => {
  const cache = emptyCache(t);
  t.equal(isKept('pack.js'), false);
  keepV8Code('pack.js', COMPILED);
  t.equal(isKept('pack.js'), true);
  t.equal(isKept('other.js'), false);
  t.equal(statSync(fileIn(cache)).mode & 0o777, 0o600, 'only the user may read and write it');
  const room = Buffer.allocUnsafeSlow(1024 * 1024);
  const code = keptV8Code('pack.js', room);
  t.equal(code?.buffer, room.buffer, 'in the room that is given');
  t.equal((code?.byteOffset ?? 1) % 8, 0);
  t.ok(keptV8Code('pack.js', Buffer.allocUnsafeSlow(1000))?.equals(CODE), 'a room that is too small');
  t.end();
});

t.test('code is for the options of node, apart from paths and addresses in them', (t) => {
  emptyCache(t);
  const found = (options: string): boolean => {
    process.env.NODE_OPTIONS = options;
    return isKept('pack.js');
  };
  process.env.NODE_OPTIONS = '--max-old-space-size=600 --diagnostic-dir=/tmp/1';
  keepV8Code('pack.js', COMPILED);
  t.strictSame(
    [
      '--max-old-space-size=600 --diagnostic-dir=/tmp/1',
      '--max-old-space-size=600 --diagnostic-dir=/tmp/2',
      '"--max-old-space-size=600" "--diagnostic-dir=/tmp/a b"',
      '--max-old-space-size=601 --diagnostic-dir=/tmp/1',
      '--max-old-space-size=600',
      '',
    ].map(found),
    [true, true, true, false, false, false],
  );
  t.end();
});

t.test('damaged code is not found', (t) => {
  const cache = emptyCache(t);
  keepV8Code('pack.js', COMPILED);
  const path = fileIn(cache);
  const good = readFileSync(path);
  for (let at = 0; at < good.length; at += 7919) {
    const bytes = Buffer.from(good);
    bytes[at] ^= 0x10;
    writeFileSync(path, bytes);
    t.equal(isKept('pack.js'), false, `a bit at ${at}`);
  }
  const half = good.length - CODE.length;
  for (const size of [0, 1, 8, 40, half - 8, half - 1, half, good.length - 4096, good.length - 8, good.length - 1]) {
    writeFileSync(path, good);
    truncateSync(path, size);
    t.equal(isKept('pack.js'), false, `the first ${size} bytes only`);
  }
  writeFileSync(path, Buffer.concat([good, Buffer.alloc(8)]));
  t.equal(isKept('pack.js'), false, 'more than there was');
  writeFileSync(path, Buffer.from(good).fill(0, good.length - 4096));
  t.equal(isKept('pack.js'), false, 'a piece of the end was never written');
  writeFileSync(path, good);
  t.equal(isKept('pack.js'), true);
  t.end();
});

t.test('code of another script is not used', (t) => {
  const cache = emptyCache(t);
  keepV8Code('pack.js', COMPILED);
  const path = fileIn(cache);
  keepV8Code('main.js', COMPILED);
  const other = readdirSync(cache).find((name) => join(cache, name) !== path) as string;
  copyFileSync(join(cache, other), path);
  t.equal(isKept('pack.js'), false);
  t.end();
});

for (const [name, change] of Object.entries<(path: string) => void>({
  'that all may write': (path) => chmodSync(path, 0o666),
  'that the group may write': (path) => chmodSync(path, 0o620),
  'that is a link': (path) => {
    renameSync(path, `${path}~`);
    symlinkSync(`${path}~`, path);
  },
  'that is a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
}))
  t.test(`a file ${name} is not used`, (t) => {
    const cache = emptyCache(t);
    keepV8Code('pack.js', COMPILED);
    change(fileIn(cache));
    t.equal(isKept('pack.js'), false);
    t.end();
  });

t.test('without a folder nothing is kept', (t) => {
  const cache = emptyCache(t);
  writeFileSync(cache, 'a file');
  keepV8Code('pack.js', COMPILED);
  t.equal(isKept('pack.js'), false);
  t.end();
});

t.test('svcc cache counts and removes it', (t) => {
  const cache = emptyCache(t);
  keepV8Code('pack.js', COMPILED);
  t.equal(cacheInfo().bytes, statSync(fileIn(cache)).size);
  t.equal(clearCache(), 0, 'it is no entry');
  t.strictSame(readdirSync(cache), []);
  t.end();
});

t.test('it is removed when there is too much, the least recently used first', (t) => {
  const cache = emptyCache(t, { SVC_CACHE_BYTES: '1100000' });
  keepV8Code('pack.js', COMPILED);
  const first = fileIn(cache);
  keepV8Code('main.js', COMPILED);
  const past = (Date.now() - 2 * HOUR_MS) / 1000;
  for (const name of readdirSync(cache)) utimesSync(join(cache, name), past, past);
  t.equal(isKept('pack.js'), true, 'reading it notes the use');
  keepV8Code('last.js', COMPILED);
  t.ok(existsSync(first));
  t.strictSame(['pack.js', 'main.js', 'last.js'].map(isKept), [true, false, true]);
  t.end();
});
