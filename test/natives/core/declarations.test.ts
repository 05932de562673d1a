import t from 'tap';
import { CORE_MODULES } from '../../../natives/core/index.js';
import { paramsOf } from '../../../vm/native.js';

const all = Object.entries(CORE_MODULES).flatMap(([section, natives]) => natives.map((fn) => ({ section, fn })));

t.test('every signature can be read', async (t) => {
  for (const { fn } of all) t.doesNotThrow(() => paramsOf(fn), fn.name);
});

t.test('every declaration has a sentence', async (t) => {
  for (const { section, fn } of all) {
    if (fn.name.startsWith('%')) continue;
    t.match(fn.doc, /^[A-Z0-9].*\.$/, `${section} ${fn.owner}.${fn.name}`);
    t.notMatch(fn.result, /^$/, `${fn.owner}.${fn.name}`);
  }
});

t.test('no name is declared twice', async (t) => {
  const seen = new Set<string>();
  for (const { fn } of all) {
    const name = `${fn.owner}.${fn.name}`;
    t.notOk(seen.has(name), name);
    seen.add(name);
  }
});
