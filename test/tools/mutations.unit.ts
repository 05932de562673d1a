import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import t from 'tap';
import { MUTATIONS } from '../../tools/mutations/index.js';
import { mutated } from '../../tools/mutations/mutation.js';
import { ROOT } from '../svcc/svcc.js';

t.test('the text of each mutation occurs exactly once in its file', async (t) => {
  const lost = MUTATIONS.filter(
    (mutation) => mutated(readFileSync(join(ROOT, mutation.file), 'utf8'), mutation) === null,
  );
  t.strictSame(
    lost.map(({ file, name, from }) => `${file}: ${name}: ${from}`),
    [],
  );
});

t.test('each mutation is TypeScript: a syntax error would fail any test', async (t) => {
  for (const mutation of MUTATIONS) {
    const text = mutated(readFileSync(join(ROOT, mutation.file), 'utf8'), mutation);
    await t.resolves(transform(text ?? '', { loader: 'ts' }), `${mutation.file}: ${mutation.name}`);
  }
});
