import { promises as fs, type Stats } from 'node:fs';
import { Bytes, invalidFrom } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { Steps } from '../../vm/values/steps.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions } from '../core/declare.js';
import { withJson } from '../core/json/index.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../core/json/jsonparse.js';
import { sortSteps } from '../core/collections/sort.js';
import { checkElements } from '../core/limits.js';
import { lineSteps } from '../core/strings/layout.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { assetAt, assetFor, assetNames, bytesOf, isAssetFolder } from './assets.js';
import { failIo, inFile, io, namingFile } from './errors.js';
import { readBytes, readPlainText, readText } from './filetext.js';
import { appendText, copyFile, replaceText } from './filewriting.js';
import { waitForOperation, type Operation } from './waiting.js';

/** @throws ValueError for a NUL character and for a lone surrogate, which no path can contain */
export function checkPath(path: string): string {
  if (path.includes('\0')) fail(Errors.ValueError, `a path cannot contain a NUL character: ${JSON.stringify(path)}`);
  return wellFormed(path, 'the path');
}

/** Names that are checked before other threads run. */
const NAMES_PER_STEP = 1024;

/** Suspends until an operation on files is done. */
function file(vm: NativeContext, paths: readonly string[], operation: Operation): undefined {
  for (const path of paths) checkPath(path);
  return waitForOperation(vm, 'file', operation);
}

/** Whether there is something at a path that satisfies the test. */
async function found(path: string, test: (stats: Stats) => boolean): Promise<boolean> {
  try {
    return test(await fs.stat(path));
  } catch {
    return false;
  }
}

/** Whether a file or directory exists at a path, in the artefact or on disk. */
async function exists(vm: NativeContext, path: string): Promise<boolean> {
  return assetAt(vm, path) !== null || isAssetFolder(vm, path) || found(path, () => true);
}

async function isDirectory(vm: NativeContext, path: string): Promise<boolean> {
  if (assetAt(vm, path) !== null) return false;
  return isAssetFolder(vm, path) || found(path, (stats) => stats.isDirectory());
}

async function remove(path: string): Promise<null> {
  return io(`delete ${path}`, async () => {
    try {
      await fs.unlink(path);
    } catch (error) {
      // Systems differ in which of the two they report for a directory.
      if (
        !['EISDIR', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') ||
        !(await found(path, (stats) => stats.isDirectory()))
      )
        throw error;
      await fs.rmdir(path);
    }
    return null;
  });
}

async function rename(from: string, to: string): Promise<null> {
  const action = `rename ${from} to ${to}`;
  await io(action, async () => {
    try {
      await fs.rename(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
      fail(Errors.IOError, `cannot ${action}: a directory cannot be moved into itself`);
    }
  });
  return null;
}

/** Copies a file, possibly one of the artefact; the copy is always on disk. */
async function copy(vm: NativeContext, from: string, to: string, signal: AbortSignal): Promise<null> {
  const asset = assetFor(vm, from, `copy ${from} to ${to}`);
  await (asset === null ? copyFile(vm, from, to, signal) : replaceText(vm, to, bytesOf(asset), signal));
  return null;
}

/** Names in a directory, of the artefact's and the disk's together where both exist. */
async function list(vm: NativeContext, path: string, signal: AbortSignal): Promise<Value> {
  const action = `list ${path}`;
  if (assetAt(vm, path) !== null) failIo(action, { code: 'ENOTDIR' });
  const bundled = assetNames(vm, path);
  const names = await (bundled === null
    ? io(action, () => fs.readdir(path))
    : fs.readdir(path).catch((): string[] => []));
  // In place of bytes that are not UTF-8, unless it is part of the name.
  if (names.some((name) => name.includes('\ufffd'))) {
    const bytes = await io(action, () => fs.readdir(path, { encoding: 'buffer' }));
    await vm.laterInPieces(checkNames(action, bytes), signal);
  }
  const all = bundled === null ? names : [...new Set([...bundled, ...names])];
  checkElements(all.length);
  return vm.laterInPieces(sortSteps(all), signal);
}

/** @throws ValueError for a name that is not UTF-8: no text could name that file */
function* checkNames(action: string, names: readonly Buffer[]): Steps {
  for (const [i, name] of names.entries()) {
    if (i % NAMES_PER_STEP === NAMES_PER_STEP - 1) yield;
    const text = name.toString();
    if (Buffer.from(text).equals(name)) continue;
    const byte = name[invalidFrom(name, 0)].toString(16);
    fail(Errors.ValueError, `cannot ${action}: the name ${JSON.stringify(text)} is not UTF-8 (byte ${byte})`);
  }
  return null;
}

/** Native `json_write`. Encodes before it opens the file: after an error the file is unchanged. */
function writeJson(vm: NativeContext, path: string, value: Value, pretty: boolean): Value | undefined {
  checkPath(path);
  return withJson(vm, value, pretty, (json) =>
    file(vm, [], (signal) => replaceText(vm, path, `${json}\n`, signal).then(() => null)),
  );
}

/** Native `json_read`. @throws IOError, ValueError */
function readJson(vm: NativeContext, path: string): undefined {
  return file(vm, [path], async (signal) => {
    const text = await readPlainText(vm, path, signal);
    return text.length > MAX_STEP_CHARACTERS
      ? vm.laterInPieces(namingFile(path, parseSteps(text)), signal)
      : inFile(path, () => parseJson(text));
  });
}

function contentOf(content: string | Bytes): string | Uint8Array {
  return content instanceof Bytes ? content.data : wellFormed(content);
}

/** Files and directories. Every function waits without blocking other threads. */
// prettier-ignore
export const files = functions([
  ['file_read', 'path: String', 'String', 'The text of a file; ValueError with the offset when it is not UTF-8.', (vm: NativeContext, path: string) => file(vm, [path], (signal) => readText(vm, path, signal))],
  ['file_read_bytes', 'path: String', 'Bytes', 'The bytes of a file.', (vm: NativeContext, path: string) => file(vm, [path], (signal) => readBytes(vm, path, signal))],
  ['file_lines', 'path: String', 'Vector', 'The lines of a file without their ends.', (vm: NativeContext, path: string) => file(vm, [path], async (signal) => vm.laterInPieces(lineSteps(await readText(vm, path, signal), true), signal))],
  ['file_write', 'path: String, text: String|Bytes', 'Nil', 'Replaces the content of a file with a text or Bytes; owner and permissions stay. After an error the file is unchanged. Where its folder permits no other file, or its owner cannot be kept, the file itself is changed: to its end even if a timeout ends the call, but an error of the disk may leave a part of it changed.', (vm: NativeContext, path: string, text: string | Bytes) => file(vm, [path], (signal) => replaceText(vm, path, contentOf(text), signal).then(() => null))],
  ['file_append', 'path: String, text: String|Bytes', 'Nil', 'Appends a text or Bytes to a file, which is created if missing.', (vm: NativeContext, path: string, text: string | Bytes) => file(vm, [path], (signal) => appendText(path, contentOf(text), signal).then(() => null))],
  ['file_exists', 'path: String', 'Boolean', 'Whether a file or directory exists at this path.', (vm: NativeContext, path: string) => file(vm, [path], () => exists(vm, path))],
  ['file_delete', 'path: String', 'Nil', 'Deletes a file or an empty directory.', (vm: NativeContext, path: string) => file(vm, [path], () => remove(path))],
  ['file_rename', 'from: String, to: String', 'Nil', 'Moves a file or directory to another path on the same file system; an existing file there is replaced.', (vm: NativeContext, from: string, to: string) => file(vm, [from, to], () => rename(from, to))],
  ['file_copy', 'from: String, to: String', 'Nil', 'Copies a file and its permissions. An existing file at the other path is replaced as by `file_write`: it keeps its owner, and after an error it is unchanged.', (vm: NativeContext, from: string, to: string) => file(vm, [from, to], (signal) => copy(vm, from, to, signal))],
  ['file_mkdir', 'path: String', 'Nil', 'Creates a directory and its parents; existing ones are no error.', (vm: NativeContext, path: string) => file(vm, [path], () => io(`make the directory ${path}`, () => fs.mkdir(path, { recursive: true })).then(() => null))],
  ['dir_exists', 'path: String', 'Boolean', 'Whether a directory exists at this path.', (vm: NativeContext, path: string) => file(vm, [path], () => isDirectory(vm, path))],
  ['dir_list', 'path: String = "."', 'Vector', 'Names of the files and directories in a directory, sorted; ValueError if one is not UTF-8.', (vm: NativeContext, path: string) => file(vm, [path], (signal) => list(vm, path, signal))],
  ['json_read', 'path: String', 'Any', 'The value of a JSON file; ValueError with line and column when it is not valid.', readJson],
  ['json_write', 'path: String, value: Any, pretty: Boolean = false', 'Nil', 'Writes a value to a file as JSON, compact or indented by two blanks for each level.', writeJson],
]);
