/**
 * The command `svcc`: runs the modules of the bundle from code that V8 cached at build time, which takes a third of the
 * time of compiling them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';

interface Chunk {
  exports: object;
}

type ModuleFunction = (exports: object, require: (name: string) => unknown, module: Chunk, path: string) => void;

/** Modules loaded so far, by path. */
export const chunks = new Map<string, Chunk>();
/** Compiled scripts by file: modules, or the pack. */
export const scripts = new Map<string, Script>();

const builtin = createRequire(__filename);

/**
 * The modules that every program loads, in one file (tools/build.ts): an object of functions, by path. Each script takes
 * time apart from its size.
 */
const PACK = join(__dirname, 'pack.js');
let packed: Partial<Record<string, ModuleFunction>> | null = null;

/**
 * V8's cached code of a script; undefined if there is none. V8 rejects code that another version or other flags
 * produced.
 */
function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(`${path}.code`);
  } catch {
    return undefined;
  }
}

/** The value of a script. */
function evaluated(path: string, text: string): unknown {
  const script = new Script(text, { filename: path, cachedData: codeOf(path) });
  scripts.set(path, script);
  return script.runInThisContext();
}

function pack(): Partial<Record<string, ModuleFunction>> {
  try {
    return evaluated(PACK, readFileSync(PACK, 'latin1')) as Record<string, ModuleFunction>;
  } catch (error) {
    // The build has not made it yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function moduleOf(path: string): ModuleFunction {
  // Starts on the same line as the text, so that positions stay correct.
  const text = `(function (exports, require, module, __filename) {${readFileSync(path, 'utf8')}\n})`;
  return evaluated(path, text) as ModuleFunction;
}

/** Loads a module of the bundle, or one of node's own. */
export function load(path: string): object {
  const known = chunks.get(path);
  if (known !== undefined) return known.exports;
  packed ??= pack();
  const module = packed[relative(__dirname, path).replaceAll('\\', '/')] ?? moduleOf(path);
  const chunk: Chunk = { exports: {} };
  chunks.set(path, chunk);
  const folder = dirname(path);
  const find = (name: string): unknown => (name.startsWith('.') ? load(join(folder, name)) : builtin(name));
  module(chunk.exports, find, chunk, path);
  return chunk.exports;
}

if (require.main === module) load(join(__dirname, 'main.js'));
