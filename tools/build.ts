import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build, type BuildOptions, type OutputFile, type Plugin, transform, type TransformOptions } from 'esbuild';
import { buildId, isUpToDate, ROOT } from './buildid.js';

const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'svcc.js');
const PACK = join(DIST, 'pack.js');
const MANIFEST = join(DIST, 'package.json');
const MAIN = join(DIST, 'main.js');
/** Name of the text that joins the modules of the pack. */
const PACK_SOURCE = join(DIST, 'pack');
const ENTRIES = { main: 'svcc/main.ts', embed: 'svcc/embed.ts', 'sqlite-worker': 'natives/data/sqlite/worker.ts' };

/**
 * Modules that the smallest programs do not need, each a file of its own. The pack runs one when an export of it is first
 * called: their exports are functions.
 */
const LATER = { jit: 'vm/jit/compile.ts', generator: 'vm/jit/generate.ts', regexes: 'vm/values/regex/prepare.ts' };
/** One of them whose code is in the pack all the same. Its first call tells the launcher that the program has hot functions. */
const PACKED = join(DIST, 'chunks/jit.js');

/**
 * Parts of the library that a program may use alone, and the compiler. The modules that only one of them needs are in one
 * file, a group: to open and read two files takes longer than the rest of loading a small module.
 */
const IS_PART = /^natives\/(\w+\/index|io\/\w+)\.ts$|^compiler\/index\.ts$/;
/** Group of small modules that several parts need, and characters from which such a module is a file of its own. */
const SHARED = 'shared';
const LARGE = 4096;

/** Milliseconds for the language server's session. */
const SERVER_MS = 60_000;

/** Exercises most of what programs use; the code of all modules but the pack is from it. */
const WARMUP = join(ROOT, 'tools/warmup.svc');
/** Uses what most short programs use; the pack's code is from it. */
const TYPICAL = join(ROOT, 'tools/typical.svc');

/** The text of `dist/package.json`. */
function manifest(more: { node?: string } = {}): string {
  return `${JSON.stringify({ type: 'commonjs', build: buildId(), ...more })}\n`;
}

async function version(): Promise<string> {
  return (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** How modules become CommonJS. */
const COMMON_JS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__filename' },
} satisfies BuildOptions & TransformOptions;

interface Part extends OutputFile {
  /** The source file that it stands for, if that is an entry. */
  source: string | undefined;
  /** Names of its exports. */
  exports: string[];
  /** Paths of the parts that it imports. */
  imports: string[];
}

/**
 * Bundles the ES modules of OpenTelemetry. Its packages have `main` fields for CommonJS, whose modules would require the
 * ES module of their API: esbuild fills the exports of such a module when it first runs, after `plainExports` has read them.
 */
const openTelemetry: Plugin = {
  name: 'opentelemetry',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@opentelemetry\/[\w-]+$/ }, async ({ path }) => {
      const folder = join(ROOT, 'node_modules', path);
      const { module } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { module?: string };
      return module === undefined ? undefined : { path: join(folder, module), sideEffects: false };
    });
  },
};

/** Tells pg that it runs in Node. It finds out by a Response otherwise, for which Node loads its HTTP client. */
const postgresInNode: Plugin = {
  name: 'postgres-in-node',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, async ({ path }) => ({
      contents: `const navigator = { userAgent: 'Node.js' };\n${await readFile(path, 'utf8')}`,
    }));
  },
};

/**
 * Keeps commander from loading node:child_process, nine tenths of the time that loading commander takes. It would start
 * commands that are programs of their own, and svcc has none.
 */
const commanderAlone: Plugin = {
  name: 'commander-alone',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]commander[\\/]lib[\\/]command\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("require('node:child_process')", '{}'),
    }));
  },
};

/** Leaves the modules of LATER out of those that import them. All other modules with code of the VM are in `chunks/`. */
const apart: Plugin = {
  name: 'apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\..*\.js$/ }, ({ path, importer }) => {
      const file = relative(ROOT, resolve(dirname(importer), path)).replace(/js$/, 'ts');
      const name = Object.entries(LATER).find(([, later]) => later === file)?.[0];
      return name === undefined ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

/** Constants of a build. */
async function identity(): Promise<Record<string, string>> {
  return { SVC_BUILD: JSON.stringify(buildId()), SVC_VERSION: JSON.stringify(await version()) };
}

/** Bundles the sources as ES modules: esbuild splits only those. */
async function bundle(): Promise<Part[]> {
  const later = Object.entries(LATER).map(([name, file]) => [`chunks/${name}`, file]);
  const present = [...Object.entries(ENTRIES), ...later].filter(([, file]) => existsSync(join(ROOT, file)));
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(present),
    outdir: DIST,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Keep identifiers: stack traces need them, and shorter ones make nothing faster.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    logLevel: 'warning',
    plugins: [openTelemetry, postgresInNode, commanderAlone, apart],
    define: await identity(),
    write: false,
    metafile: true,
  });
  return outputFiles.map((file) => {
    const { exports = [], imports = [], entryPoint: source } = metafile.outputs[relative(ROOT, file.path)] ?? {};
    const parts = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true);
    return Object.assign(file, { source, exports, imports: parts.map(({ path }) => join(ROOT, path)) });
  });
}

/**
 * Code appended to a module that turns its exports from getters into plain properties. With getters, calls between
 * modules take several times as long.
 */
function plainExports(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `{const e=module.exports;module.exports={__esModule:true,${names.map((name) => `${name}:e.${name}`).join(',')}}}\n`;
}

/** The page of `app.api_docs`: files of a package, with the licences of what they contain. */
const API_DOCS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

async function addApiDocs(files: Map<string, string>): Promise<void> {
  for (const name of API_DOCS)
    files.set(join(DIST, 'api-docs', name), await readFile(join(ROOT, 'node_modules/swagger-ui-dist', name), 'utf8'));
}

/** Converts the parts to CommonJS modules, whose compiled code V8 can cache. */
async function convert(parts: Part[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { path, text, exports } of parts) {
    const { code } = await transform(text, COMMON_JS);
    files.set(path, code + plainExports(exports));
  }
  const launcher = await build({
    ...COMMON_JS,
    entryPoints: [join(ROOT, 'svcc/launcher.ts')],
    bundle: true,
    minifySyntax: true,
    define: { ...COMMON_JS.define, ...(await identity()) },
    write: false,
  });
  files.set(PROGRAM, `#!/usr/bin/env node\n${launcher.outputFiles[0].text}`);
  files.set(MANIFEST, manifest());
  return files;
}

async function write(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, content, { mode: path === PROGRAM ? 0o755 : 0o644 });
  await rename(temporary, path);
}

/**
 * Writes files atomically and removes old ones last, so that a process started during a build finds a working bundle.
 */
async function install(files: Map<string, string>): Promise<void> {
  // The program comes last, because it names the others.
  for (const [path, text] of files) if (path !== PROGRAM) await write(path, text);
  await rm(PACK, { force: true });
  await write(PROGRAM, files.get(PROGRAM) as string);
  for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path)) await rm(path, { force: true });
  }
}

/** How `tools/keep-code.ts` runs a command of the bundle. */
function keeper(args: readonly string[], env: NodeJS.ProcessEnv) {
  return {
    words: ['--import', 'tsx', join(ROOT, 'tools/keep-code.ts'), PROGRAM, ...args],
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', ...env },
  };
}

/** Runs a command of the bundle by `tools/keep-code.ts`. @returns what it wrote to stderr */
function keeping(args: readonly string[], variables: NodeJS.ProcessEnv): string {
  const { words, env } = keeper(args, variables);
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`svcc ${args.join(' ')} fails, so its code is not kept: ${stdout}${stderr}`);
  return stderr;
}

/** As `keeping`, for the language server: sends what an editor sends first, and ends the session after the answers. */
async function keepingServer(text: string, variables: NodeJS.ProcessEnv): Promise<void> {
  const { words, env } = keeper(['lsp'], variables);
  const server = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message: object): void => {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  };
  const textDocument = { uri: 'file:///warmup.svc', languageId: 'svc', version: 1, text };
  const position = { line: 2, character: 2 };
  const range = { start: { line: 0, character: 0 }, end: position };
  send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
  send({ method: 'initialized', params: {} });
  send({ method: 'textDocument/didOpen', params: { textDocument } });
  const requests = ['documentSymbol', 'hover', 'completion', 'inlayHint', 'semanticTokens/full', 'foldingRange'];
  for (const [i, name] of requests.entries())
    send({ id: i + 2, method: `textDocument/${name}`, params: { textDocument, position, range } });
  send({ id: 'last', method: 'shutdown' });
  let answers = '';
  server.stdout.setEncoding('utf8').on('data', (data: string) => {
    answers += data;
    if (answers.includes('"id":"last"')) send({ method: 'exit' });
  });
  const timer = setTimeout(() => server.kill(), SERVER_MS);
  const [code] = (await once(server, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the code of the language server cannot be kept: exit code ${code}, ${answers}`);
}

function isLater(path: string): boolean {
  return dirname(path) === join(DIST, 'chunks') && basename(path, '.js') in LATER;
}

/** What stands for a module of LATER in the pack. `keep` is the launcher's. */
function standIn({ path, exports }: Part): string {
  const functions = exports.map((name) => `export const ${name}=(...args)=>later().${name}(...args);`);
  return `const later=keep(${JSON.stringify(`./${relative(DIST, path)}`)},${path === PACKED});${functions.join('')}`;
}

/** Resolves imports among the parts that a pack holds. Others are loaded when they are needed. */
function packed(parts: ReadonlyMap<string, Part>, inPack: ReadonlySet<string>): Plugin {
  return {
    name: 'pack',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^[./]/ }, ({ path, importer, kind }) => {
        const file = resolve(dirname(importer), path);
        if (kind === 'dynamic-import') return { path: `./${relative(DIST, file)}`, external: true };
        const isOwn = file === PACKED && importer === PACK_SOURCE;
        if (isLater(file) && !isOwn) return { path: file, namespace: 'later' };
        if (!inPack.has(file)) throw new Error(`the pack has no ${file}`);
        return { path: file, namespace: 'part' };
      });
      onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({ contents: parts.get(path)?.text }));
      onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({ contents: standIn(parts.get(path) as Part) }));
    },
  };
}

/**
 * Writes the modules that the smallest program loads into one function, in whose scope they use each other's names
 * directly. It returns functions that make the exports of each, by path, for the modules outside, and the groups that
 * those are in. Writes the groups, too.
 */
async function writePack(
  parts: readonly Part[],
  files: ReadonlyMap<string, string>,
  folder: string,
  program: string,
): Promise<void> {
  const byPath = new Map(parts.map((part) => [part.path, part]));
  const env = { SVC_CACHE_DIR: join(folder, 'cache') };
  // The second run takes the program from the cache and needs no compiler.
  keeping(['run', program], env);
  const paths = keeping(['run', program], { ...env, KEEP: 'modules' }).split('\n');
  // The main module comes last, because it runs the program.
  const inPack = new Set(paths.filter((path) => !isLater(path)));
  inPack.add(PACKED);
  // A set also visits what is added meanwhile.
  for (const path of inPack) for (const imported of byPath.get(path)?.imports ?? []) inPack.add(imported);
  const members = parts
    .filter(({ path }) => inPack.has(path))
    .sort((a, b) => Number(a.path === MAIN) - Number(b.path === MAIN));
  const groups = groupsOf(parts, byPath, inPack);
  await writeGroups(groups, files);
  const places = [...groups].flatMap(([name, paths]) => paths.map((path) => [relative(DIST, path), name]));
  const imports = members.map(({ path }, i) => `import * as m${i} from ${JSON.stringify(path)};`);
  const makers = members.map(
    ({ path, exports }, i) =>
      `${JSON.stringify(relative(DIST, path))}:()=>({__esModule:true,${exports.map((name) => `${name}:m${i}.${name}`).join(',')}})`,
  );
  const { outputFiles } = await build({
    ...COMMON_JS,
    stdin: {
      contents: `${imports.join('')}export default {modules:{${makers.join(',')}},groups:${JSON.stringify(Object.fromEntries(places))}}`,
      resolveDir: DIST,
      sourcefile: PACK_SOURCE,
    },
    bundle: true,
    logLevel: 'warning',
    plugins: [packed(byPath, inPack)],
    write: false,
  });
  await writeAscii(
    PACK,
    `(function (require, module, __filename, keep) {${outputFiles[0].text}\nreturn module.exports.default;})`,
  );
}

/** Writes a file that the launcher reads as Latin-1: V8 keeps other texts in twice the memory. */
async function writeAscii(path: string, text: string): Promise<void> {
  const other = /.{0,40}[^\0-\x7f].{0,40}/.exec(text);
  if (other !== null) throw new Error(`${basename(path)} is not ASCII, write an escape here: ${other[0]}`);
  await write(path, text);
}

/** The modules of each group, by its name. */
function groupsOf(
  parts: readonly Part[],
  byPath: ReadonlyMap<string, Part>,
  inPack: ReadonlySet<string>,
): Map<string, string[]> {
  const users = new Map<Part, string[]>();
  for (const entry of parts) {
    if (entry.source === undefined || !IS_PART.test(entry.source)) continue;
    const needed = new Set([entry]);
    for (const part of needed) {
      users.set(part, [...(users.get(part) ?? []), basename(entry.path).replace(/-\w+\.js$/, '')]);
      for (const path of part.imports) if (!inPack.has(path)) needed.add(byPath.get(path) as Part);
    }
  }
  const groups = new Map<string, string[]>();
  for (const [{ path, text }, names] of users) {
    if (names.length > 1 && text.length >= LARGE) continue;
    const name = names.length > 1 ? SHARED : names[0];
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  return groups;
}

/** Writes the groups: each is an object of its modules' functions, by path. */
async function writeGroups(
  groups: ReadonlyMap<string, readonly string[]>,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, paths] of groups) {
    const modules = paths.map(
      (path) =>
        `${JSON.stringify(relative(DIST, path))}:function (exports, require, module, __filename) {${texts.get(path)}\n}`,
    );
    await writeAscii(join(DIST, 'groups', `${name}.js`), `({${modules.join(',\n')}})`);
  }
}

/**
 * Writes V8's code cache of all modules that commands load; it covers the functions that ran. Programs run once with the
 * compiler, then once from the cache, as most starts do. That run finds a part of its generated code kept, and generates
 * the rest. The pack's code covers what a typical program needs only: V8 reads all of it at each start.
 */
async function keepCode(parts: readonly Part[], files: ReadonlyMap<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-build-'));
  const smallest = join(folder, 'smallest.svc');
  await writeFile(smallest, 'puts 1\n');
  await writePack(parts, files, folder, smallest);
  const env = { SVC_CACHE_DIR: join(folder, 'cache') };
  await keepingServer(await readFile(WARMUP, 'utf8'), env);
  for (const args of [
    ['check', WARMUP],
    ['fmt', '--check', WARMUP],
    ['version'],
    ['run', '--no-cache', WARMUP],
    ['run', WARMUP, 'part'],
    ['run', WARMUP],
    ['run', TYPICAL],
  ])
    keeping(args, env);
  await rm(`${PACK}.code`);
  keeping(['run', '--no-cache', smallest], env);
  keeping(['run', TYPICAL], env);
  await rm(folder, { recursive: true });
}

// `--if-changed`: only if `dist/` is not what it would become.
if (process.argv.includes('--if-changed') && isUpToDate()) {
  console.log('dist/ is up to date');
  process.exit();
}
const parts = await bundle();
const files = await convert(parts);
await addApiDocs(files);
await install(files);
await keepCode(parts, files);
await write(MANIFEST, manifest({ node: process.version }));
for (const [path, text] of files) console.log(`${relative(ROOT, path)}  ${(text.length / 1024).toFixed(0)} KB`);
