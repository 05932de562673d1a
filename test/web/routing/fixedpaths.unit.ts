import t from 'tap';
import { FixedPaths } from '../../../natives/web/routing/fixedpaths.js';

t.test('finds exactly the added paths while it grows', async (t) => {
  const paths = new FixedPaths<number>();
  const names = Array.from({ length: 500 }, (_, i) => `/${'x'.repeat(i % 7)}${i}`);
  for (const [i, name] of names.entries()) {
    t.equal(paths.get(name), undefined);
    paths.set(name, i);
    for (const [k, known] of names.slice(0, i + 1).entries())
      if (paths.get(known) !== k) t.fail(`${known} is lost after ${name}`);
  }
});

t.test('short paths and names of Object.prototype', async (t) => {
  const paths = new FixedPaths<string>();
  for (const path of ['', '/', '/a', '/ab', '__proto__', '/😀']) {
    t.equal(paths.get(path), undefined);
    paths.set(path, path);
    t.equal(paths.get(path), path);
  }
  t.equal(paths.get('constructor'), undefined);
});
