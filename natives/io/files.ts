import { copyFile, mkdir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { Errors, fail } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { functions } from '../core/declare.js';
import { encodeJson, parseJson } from '../core/json/index.js';
import { checkElements } from '../core/limits.js';
import { inFile, io } from './errors.js';
import { appendText, readPlainText, readText, replaceText } from './filetext.js';
import { waitFor, type Operation } from './waiting.js';

/** @throws ValueError for a NUL character, which no path can hold */
export function checkPath(path: string): string {
  if (path.includes('\0')) fail(Errors.ValueError, `a path cannot hold a NUL character: ${JSON.stringify(path)}`);
  return path;
}

/** Waits for an operation on files. */
function file(vm: VM, paths: readonly string[], operation: Operation): undefined {
  for (const path of paths) checkPath(path);
  return waitFor(vm, 'file', operation);
}

function lines(text: string): string[] {
  if (text === '') return [];
  const list = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  checkElements(list.length);
  return list.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Whether something is at a path that the test accepts. */
async function found(path: string, test: (stats: Awaited<ReturnType<typeof stat>>) => boolean): Promise<boolean> {
  try {
    return test(await stat(path));
  } catch {
    return false;
  }
}

async function remove(path: string): Promise<null> {
  return io(`delete ${path}`, async () => {
    try {
      await unlink(path);
    } catch (error) {
      // Which of the two a system says of a directory differs.
      if (!['EISDIR', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') || !(await found(path, (stats) => stats.isDirectory()))) throw error;
      await rmdir(path);
    }
    return null;
  });
}

async function copy(from: string, to: string): Promise<null> {
  return io(`copy ${from} to ${to}`, async () => {
    // Opening a pipe would wait for its other end.
    if (!(await stat(from)).isFile()) fail(Errors.IOError, `cannot copy ${from} to ${to}: only files can be copied`);
    await copyFile(from, to);
    return null;
  });
}

async function list(path: string): Promise<Value> {
  const names = await io(`list ${path}`, () => readdir(path));
  checkElements(names.length);
  return names.sort();
}

/** A text for json_write; made before the wait, so that the value's later changes do not matter. */
function writeJson(vm: VM, path: string, value: Value, pretty: boolean): undefined {
  const text = `${encodeJson(value, pretty)}\n`;
  return file(vm, [path], (signal) => replaceText(path, text, signal).then(() => null));
}

/** Files and directories. Every function waits without holding up other threads. */
export const files = functions([
  ['file_read', 'path: String', 'String', 'The text of a file; bytes that are not UTF-8 become U+FFFD.', (vm: VM, path: string) => file(vm, [path], (signal) => readText(path, signal))],
  ['file_lines', 'path: String', 'Vector', 'The lines of a file without their ends.', (vm: VM, path: string) => file(vm, [path], async (signal) => lines(await readText(path, signal)))],
  ['file_write', 'path: String, text: String', 'Nil', 'Writes a text as the whole content of a file; after an error the file is what it was.', (vm: VM, path: string, text: string) => file(vm, [path], (signal) => replaceText(path, text, signal).then(() => null))],
  ['file_append', 'path: String, text: String', 'Nil', 'Writes a text to the end of a file, which is made when it is missing.', (vm: VM, path: string, text: string) => file(vm, [path], (signal) => appendText(path, text, signal).then(() => null))],
  ['file_exists', 'path: String', 'Boolean', 'Whether a file or directory is at this path.', (vm: VM, path: string) => file(vm, [path], () => found(path, () => true))],
  ['file_delete', 'path: String', 'Nil', 'Deletes a file, or a directory that is empty.', (vm: VM, path: string) => file(vm, [path], () => remove(path))],
  ['file_rename', 'from: String, to: String', 'Nil', 'Moves a file or directory to another path on the same file system; a file there is replaced.', (vm: VM, from: string, to: string) => file(vm, [from, to], () => io(`rename ${from} to ${to}`, () => rename(from, to)).then(() => null))],
  ['file_copy', 'from: String, to: String', 'Nil', 'Copies a file; a file at the other path is replaced.', (vm: VM, from: string, to: string) => file(vm, [from, to], () => copy(from, to))],
  ['file_mkdir', 'path: String', 'Nil', 'Makes a directory and those above it; one that exists is no error.', (vm: VM, path: string) => file(vm, [path], () => io(`make the directory ${path}`, () => mkdir(path, { recursive: true })).then(() => null))],
  ['dir_exists', 'path: String', 'Boolean', 'Whether a directory is at this path.', (vm: VM, path: string) => file(vm, [path], () => found(path, (stats) => stats.isDirectory()))],
  ['dir_list', 'path: String = "."', 'Vector', 'Names of the files and directories in a directory, in order.', (vm: VM, path: string) => file(vm, [path], () => list(path))],
  ['json_read', 'path: String', 'Any', 'The value of a JSON file; ValueError with line and column when it is not valid.', (vm: VM, path: string) => file(vm, [path], async (signal) => { const text = await readPlainText(path, signal); return inFile(path, () => parseJson(text)); })],
  ['json_write', 'path: String, value: Any, pretty: Boolean = false', 'Nil', 'Writes a value to a file as JSON, compact or indented by two blanks a level.', writeJson],
]);
