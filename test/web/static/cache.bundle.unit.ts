import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { FileCache } from '../../../natives/web/files/cache.js';
import { DiskSource } from '../../../natives/web/files/source.js';
import type { Request } from '../../../natives/web/request/request.js';
import type { Response } from '../../../natives/web/response/response.js';
import { StaticDirectory } from '../../../natives/web/files/static.js';
import type { FileContent } from '../../../natives/web/files/content.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import { Client, header, startSite } from './site.js';

const NEVER = { bytes: 1000, fresh: 1000, missing: 3 };

function entry(weight: number): { weight: number; checkedAt: number } {
  return { weight, checkedAt: 0 };
}

t.test('the cache stays within its limits and keeps entries that are used', async (t) => {
  const cache = new FileCache(NEVER);
  const put = (key: string, weight: number): Promise<unknown> => cache.refresh(key, 0, async () => entry(weight));
  await put('hot', 300);
  for (let i = 0; i < 100; i++) {
    t.not(cache.fresh('hot', 500), undefined);
    await put(`cold${i}`, 200);
    if (cache.bytes > 1000) t.fail(`${cache.bytes} bytes`);
  }
  t.ok(cache.fresh('hot', 500), 'what is asked for again and again stays');
  t.equal(cache.fresh('cold0', 500), undefined);
  await put('huge', 1001);
  t.equal(cache.fresh('huge', 500), undefined, 'what does not fit at all is not kept');
  t.ok(cache.bytes <= 1000 && cache.size >= 2);
});

t.test('the number of names of missing files is limited, too', async (t) => {
  const cache = new FileCache(NEVER);
  const miss = (key: string): Promise<unknown> => cache.refresh(key, 0, async () => null);
  await miss('a');
  t.equal(cache.fresh('a', 999), null);
  t.equal(cache.fresh('a', 1000), undefined, 'for a second');
  for (const key of ['b', 'c', 'd']) await miss(key);
  t.equal(cache.fresh('a', 1), undefined);
  t.equal(cache.fresh('d', 1), null);
  await miss('x'.repeat(10_000));
  t.equal(cache.fresh('x'.repeat(10_000), 1), undefined, 'long ones are not kept');
});

t.test('an answer counts from the time of its request, and concurrent requests share it', async (t) => {
  const cache = new FileCache(NEVER);
  let loads = 0;
  const load = async (): Promise<ReturnType<typeof entry>> => {
    loads++;
    await sleep(10);
    return entry(1);
  };
  const answers = await Promise.all(Array.from({ length: 100 }, () => cache.refresh('a', 5, load)));
  t.equal(loads, 1);
  t.equal(new Set(answers).size, 1);
  t.ok(cache.fresh('a', 1004));
  t.equal(cache.fresh('a', 1005), undefined);
  await t.rejects(
    cache.refresh('b', 0, () => Promise.reject(new Error('disk'))),
    /disk/,
  );
  t.ok(await cache.refresh('b', 0, load), 'a failure is not kept');
});

/** A mounted folder, and a VM whose clock the test controls. */
class Bench {
  now = 0;
  waits = 0;
  readonly cache = new FileCache<FileContent>();
  readonly mount: StaticDirectory;

  constructor(root: string) {
    this.mount = new StaticDirectory('', new DiskSource(root), 'public, max-age=0', this.cache);
  }

  /** Result of `serve`, immediate or after a wait: a response, or null. */
  async serve(path: string): Promise<Response | null> {
    let waited: Promise<Value> | null = null;
    const vm = {
      host: { now: () => this.now },
      waitForPromise: (_what: string, promise: Promise<Value>) => {
        waited = promise;
      },
    } as unknown as VM;
    const result = this.mount.serve(vm, { parts: { path } } as Request);
    if (result !== undefined) return result;
    this.waits++;
    return (await (waited as unknown as Promise<Value>)) as Response | null;
  }

  async text(path: string): Promise<string | null> {
    return (await this.serve(path))?.body.toString() ?? null;
  }
}

/** A bench and a folder whose files are so old that the cache trusts their times. */
function bench(t: Test): { bench: Bench; at: (name: string) => string } {
  const folder = t.testdir({ 'secret.txt': 'secret', public: { 'a.txt': 'one', sub: { 'b.txt': 'b' } } });
  return { bench: new Bench(join(folder, 'public')), at: (name) => join(folder, 'public', name) };
}

t.test('a hit does not wait, and neither do paths of routes', async (t) => {
  const { bench: it } = bench(t);
  t.equal(await it.text('/a.txt'), 'one');
  t.equal(it.waits, 1);
  for (let i = 0; i < 10; i++) t.equal(await it.text('/a.txt'), 'one');
  t.equal(await it.text('/%61.txt'), 'one', 'one entry for all spellings');
  t.equal(it.waits, 1);
  for (const path of [
    '/',
    '/users',
    '/users/1.5',
    '/a',
    '/a.',
    '/a.html5',
    '/..',
    '/.txt',
    '/a.txt/',
    '/sub/../a.txt',
    '*',
    '/%',
    '/a.txt%00',
    '/sub%2fb.txt',
  ])
    t.equal(await it.serve(path), null, path);
  t.equal(it.waits, 1, 'none of them asks the disk');
  t.equal(await it.serve('/none.txt'), null);
  t.equal(await it.serve('/none.txt'), null);
  t.equal(it.waits, 2, 'a missing file is asked for once a second');
});

t.test('changes are seen within a second', async (t) => {
  const { bench: it, at } = bench(t);
  const after = async (change: () => void, ...[path, expected]: [string, string | null]): Promise<void> => {
    change();
    it.now += 1000;
    t.equal(await it.text(path), expected);
  };
  t.equal(await it.text('/a.txt'), 'one');
  await after(() => writeFileSync(at('a.txt'), 'two'), '/a.txt', 'two');
  // A change of the same length within one tick of the file system's clock.
  await after(() => writeFileSync(at('a.txt'), 'six'), '/a.txt', 'six');
  await after(
    () => {
      writeFileSync(at('new'), 'new');
      renameSync(at('new'), at('a.txt'));
    },
    '/a.txt',
    'new',
  );
  await after(() => utimesSync(at('a.txt'), 1, 1), '/a.txt', 'new');
  await after(() => rmSync(at('a.txt')), '/a.txt', null);
  await after(() => writeFileSync(at('a.txt'), 'back'), '/a.txt', 'back');
  await after(
    () => {
      rmSync(at('a.txt'));
      symlinkSync('../secret.txt', at('a.txt'));
    },
    '/a.txt',
    null,
  );
  await after(
    () => {
      rmSync(at('a.txt'));
      symlinkSync('sub/b.txt', at('a.txt'));
    },
    '/a.txt',
    'b',
  );
  t.equal(await it.text('/sub/b.txt'), 'b');
  await after(
    () => {
      renameSync(at('sub'), at('was'));
      symlinkSync('..', at('sub'));
      writeFileSync(at('../b.txt'), 'outside');
    },
    '/sub/b.txt',
    null,
  );
});

t.test('a file that has not changed is not read again', async (t) => {
  const { bench: it, at } = bench(t);
  await it.serve('/a.txt');
  // Before that, a second change could have the same time as the first.
  await sleep(2100);
  it.now += 1000;
  const first = (await it.serve('/a.txt'))?.body;
  it.now += 1000;
  t.equal((await it.serve('/a.txt'))?.body, first, 'the very same bytes');
  writeFileSync(at('a.txt'), 'two');
  it.now += 999;
  t.equal((await it.serve('/a.txt'))?.body, first);
  it.now += 1;
  t.equal(await it.text('/a.txt'), 'two');
});

t.test('a server shows changes within a second', async (t) => {
  const site = await startSite(t, { public: { 'a.txt': 'one' } }, 'app.static("public")');
  const client = new Client(site.port);
  const first = await client.get('/a.txt');
  t.equal(first.body.toString(), 'one');
  const again = await client.get('/a.txt');
  t.same(
    again.headers.filter(([name]) => name !== 'Date'),
    first.headers.filter(([name]) => name !== 'Date'),
  );
  writeFileSync(site.at('public/a.txt'), 'two');
  writeFileSync(site.at('public/b.txt'), 'new');
  await sleep(1050);
  const changed = await client.get('/a.txt', { 'If-None-Match': header(first, 'etag') ?? '' });
  t.same([changed.status, changed.body.toString()], [200, 'two']);
  t.equal((await client.get('/b.txt')).body.toString(), 'new');
  client.close();
});

t.test("a directory that comes, goes and is turned like a deployment's link", async (t) => {
  const folder = t.testdir({ v1: { 'a.txt': 'one' }, v2: { 'a.txt': 'two' } });
  const it = new Bench(join(folder, 'current'));
  t.equal(await it.text('/a.txt'), null);
  for (const [version, text] of [
    ['v1', 'one'],
    ['v2', 'two'],
    ['none', null],
  ] as const) {
    rmSync(join(folder, 'current'), { force: true });
    symlinkSync(version, join(folder, 'current'));
    it.now += 1000;
    t.equal(await it.text('/a.txt'), text);
  }
});
