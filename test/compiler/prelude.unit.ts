import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type * as Ast from '../../compiler/ast.js';
import { check } from '../../compiler/index.js';
import { preludeModule, preludeResolution } from '../../compiler/resolve/program.js';
import type { DefSymbol } from '../../compiler/symbols.js';
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

t.test('a function that is first needed where the stack ends is usable later', async (t) => {
  const symbol = preludeModule().symbols.get('each_slice__1') as DefSymbol;
  let failures = 0;
  let definition: DefSymbol['node'] | null = null;
  const deepest = (): void => {
    try {
      deepest();
    } catch {
      // With a little more room at each return from a call.
      failures++;
      definition = symbol.node;
    }
  };
  deepest();
  t.ok(failures > 1, 'there was no room at first');
  t.equal(symbol.node, definition);
  const { functions, symbols } = preludeResolution();
  t.ok(functions.has(symbol.node));
  const unresolved: string[] = [];
  const look = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { type, name } = node as { type?: string; name?: string };
    if (type === 'Ident' && !symbols.has(node as Ast.Node)) unresolved.push(String(name));
    Object.values(node).forEach(look);
  };
  look((symbol.node as Ast.Def).body);
  t.strictSame(unresolved, []);
});
