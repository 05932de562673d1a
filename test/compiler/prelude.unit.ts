import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { check } from '../../compiler/index.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { PRELUDE_FOLDER, withAliases } from '../../tools/prelude.js';
import { FakeHost } from '../vm/support/host.js';

const FILES = readdirSync(PRELUDE_FOLDER).filter((name) => name.endsWith('.svc'));

/** Names of the library and, as the prelude writes them, of the intrinsics. */
function names(): Set<string> {
  const known = nativeNames(createVm(new FakeHost(), { process: { args: [], env: {} } }));
  // `for i in __count(n)` is a form of the compiler.
  return new Set(['__count', ...[...known].map((name) => name.replace(/^%/, '__'))]);
}

function findings(text: string): string[] {
  const env = {
    natives: names(),
    builtinModules: new Set<string>(),
    load: () => null,
    signatures: new Map(),
    methods: new Map(),
    errors: new Map(),
    statics: new Map(),
    settings: [],
  };
  return check('prelude.svc', text, env).diagnostics.map(({ message }) => message);
}

t.test('the checks find nothing in the prelude', async (t) => {
  t.ok(FILES.length > 5);
  for (const name of FILES) t.strictSame(findings(readFileSync(join(PRELUDE_FOLDER, name), 'utf8')), [], name);
  t.strictSame(findings('def each__0(xs, f)\n  for x in __evry(xs)\n    f(x)\n  end\nend\n').length, 1);
});

t.test('an alias is a copy under another name', async (t) => {
  t.equal(
    withAliases('# alias: plus\n## |x| -> Number: Adds.\ndef add__1(xs, y, f)\n  __list(xs, "add")\nend\n'),
    '## |x| -> Number: Adds.\ndef add__1(xs, y, f)\n  __list(xs, "add")\nend\n\n## |x| -> Number: Adds.\ndef plus__1(xs, y, f)\n  __list(xs, "plus")\nend\n',
  );
});
