import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { CompileEnvironment, CoverageFile } from '../compiler/index.js';
import { reasonOf } from '../natives/reasons.js';
import { InvalidArtefact } from '../vm/artefact/bytes.js';
import { decodeProgram, encodeProgram } from '../vm/artefact/payload.js';
import type { Program } from '../vm/bytecode/program.js';
import { trustProgram, verifyProgram } from '../vm/bytecode/verify.js';
import type { CodeShelf } from '../vm/interpreter/tier.js';
import { isArtefact, readArtefact } from './artefact.js';
import { fromCache, intoCache, noSources, type Sources } from './cache.js';
import { LoadError } from './loaderror.js';
import { TEMPLATE_END, templateFiles, templateFolder } from './templatefiles.js';

/** Names of library modules that are built in. */
export const BUILTIN_MODULES: ReadonlySet<string> = new Set(['svcauth', 'jwt', 'mail', 'oidc']);

/** Maximum bytes of an artefact, assets included. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Maximum bytes of one source file, and of the data read from a pipe or a device, which may be endless. */
const MAX_SOURCE_BYTES = 16 * 1024 * 1024;
/** Bytes per read from a pipe or a device. */
const BLOCK_BYTES = 65536;

function tooLarge(path: string, limit: number): never {
  throw new LoadError(`${path} is larger than ${limit / 1024 / 1024} MB, the largest file that svcc reads`);
}

function readBytes(path: string): Buffer {
  if (path === '') throw new LoadError('the name of the file is empty; name a .svc file');
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new LoadError(`${path} is a directory; name a .svc file`);
    if (!stats.isFile()) return readStream(path);
    return stats.size > MAX_BYTES ? tooLarge(path, MAX_BYTES) : readFileSync(path);
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`cannot read ${path}: ${reasonOf(error)}`);
  }
}

/** Reads a pipe or a device to its end. @throws LoadError if it is too long */
function readStream(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    const blocks: Buffer[] = [];
    for (let total = 0; total <= MAX_SOURCE_BYTES;) {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      const length = readSync(fd, block);
      if (length === 0) return Buffer.concat(blocks);
      blocks.push(block.subarray(0, length));
      total += length;
    }
    return tooLarge(path, MAX_SOURCE_BYTES);
  } finally {
    closeSync(fd);
  }
}

/** Reads a source file. @throws LoadError with the reason if that fails */
export function readSource(path: string): string {
  return decodeSource(path, readBytes(path));
}

/** Decodes UTF-8 and skips a byte order mark. @throws LoadError with the position of the first invalid byte */
export function decodeSource(path: string, bytes: Buffer): string {
  if (bytes.length > MAX_SOURCE_BYTES) tooLarge(path, MAX_SOURCE_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (isArtefact(bytes)) throw new LoadError(`${path} is an artefact; name the .svc file that it was made from`);
    if (isBinary(bytes)) throw new LoadError(`${path} is a binary file, not the text of a Svc program`);
    const good = validPrefix(bytes);
    const before = bytes.subarray(0, good).toString('utf8').split('\n');
    const last = before[before.length - 1];
    throw new LoadError(
      `${path}:${before.length}:${last.length + 1}: error: invalid UTF-8 (byte 0x${bytes[good].toString(16).padStart(2, '0')}); save the file as UTF-8`,
    );
  }
}

/**
 * Whether bytes that are not valid UTF-8 contain too many zeros to be text. UTF-16 has one in every second byte at
 * most, and begins with a byte order mark.
 */
function isBinary(bytes: Buffer): boolean {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return mark !== 0xfffe && mark !== 0xfeff && bytes.includes(0);
}

/** Length of the longest prefix that is valid UTF-8. */
function validPrefix(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isPrefixOfUtf8(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  // Exclude an unfinished sequence at the end: it is invalid.
  while (!isUtf8(bytes.subarray(0, low))) low--;
  return low;
}

function isPrefixOfUtf8(bytes: Buffer): boolean {
  try {
    // In stream mode an unfinished sequence at the end is not an error yet.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Path for messages: relative to the working directory if it lies below that. */
function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith(`..${sep}`) && short !== '..' ? short : path;
}

/**
 * Candidate paths of a module: beside the file that names it, then in the working directory. `stitch` and `use` search
 * `stitches/` beside the program, then beside the file: the tests of a library are programs of their own.
 */
function candidates(form: string, name: string, from: string, entry: string): string[] {
  const file = name.endsWith('.svc') ? name : `${name}.svc`;
  if (form === 'stitch' || form === 'use')
    return [join(dirname(entry), 'stitches', file), join(dirname(from), 'stitches', file)];
  return [resolve(dirname(from), file), resolve(file)];
}

/**
 * Gives the compiler access to the file system for the program that starts in file `entry`. Records in `sources` what
 * was read.
 */
export function environment(
  natives: ReadonlySet<string>,
  entry: string,
  sources: Sources = noSources(),
): CompileEnvironment {
  return {
    natives,
    builtinModules: BUILTIN_MODULES,
    load(form, name, from) {
      for (const path of candidates(form, name, from, entry)) {
        if (statSync(path, { throwIfNoEntry: false }) === undefined) {
          sources.absent.push(resolve(path));
          continue;
        }
        const shown = shownPath(path);
        try {
          const bytes = readBytes(shown);
          sources.files.push({ shown, path: resolve(path), bytes });
          return { path: shown, text: decodeSource(shown, bytes) };
        } catch (error) {
          if (error instanceof LoadError) return { problem: error.message };
          throw error;
        }
      }
      return null;
    },
    templates(directory, from) {
      const folder = templateFolder(directory, from);
      try {
        const names = templateFiles(folder);
        sources.listings.push({ directory: folder, names });
        return names.map((name) => {
          const shown = shownPath(join(folder, name));
          const bytes = readBytes(shown);
          sources.files.push({ shown, path: resolve(shown), bytes });
          return { name: name.slice(0, -TEMPLATE_END.length), path: shown, text: decodeSource(shown, bytes) };
        });
      } catch (error) {
        if (error instanceof LoadError) return { problem: error.message };
        sources.listings.push({ directory: folder, names: [] });
        return { problem: `cannot read the templates in ${shownPath(folder)}: ${reasonOf(error)}` };
      }
    },
  };
}

/**
 * A compiled program and its sources. Sources are null if the program must not be cached, so that its warnings appear
 * again.
 */
export interface Loaded {
  program: Program;
  sources: Sources | null;
}

/** Reads and compiles a source file. Warnings go to `warn`. @throws LoadError */
export async function loadSource(
  path: string,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
): Promise<Loaded> {
  return compileBytes(path, readBytes(path), natives, warn);
}

/** A program that counts what runs, and what its counters mean. It is not cached. */
export interface Covered {
  program: Program;
  coverage: readonly CoverageFile[];
}

/** Compiles a source file so that it counts which statements and branches run. @throws LoadError */
export async function loadCovered(
  path: string,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
): Promise<Covered> {
  const { program, coverage } = await compileBytes(path, readBytes(path), natives, warn, noSources(), true);
  return { program, coverage };
}

async function compileBytes(
  path: string,
  bytes: Buffer,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
  sources: Sources = noSources(),
  covered = false,
): Promise<Loaded & Covered> {
  const text = decodeSource(path, bytes);
  sources.files.push({ shown: path, path: resolve(path), bytes });
  const { compile, renderDiagnostic } = await import('../compiler/index.js');
  const env = { ...environment(natives, path, sources), coverage: covered };
  const { program, diagnostics, coverage, texts } = compile(path, text, env);
  const rendered = diagnostics.map((d) => renderDiagnostic(d, texts.get(d.file) ?? ''));
  if (program === null) throw new LoadError(rendered.join('\n'), diagnostics, 2, sources.absent);
  for (const line of rendered) warn(`${line}\n`);
  return { program, sources: diagnostics.length === 0 ? sources : null, coverage };
}

/**
 * Reads a program: loads an artefact, or compiles a source file. Passes warnings to `warn`, and adds to `sources` what it
 * was made from, also when it fails. @throws LoadError
 */
export async function loadProgram(
  path: string,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
  sources: Sources = noSources(),
): Promise<Program> {
  const bytes = readBytes(path);
  return isArtefact(bytes) || path.endsWith('.svcb')
    ? readArtefact(path, bytes, natives)
    : (await compileBytes(path, bytes, natives, warn, sources)).program;
}

/** Name of a program from standard input, in messages. */
export const STDIN_NAME = '<stdin>';
/** Name of a program from the command line, in messages. */
export const CODE_NAME = '-e';

/** Compiles a program that is not in a file. It finds other files from the working directory. @throws LoadError */
export async function loadText(
  name: string,
  bytes: Buffer,
  natives: ReadonlySet<string>,
  warn: (text: string) => void,
): Promise<Program> {
  return isArtefact(bytes)
    ? readArtefact(name, bytes, natives)
    : (await compileBytes(name, bytes, natives, warn)).program;
}

/** Reads standard input to its end. @throws LoadError if it is too long, or cannot be read */
export async function readStandardInput(): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let total = 0;
  try {
    for await (const block of process.stdin as AsyncIterable<Buffer>) {
      total += block.length;
      if (total > MAX_SOURCE_BYTES) tooLarge('standard input', MAX_SOURCE_BYTES);
      blocks.push(block);
    }
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`cannot read standard input: ${reasonOf(error)}`);
  }
  return Buffer.concat(blocks);
}

/** A program, and where its generated code is kept between runs; null: nowhere. */
export interface CachedProgram {
  program: Program;
  shelf: CodeShelf | null;
}

/** Like `loadProgram`, but uses the cache for source files; asks for names only to compile. @throws LoadError */
export async function loadCached(
  path: string,
  names: () => ReadonlySet<string>,
  warn: (text: string) => void,
): Promise<CachedProgram> {
  const bytes = readBytes(path);
  if (isArtefact(bytes) || path.endsWith('.svcb')) return { program: readArtefact(path, bytes, names()), shelf: null };
  const cached = cachedProgram(path);
  if (cached !== null) return cached;
  const { program, sources } = await compileBytes(path, bytes, names(), warn);
  if (sources === null) return { program, shelf: null };
  // Entries are not verified when they are read.
  verifyProgram(program);
  return { program, shelf: intoCache(path, sources, encodeProgram(program, false)) };
}

/** The program of a sound entry. Nothing is verified again, which would take 3 to 6 ms for 100 to 150 lines. */
function cachedProgram(path: string): CachedProgram | null {
  const entry = fromCache(path);
  if (entry === null) return null;
  try {
    const program = decodeProgram(entry.payload);
    trustProgram(program);
    for (const source of program.sources) source.text = entry.texts.get(source.path) ?? null;
    return { program, shelf: entry.shelf };
  } catch (error) {
    if (error instanceof InvalidArtefact) return null;
    throw error;
  }
}
