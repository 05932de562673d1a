import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type OutputFile } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'svcc.js');
const ENTRIES = { svcc: 'svcc/main.ts', embed: 'svcc/embed.ts' };

// The bundled CommonJS packages (ws, moo, nearley) call require() for node's own modules, which ES modules do not have.
const BANNER = `import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);`;

/** Hash of all that goes into the bundle, by which compiled programs in the cache know theirs. */
async function buildId(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const folder of ['compiler', 'natives', 'svcc', 'vm']) {
    const files = (await readdir(join(ROOT, folder), { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
    for (const name of files) hash.update(name).update(await readFile(join(ROOT, folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function version(): Promise<string> {
  return (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

async function bundle(): Promise<OutputFile[]> {
  const present = Object.entries(ENTRIES).filter(([, file]) => existsSync(join(ROOT, file)));
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(present),
    outdir: DIST,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Names stay as they are: stack traces must tell something, and V8 gains nothing from short ones.
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: BANNER },
    legalComments: 'eof',
    logLevel: 'warning',
    define: { SVC_BUILD: JSON.stringify(await buildId()), SVC_VERSION: JSON.stringify(await version()) },
    write: false,
  });
  return outputFiles;
}

/** Files appear whole and old ones go last, so a process that starts during a build finds a working bundle. */
async function install(files: OutputFile[]): Promise<void> {
  await mkdir(DIST, { recursive: true });
  for (const { path, text } of files) {
    const temporary = `${path}.${process.pid}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, withShebang(path, text), { mode: path === PROGRAM ? 0o755 : 0o644 });
    await rename(temporary, path);
  }
  const current = new Set(files.map(({ path }) => path));
  for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !current.has(path)) await rm(path, { force: true });
  }
}

function withShebang(path: string, text: string): string {
  return path === PROGRAM && !text.startsWith('#!') ? `#!/usr/bin/env node\n${text}` : text;
}

const files = await bundle();
await install(files);
for (const { path, text } of files) console.log(`${relative(ROOT, path)}  ${(text.length / 1024).toFixed(0)} KB`);
