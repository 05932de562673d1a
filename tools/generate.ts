import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');

/** Texts of generated files, by path from the project's root. */
type Output = Map<string, string>;

interface Generator {
  name: string;
  outputs: string[];
  run(): Promise<Output>;
}

/** Loads a generator's module only when it runs: it may import the output of an earlier generator. */
const exported = (file: string, name: string) => async (): Promise<Output> => {
  const path = join(ROOT, 'tools', file);
  const module = (await import(pathToFileURL(path).href)) as Record<string, () => Output>;
  return module[name]();
};

// prettier-ignore
const GENERATORS: Generator[] = [
  {
    name: 'bytecode',
    outputs: ['vm/bytecode/generated/op.ts', 'docs/bytecode.md'],
    run: exported('generate-bytecode.ts', 'generateBytecode'),
  },
  { name: 'noting', outputs: ['vm/interpreter/generated/noting.ts'], run: exported('generate-noting.ts', 'generateNoting') },
  { name: 'grammar', outputs: ['compiler/generated/grammar.ts', 'compiler/generated/lookahead.ts'], run: exported('generate-grammar.ts', 'generateGrammar') },
  { name: 'prelude', outputs: ['compiler/generated/prelude.ts'], run: exported('generate-prelude.ts', 'generatePrelude') },
  { name: 'names', outputs: ['svcc/generated/names.ts'], run: exported('generate-names.ts', 'generateNames') },
  { name: 'library', outputs: ['docs/library.md', 'docs/web-reference.md'], run: exported('generate-library.ts', 'generateLibrary') },
  {
    name: 'editors',
    outputs: ['svc', 'svc-template', 'svc-markdown'].map((name) => `editors/vscode/syntaxes/${name}.tmLanguage.json`),
    run: exported('generate-editors.ts', 'generateEditors'),
  },
  { name: 'man', outputs: ['man/svcc.1'], run: exported('generate-man.ts', 'generateMan') },
];

async function differing(output: Output): Promise<Output> {
  const changed: Output = new Map();
  for (const [path, text] of output) {
    const current = await readFile(join(ROOT, path), 'utf8').catch(() => undefined);
    if (current !== text) changed.set(path, text);
  }
  return changed;
}

async function write(output: Output): Promise<void> {
  for (const [path, text] of output) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), text);
  }
}

const check = process.argv.includes('--check');
for (const { name, run } of GENERATORS) {
  const changed = await differing(await run());
  for (const path of changed.keys()) console.log(`${name}: ${path} ${check ? 'would change' : 'written'}`);
  if (!check) await write(changed);
  else if (changed.size > 0) process.exitCode = 1;
}
