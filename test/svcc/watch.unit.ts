import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FileWatch } from '../../svcc/watch.js';

t.test('two looks at the same time tell a change once', async (t) => {
  const folder = t.testdir({ 'a.svc': 'old', 'b.svc': 'old' });
  const paths = ['a.svc', 'b.svc'].map((name) => join(folder, name));
  const told: string[] = [];
  const watch = new FileWatch((path) => told.push(path));
  t.teardown(() => watch.close());
  await watch.add(paths, Infinity);
  for (const path of paths) writeFileSync(path, 'changed');
  await Promise.all([watch.poll(), watch.poll()]);
  t.strictSame(told, paths);
});
