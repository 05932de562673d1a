import t from 'tap';
import { CORE_MODULES } from '../../../natives/core/index.js';
import { paramsOf } from '../../../vm/calls/native.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { allOf } from '../../../vm/values/methodgroup.js';

const all = allOf(Object.values(CORE_MODULES).flat());
const nameOf = (fn: NativeFunction): string => `${fn.owner}.${fn.name}`;

/** Names of declarations with a fault. */
function faulty(hasFault: (fn: NativeFunction) => boolean): string[] {
  return all.filter(hasFault).map(nameOf);
}

t.test('every signature is valid', async (t) => {
  t.doesNotThrow(() => all.forEach(paramsOf));
});

t.test('every declaration has a sentence and a result', async (t) => {
  t.strictSame(
    faulty((fn) => !fn.name.startsWith('%') && !/^[A-Z0-9].*\.$/.test(fn.doc)),
    [],
  );
  t.strictSame(
    faulty((fn) => fn.result === ''),
    [],
  );
});

t.test('no name is declared twice', async (t) => {
  const seen = new Set<string>();
  t.strictSame(
    faulty((fn) => seen.size === seen.add(nameOf(fn)).size),
    [],
  );
});
