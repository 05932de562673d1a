/**
 * The command `svcc`: runs the modules of the bundle from code that V8 cached at build time, which takes a third of the
 * time of compiling them. Where V8 rejects that, a run leaves its own for the next (v8code.ts).
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type v8 from 'node:v8';
import { Script } from 'node:vm';
import { keepFreedMemory } from '../natives/freedmemory.js';
import { contentOf } from './cachefiles.js';
import { keepV8Code, keptV8Code } from './v8code.js';

interface Chunk {
  exports: object;
}

type Require = (name: string) => unknown;
type ModuleFunction = (exports: object, require: Require, module: Chunk, path: string) => void;
interface Pack {
  /** Functions that make the exports of the pack's modules, by path. */
  modules: Partial<Record<string, () => object>>;
  /** Names of the groups that other modules are in, by path. */
  groups: Partial<Record<string, string>>;
}
/** Modules that are in one file, by path. */
type Group = Partial<Record<string, ModuleFunction>>;
type Keep = (name: string, isPacked: boolean) => () => object;

/** Modules loaded so far, by path. */
export const chunks = new Map<string, Chunk>();
/** Compiled scripts by file: modules, or the pack. */
export const scripts = new Map<string, Script>();

/** The launcher is a CommonJS module. */
const builtin: Require = require;

/** The modules that every program loads, in one function (tools/build.ts). Each script takes time apart from its size. */
const PACK = join(__dirname, 'pack.js');
/** Bytes for the text of the largest script, or its code. */
const ROOM_BYTES = 1.5 * 1024 * 1024;
/**
 * Memory for the text of a script, then for its code, then for those of the next script. The system hands out a page of
 * memory when it is first written to: to use them again saves up to a twentieth of the smallest program's time. Undefined
 * before the pack is read, and when the program has started.
 */
let room: Buffer | undefined;
/** Bytes of freed memory that a program keeps for what it needs next, if it is no server. */
const FREED_BYTES = 4 * 1024 * 1024;
/** Commands that run no program: they load modules one by one, because the pack would take longer. */
const WITHOUT_PACK = new Set([
  'version',
  '-v',
  '--version',
  'help',
  '-h',
  '--help',
  'completion',
  'cache',
  'fmt',
  'new',
]);
/** The module of the JIT compiler, which is called when a function of the program is hot. */
const COMPILER = './chunks/jit.js';
/** Major version of V8. */
const V8 = parseInt(process.versions.v8);
/** How far a program has come: no function is hot, one was for some milliseconds, one was for some tenths of a second. */
type Stage = 'usual' | 'hot' | 'lasting';
/** An option of V8. */
interface Option {
  /** A part of the name, which is in options that the user has set for the same thing. */
  name: string;
  /** The newest version of V8 that is known to have the option. */
  newestV8: number;
  /** V8's own value, under which the code of modules is cached. */
  usual: string;
  hot: string;
  /** Null where it is that for hot programs. */
  lasting: string | null;
}
const OPTIONS: readonly Option[] = [
  // The work after which V8 looks whether to optimise a function. With more it optimises fewer functions, once, with what
  // it has learned. Later versions count calls instead.
  {
    name: 'interrupt',
    newestV8: 11,
    usual: '--interrupt-budget=67584',
    hot: '--interrupt-budget=150000',
    lasting: null,
  },
  // Whether objects are made in the old space at once if earlier ones from the same place in the code survived. After
  // thousands of requests that wait, these would be parts of each later request, which would stay in memory until the
  // next full collection (docs/performance.md). A version that does not know the option would write an error.
  {
    name: 'pretenuring',
    newestV8: 14,
    usual: '--allocation-site-pretenuring',
    hot: '--no-allocation-site-pretenuring',
    lasting: null,
  },
  // How fast the space for young objects grows from 1 MB to 16 MB and more; 1 is not at all. The system hands out each of
  // its pages when it is first written to, for up to 13 µs on a virtual machine: a program that ends soon saves the time.
  // One whose objects live longer than a millisecond needs the room: each collection copies all of them.
  {
    name: 'semi',
    newestV8: 14,
    usual: '--semi-space-growth-factor=2',
    hot: '--semi-space-growth-factor=1',
    lasting: '--semi-space-growth-factor=2',
  },
];
const USER_OPTIONS = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
/** The options that this V8 has and the user has not set. */
const FREE_OPTIONS = OPTIONS.filter(
  ({ name, newestV8 }) => V8 <= newestV8 && !USER_OPTIONS.some((argument) => argument.includes(name)),
);
/** Milliseconds from the first hot function until options are set: programs that end before do not load what sets them. */
const HOT_AFTER_MS = 10;
/** Milliseconds from then on until a program is one that does not end soon, such as a server. */
const LASTING_AFTER_MS = 300;
let stage: Stage = 'usual';
let loading = 0;

/** Whether V8's code may be kept. `svcc cache clear` leaves none behind. For coverage V8 makes code that counts, and is slower. */
const MAY_KEEP =
  process.argv[2] !== 'cache' && !process.argv.includes('--no-cache') && process.env.NODE_V8_COVERAGE === undefined;
/** Whether the user's cache has V8's code: the first script tells for all. */
let isInCache: boolean | undefined = MAY_KEEP ? undefined : false;
const NO_PACK: Pack = { modules: {}, groups: {} };
let packed: Pack | null = WITHOUT_PACK.has(process.argv[2]) ? NO_PACK : null;
/** Groups that have been read, by name. */
const groups = new Map<string, Group>();

interface Source {
  text: Buffer;
  /** V8's cached code; undefined if there is none. */
  code: Buffer | undefined;
}

/**
 * Files of modules that the pack may load later. They are read with it: later there may be no descriptor left, or the
 * files of another version.
 */
const kept = new Map<string, Source>();

/** Reads a whole file into `memory`, or into memory of its own if that is missing or too small. */
function readInto(memory: Buffer | undefined, path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    return contentOf(fd, fstatSync(fd).size, memory);
  } finally {
    closeSync(fd);
  }
}

/** Path of a script in the bundle, with slashes. */
function nameOf(path: string): string {
  return relative(__dirname, path).replaceAll('\\', '/');
}

/**
 * V8's cached code of a script, in `memory` if there is some; undefined if there is none. V8 rejects code that another
 * version or other flags produced.
 */
function codeOf(path: string, memory?: Buffer): Buffer | undefined {
  if (isInCache !== false) {
    const code = keptV8Code(nameOf(path), memory);
    isInCache ??= code !== undefined;
    if (code !== undefined) return code;
  }
  try {
    return readInto(memory, `${path}.code`);
  } catch {
    return undefined;
  }
}

function read(path: string): Source {
  return { text: readFileSync(path), code: codeOf(path) };
}

/** The value of a script in the bundle. */
function evaluatedFile(path: string): unknown {
  // The text is copied out of the room before the code is read into it.
  const text = readInto(room, path).toString('latin1');
  return evaluated(path, text, codeOf(path, room));
}

/** The value of a script. V8 reads `cachedData` before the script runs. */
function evaluated(path: string, text: string, cachedData: Buffer | undefined): unknown {
  const script = new Script(text, { filename: path, cachedData });
  scripts.set(path, script);
  if (MAY_KEEP && script.cachedDataRejected === true && !process.listeners('exit').includes(keepRejected))
    process.on('exit', keepRejected);
  return script.runInThisContext();
}

/** Leaves V8's code of scripts for the next run that has the same version and options, with the functions that ran. */
function keepRejected(): void {
  withOwnFlags(() => {
    for (const [path, script] of scripts) if (script.cachedDataRejected === true) keepV8Code(nameOf(path), script);
  });
}

function setOptions(next: Stage): void {
  const { setFlagsFromString } = builtin('node:v8') as typeof v8;
  for (const option of FREE_OPTIONS) setFlagsFromString(option[next] ?? option.hot);
}

/** Sets the options for what the program has become, now or after modules are loaded. */
function enter(next: 'hot' | 'lasting'): void {
  stage = next;
  if (loading === 0) setOptions(stage);
  if (stage === 'hot') setTimeout(enter, LASTING_AFTER_MS, 'lasting').unref();
}

/** Runs `work`, which loads modules, with V8's own flags: with others it would reject their cached code. */
function withOwnFlags<T>(work: () => T): T {
  if (stage !== 'usual' && loading === 0) setOptions('usual');
  loading++;
  try {
    return work();
  } finally {
    loading--;
    if (stage !== 'usual' && loading === 0) setOptions(stage);
  }
}

/** Reads a module of the pack's folder, unless the pack has it. @returns what runs it at the first call, and gives its exports */
function keep(name: string, isPacked: boolean): () => object {
  const path = join(__dirname, name);
  if (!isPacked) kept.set(path, read(path));
  return () =>
    withOwnFlags(() => {
      if (name === COMPILER && FREE_OPTIONS.length > 0) setTimeout(enter, HOT_AFTER_MS, 'hot').unref();
      return load(path);
    });
}

/** Runs the modules of the pack, the main one at the end. */
function pack(): Pack {
  try {
    keepFreedMemory(FREED_BYTES);
    room = Buffer.allocUnsafeSlow(ROOM_BYTES);
    setImmediate(() => (room = undefined)).unref();
    const run = evaluatedFile(PACK) as (...args: [Require, Chunk, string, Keep]) => Pack;
    return run(requireIn(__dirname), { exports: {} }, PACK, keep);
  } catch (error) {
    // The build has not made it yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_PACK;
    throw error;
  }
}

/** `require` for the modules of a folder. */
function requireIn(folder: string): Require {
  return (name) => withOwnFlags(() => (name.startsWith('.') ? load(join(folder, name)) : builtin(name)));
}

/** A module of a group, which is read when the first of its modules is needed; undefined for others. */
function grouped(name: string): ModuleFunction | undefined {
  const group = packed?.groups[name];
  if (group === undefined) return undefined;
  let modules = groups.get(group);
  if (modules === undefined) {
    modules = evaluatedFile(join(__dirname, 'groups', `${group}.js`)) as Group;
    groups.set(group, modules);
  }
  return modules[name];
}

function moduleOf(path: string): ModuleFunction {
  // Starts on the same line as the text, so that positions stay correct.
  const { text, code } = kept.get(path) ?? read(path);
  kept.delete(path);
  return evaluated(path, `(function (exports, require, module, __filename) {${text}\n})`, code) as ModuleFunction;
}

/** Loads a module of the bundle, or one of node's own. */
export function load(path: string): object {
  const known = chunks.get(path);
  if (known !== undefined) return known.exports;
  packed ??= pack();
  const name = nameOf(path);
  const make = packed.modules[name];
  if (make !== undefined) {
    const exports = make();
    chunks.set(path, { exports });
    return exports;
  }
  // A file that cannot be read now, for want of a descriptor, may be read later.
  const run = grouped(name) ?? moduleOf(path);
  const chunk: Chunk = { exports: {} };
  chunks.set(path, chunk);
  run(chunk.exports, requireIn(dirname(path)), chunk, path);
  return chunk.exports;
}

if (require.main === module) load(join(__dirname, 'main.js'));
