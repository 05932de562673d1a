import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { CompileEnvironment, Diagnostic } from '../compiler/index.js';
import type { Program } from '../vm/bytecode/program.js';

/** Names of library modules that need no file. */
const BUILTIN_MODULES: ReadonlySet<string> = new Set(['svcauth']);

/** A program that could not be loaded: what to print, and the exit code (2). */
export class LoadError extends Error {
  constructor(message: string, readonly diagnostics: readonly Diagnostic[] = []) {
    super(message);
  }
}

/** Reads a source file. @throws LoadError that says what is wrong with it */
export function readSource(path: string): string {
  let bytes: Buffer;
  try {
    if (statSync(path).isDirectory()) throw new LoadError(`${path} is a directory; name a .svc file`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`cannot read ${path}: ${reason(error as NodeJS.ErrnoException)}`);
  }
  return decode(path, bytes);
}

function reason(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT': return 'no such file';
    case 'EACCES': case 'EPERM': return 'permission denied';
    case 'ENOTDIR': return 'a part of the path is not a directory';
    case 'ENAMETOOLONG': return 'the path is too long';
    default: return error.code ?? error.message;
  }
}

/** Text of UTF-8 bytes; a byte order mark is skipped. @throws LoadError with the position of the first bad byte */
function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const good = validPrefix(bytes);
    const before = bytes.subarray(0, good).toString('utf8').split('\n');
    const last = before[before.length - 1];
    throw new LoadError(`${path}:${before.length}:${last.length + 1}: error: invalid UTF-8 (byte 0x${bytes[good].toString(16).padStart(2, '0')}); save the file as UTF-8`);
  }
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
  // An unfinished sequence at the end belongs to what is wrong.
  while (!isUtf8(bytes.subarray(0, low))) low--;
  return low;
}

function isPrefixOfUtf8(bytes: Buffer): boolean {
  try {
    // In a stream an unfinished sequence at the end is no error yet.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Path as people see it: relative to the working directory when it lies below. */
function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith(`..${sep}`) && short !== '..' ? short : path;
}

/** Where a module may be: beside the file that names it, then in the working directory; `stitch` and `use` look into `stitches/` beside the program. */
function candidates(form: string, name: string, from: string, entry: string): string[] {
  const file = name.endsWith('.svc') ? name : `${name}.svc`;
  if (form === 'stitch' || form === 'use') return [join(dirname(entry), 'stitches', file)];
  return [resolve(dirname(from), file), resolve(file)];
}

/** What the compiler asks of the file system for the program that starts in file `entry`. */
export function environment(natives: ReadonlySet<string>, entry: string): CompileEnvironment {
  return {
    natives,
    builtinModules: BUILTIN_MODULES,
    load(form, name, from) {
      for (const path of candidates(form, name, from, entry)) {
        if (statSync(path, { throwIfNoEntry: false }) === undefined) continue;
        const shown = shownPath(path);
        try {
          return { path: shown, text: readSource(shown) };
        } catch (error) {
          if (error instanceof LoadError) return { problem: error.message };
          throw error;
        }
      }
      return null;
    },
  };
}

/** Reads and compiles a program. Warnings go to `warn`. @throws LoadError */
export async function loadProgram(path: string, natives: ReadonlySet<string>, warn: (text: string) => void): Promise<Program> {
  const text = readSource(path);
  const { compile, renderDiagnostic } = await import('../compiler/index.js');
  const { program, diagnostics, texts } = compile(path, text, environment(natives, path));
  const rendered = diagnostics.map((d) => renderDiagnostic(d, texts.get(d.file) ?? ''));
  if (program === null) throw new LoadError(rendered.join('\n'), diagnostics);
  for (const line of rendered) warn(`${line}\n`);
  return program;
}
