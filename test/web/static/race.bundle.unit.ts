import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findInside, openFound, readWhole } from '../../../natives/web/files/find.js';
import { Client, SECRET, startSite, stopQuietly, type Tree } from './site.js';

const ROUNDS = 10_000;

/** Replaces a file and a folder by links to the outside and back, as fast as it can, by renaming. */
const SWAPPER = `
const { renameSync, symlinkSync, linkSync, rmSync } = require('node:fs');
const root = process.argv[1];
process.chdir(root);
process.stdout.write('swapping');
for (let i = 0;; i++) {
  linkSync('../good.txt', 'new');   renameSync('new', 'file.txt');
  symlinkSync('../secret.txt', 'new');   renameSync('new', 'file.txt');
  renameSync('folder', 'was');  symlinkSync('../outside', 'folder');
  rmSync('folder');  renameSync('was', 'folder');
}`;

/** Files for the swapper, with `large` more letters in each. */
function tree(large = 0): Tree {
  const filler = 'x'.repeat(large);
  return {
    'good.txt': `good${filler}`,
    'secret.txt': SECRET + filler,
    outside: { 'inner.txt': SECRET + filler },
    public: { 'file.txt': `good${filler}`, folder: { 'inner.txt': `good${filler}` } },
  };
}

/** Runs `work` while the swapper runs. */
async function whileSwapping<T>(root: string, work: () => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', SWAPPER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  try {
    return await work();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function read(root: string, path: string): Promise<string | null> {
  const found = await findInside(root, path);
  const opened = found === null ? null : await openFound(found.path, root);
  if (opened === null) return null;
  const bytes = await readWhole(opened);
  await opened.handle.close();
  return bytes.toString();
}

/** Opens each path many times; counts the results. */
async function race(paths: string[], root: string): Promise<Map<string | null, number>> {
  const outcomes = new Map<string | null, number>();
  const one = async (worker: number): Promise<void> => {
    for (let i = worker; i < ROUNDS; i += 8) {
      const text = await read(root, paths[i % paths.length]);
      outcomes.set(text, (outcomes.get(text) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, worker) => one(worker)));
  return outcomes;
}

t.test('a file or folder swapped for a link between check and opening', async (t) => {
  const root = join(t.testdir(tree()), 'public');
  const outcomes = await whileSwapping(root, () => race(['/file.txt', '/folder/inner.txt'], root));
  t.ok((outcomes.get('good') ?? 0) > 0, `${outcomes.get('good')} times the file`);
  t.ok((outcomes.get(null) ?? 0) > 0, `${outcomes.get(null)} times none`);
  t.same(
    [...outcomes.keys()].filter((text) => text !== 'good' && text !== null),
    [],
    'nothing else',
  );
});

t.test('the same through the server, which opens a large file for each request', async (t) => {
  // Each mount remembers the state of the disk for a second.
  const mounts = Array.from({ length: 50 }, (_, i) => `app.static("/m${i}", "public", max_age: ${i})`);
  const site = await startSite(t, tree(70_000), mounts.join('\n'));
  const outcomes = { served: 0, missing: 0, other: 0 };
  const ask = async (path: string): Promise<void> => {
    const client = new Client(site.port);
    for (let i = 0; i < 1000; i++) {
      const { status, body } = await client.get(`/m${i % mounts.length}/${path}`);
      if (status === 404) outcomes.missing++;
      else if (status === 200 && body.toString('utf8', 0, 4) === 'good') outcomes.served++;
      else outcomes.other++;
    }
    client.close();
  };
  await whileSwapping(site.at('public'), () =>
    Promise.all(['file.txt', 'folder/inner.txt', 'file.txt', 'folder/inner.txt'].map(ask)),
  );
  t.ok(outcomes.served > 0 && outcomes.missing > 0, JSON.stringify(outcomes));
  t.equal(outcomes.other, 0);
  await stopQuietly(t, site);
});

t.test(
  'each step between check and opening alone',
  { skip: process.platform !== 'linux' && 'looks into /proc' },
  async (t) => {
    const folder = t.testdir(tree());
    const root = join(folder, 'public');
    const file = await findInside(root, '/file.txt');
    const inner = await findInside(root, '/folder/inner.txt');
    renameSync(join(root, 'file.txt'), join(root, 'old.txt'));
    symlinkSync('../secret.txt', join(root, 'file.txt'));
    t.equal(await openFound(file?.path as string, root), null, 'a link in the last place is not followed');
    renameSync(join(root, 'folder'), join(root, 'old'));
    symlinkSync('../outside', join(root, 'folder'));
    t.equal(
      await openFound(inner?.path as string, root),
      null,
      'a link on the way leads outside, which shows after opening',
    );
    renameSync(root, join(folder, 'moved'));
    mkdirSync(join(root, 'folder'), { recursive: true });
    writeFileSync(join(root, 'folder/inner.txt'), 'new');
    const handle = await openFound(inner?.path as string, root);
    t.equal(
      handle === null ? null : (await readWhole(handle)).toString(),
      'new',
      'a directory that was replaced as a whole serves what it holds now',
    );
    await handle?.handle.close();
    const links = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    t.same(
      links.filter((link) => link.startsWith(folder)),
      [],
      'no descriptor stays open',
    );
  },
);
