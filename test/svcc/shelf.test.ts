import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

// Only a build has a cache. The builder defines SVC_BUILD; the sources read it from the globals.
(globalThis as { SVC_BUILD?: string }).SVC_BUILD = 'test';
const { fromCache, intoCache } = await import('../../svcc/cache.js');

t.test('generated code is read undamaged, and with the entry that it was made for', async (t) => {
  const folder = t.testdir({ 'app.svc': 'puts 1', cache: {} });
  process.env.SVC_CACHE_DIR = join(folder, 'cache');
  const path = join(folder, 'app.svc');
  const files = [{ shown: 'app.svc', path, bytes: Buffer.from('puts 1') }];
  const enter = (): ReturnType<typeof intoCache> =>
    intoCache(path, { files, absent: [], listings: [] }, Buffer.from('what the compiler made'));
  const shelf = enter();
  t.equal(shelf?.load(), null);
  shelf?.store('first\nsecond');
  t.equal(shelf?.load(), 'first\nsecond');
  t.equal(fromCache(path)?.shelf.load(), 'first\nsecond', 'in another process');
  const name = readdirSync(join(folder, 'cache')).find((one) => one.endsWith('.code')) as string;
  const file = join(folder, 'cache', name);
  const bytes = readFileSync(file);
  const taken: string[] = [];
  const spoilt = (what: string, content: Buffer): void => {
    writeFileSync(file, content);
    if (shelf?.load() !== null) taken.push(what);
  };
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    spoilt(`byte ${at}`, changed);
    spoilt(`the first ${at} bytes`, bytes.subarray(0, at));
  }
  t.strictSame(taken, []);
  writeFileSync(file, bytes);
  t.not(shelf?.load(), null);
  t.equal(enter()?.load(), null, 'a new entry has no code yet');
});
