import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = '.dependency-cruiser.cjs';
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

type Tree = Record<string, Record<string, string>>;

const bytecode = { 'op.ts': 'export const op = 1;\n' };
const used = "import { op } from '../vm/bytecode/op.js';\nexport const a = op;\n";

/** Trees that break one rule each, by name of the rule. */
const BROKEN: Record<string, Tree> = {
  'bytecode-stands-alone': { bytecode: { 'op.ts': "import '../value.js';\n" }, vm: { 'value.ts': 'export {};\n' } },
  'compiler-knows-bytecode-only': {
    bytecode,
    compiler: { 'a.ts': "import '../vm/value.js';\n" },
    vm: { 'value.ts': 'export {};\n' },
  },
  'vm-knows-itself-only': {
    vm: { 'a.ts': "import type { T } from '../compiler/b.js';\nexport type U = T;\n" },
    compiler: { 'b.ts': 'export type T = 1;\n' },
  },
  'compiler-and-vm-are-pure': { compiler: { 'a.ts': "import 'node:fs';\n" } },
  'values-stand-below-the-vm': {
    vm: { 'values/a.ts': "import '../fibers/b.js';\n", 'fibers/b.ts': 'export {};\n' },
  },
  'fibers-know-values-only': { vm: { 'fibers/a.ts': "import '../calls/b.js';\n", 'calls/b.ts': 'export {};\n' } },
  'calls-and-traces-stand-below-the-interpreter': {
    vm: { 'calls/a.ts': "import '../interpreter/b.js';\n", 'interpreter/b.ts': 'export {};\n' },
  },
  'interpreter-stands-below-the-jit': {
    vm: { 'interpreter/a.ts': "import '../jit/b.js';\n", 'jit/b.ts': 'export {};\n' },
  },
  'jit-knows-no-vm': { vm: { 'jit/a.ts': "import '../watch/b.js';\n", 'watch/b.ts': 'export {};\n' } },
  'analysis-writes-no-code': { vm: { 'jit/analysis/a.ts': "import '../b.js';\n", 'jit/b.ts': 'export {};\n' } },
  'http-stands-below-web': { natives: { 'http/a.ts': "import '../web/b.js';\n", 'web/b.ts': 'export {};\n' } },
  'drivers-know-no-vm': {
    natives: { 'data/sqlite/a.ts': "import '../database.js';\n", 'data/database.ts': 'export {};\n' },
  },
  'bus-drivers-know-no-vm': {
    natives: { 'bus/redis.ts': "import '../core/b.js';\n", 'core/b.ts': 'export {};\n' },
  },
  'requests-stand-below-handling': {
    natives: { 'web/request/a.ts': "import '../handling/b.js';\n", 'web/handling/b.ts': 'export {};\n' },
  },
  'handling-stands-below-the-server': {
    natives: { 'web/handling/a.ts': "import '../server/b.js';\n", 'web/server/b.ts': 'export {};\n' },
  },
  'natives-see-only-their-context': {
    natives: { 'core/a.ts': "import '../../vm/vm.js';\n" },
    vm: { 'vm.ts': 'export {};\n' },
  },
  'natives-know-vm-only': {
    natives: { 'a.ts': "export const load = () => import('../compiler/b.js');\n" },
    compiler: { 'b.ts': 'export {};\n' },
  },
  'product-needs-no-tools': { svcc: { 'a.ts': "import '../tools/b.js';\n" }, tools: { 'b.ts': 'export {};\n' } },
  'product-needs-no-dev-dependency': { natives: { 'a.ts': "import * as fc from 'fast-check';\nexport { fc };\n" } },
  'no-cycle': {
    svcc: {
      'a.ts': "import { b } from './b.js';\nexport const a = () => b;\n",
      'b.ts': "import { a } from './a.js';\nexport const b = () => a;\n",
    },
  },
  'value-names-types-only': {
    vm: { 'values/value.ts': "import './hash.js';\n", 'values/hash.ts': 'export {};\n' },
  },
  'no-missing-module': { natives: { 'a.ts': "import './nowhere.js';\n" } },
};

const CLEAN: Tree = {
  bytecode,
  compiler: { 'a.ts': `import moo from 'moo';\nimport nearley from 'nearley';\n${used}export { moo, nearley };\n` },
  vm: {
    'a.ts': "import { op } from './bytecode/op.js';\nexport const a = op;\n",
    'values/a.ts': 'export const a = 1;\n',
  },
  natives: {
    'a.ts':
      "import 'node:fs';\nimport { WebSocketServer } from 'ws';\nimport { a } from '../vm/values/a.js';\nexport { a, WebSocketServer };\n",
  },
  svcc: {
    'a.ts': "import '../natives/a.js';\nimport '../vm/a.js';\nexport const load = () => import('../compiler/a.js');\n",
  },
  tools: { 'a.ts': "import '../svcc/a.js';\nimport '../test/a.js';\n" },
  test: { 'a.ts': "import * as fc from 'fast-check';\nexport { fc };\n" },
};

interface Folder {
  [name: string]: Folder | string;
}

/** Converts paths to nested folders. */
function nested(tree: Tree): Folder {
  const all: Folder = {};
  for (const [folder, files] of Object.entries(tree)) {
    for (const [name, text] of Object.entries({ ...files, '': '' })) {
      let at = all;
      const parts = `${folder}/${name}`.split('/');
      const file = parts.pop() as string;
      for (const part of parts) at = (at[part] ??= {}) as Folder;
      if (file !== '') at[file] = text;
    }
  }
  return all;
}

/** Checks the imports of a tree of files, as `npm run lint` does for the project. */
async function lint(test: Test, { bytecode, vm, ...folders }: Tree): Promise<{ code: number; output: string }> {
  const cwd = test.testdir(nested({ ...folders, vm: { ...vm }, 'vm/bytecode': bytecode ?? {} }));
  await Promise.all(
    [CONFIG, 'tsconfig.json', 'package.json'].map((file) => copyFile(join(ROOT, file), join(cwd, file))),
  );
  return new Promise((done) => {
    execFile(process.execPath, [DEPCRUISE, '--config', CONFIG, '.'], { cwd }, (error, stdout, stderr) => {
      done({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

t.jobs = 2;

t.test('a tree that keeps the rules passes', async (t) => {
  const { code, output } = await lint(t, CLEAN);
  t.equal(code, 0, output);
});

/** Merges all broken trees. Names of files end in the number of their rule. */
function together(): Tree {
  const all: Tree = {};
  Object.values(BROKEN).forEach((tree, i) => {
    for (const [folder, files] of Object.entries(tree)) {
      for (const [name, text] of Object.entries(files))
        (all[folder] ??= {})[name.replace('.', `${i}.`)] = text.replace(/(\/\w+)\.js'/g, `$1${i}.js'`);
    }
  });
  return all;
}

t.test('breaking a rule is reported', async (t) => {
  const { code, output } = await lint(t, together());
  t.not(code, 0);
  Object.keys(BROKEN).forEach((rule, i) => t.match(output, new RegExp(`error ${rule}: \\w+/[\\w/]*\\w${i}\\.ts`)));
});

t.test('every rule has a tree that breaks it', async (t) => {
  const { default: config } = (await import(join(ROOT, CONFIG))) as { default: { forbidden: { name: string }[] } };
  t.strictSame(
    Object.keys(BROKEN),
    config.forbidden.map(({ name }) => name),
  );
});
