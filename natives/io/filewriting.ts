/** Writing and copying of whole files. */
import { constants, promises as fs, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { builtin } from '../builtin.js';
import { ENDINGS } from '../core/ending.js';
import { longTurns } from '../poolturns.js';
import { io } from './errors.js';
import { CHUNK, checkRegular, inTurn } from './filetext.js';
import { addTemporary, dropTemporary } from './temporary.js';

// O_NONBLOCK: opening a pipe would otherwise wait for its other end, on a thread that cannot be cancelled. It has no
// effect on files.
const { O_NONBLOCK, O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants;
/**
 * Errors that forbid a temporary file in a folder, moving it to the file's place, or giving it the file's owner, but not
 * writing to the file itself.
 */
const IN_PLACE = new Set(['EACCES', 'EPERM', 'EBUSY']);
/** Most links that are followed, as on Linux. */
const MAX_LINKS = 40;
/** Longest pause in milliseconds before a full pipe is written to again. */
const MAX_PAUSE_MS = 50;

/** What a file will hold. */
interface Content {
  readonly length: number;
  /** Its permissions; undefined: those that it has. */
  readonly mode?: number;
  /** Bytes from an offset, at most CHUNK and at least one. @throws IOError */
  part(from: number, to: number): Uint8Array | Promise<Uint8Array>;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** Appends to a file, creating it if missing. @throws IOError */
export function appendText(path: string, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  return io(`write ${path}`, () => writeInto(path, O_APPEND, text, signal));
}

async function writeInto(path: string, flag: number, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const handle = await fs.open(path, O_WRONLY | O_CREAT | O_NONBLOCK | flag);
  try {
    await writeAll(handle, bytesOf(text), signal);
  } finally {
    await handle.close();
  }
}

async function writeAll(
  handle: FileHandle,
  bytes: Uint8Array,
  signal: AbortSignal,
  position: number | null = null,
): Promise<void> {
  let pause = 1;
  for (let at = 0; at < bytes.length;) {
    const from = at;
    const length = Math.min(CHUNK, bytes.length - at);
    const place = position === null ? null : position + from;
    try {
      at += (await inTurn(length, () => handle.write(bytes, from, length, place), signal)).bytesWritten;
      pause = 1;
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      // A pipe whose reader is slower.
      const ms = pause;
      await new Promise((passed) => setTimeout(passed, ms));
      signal.throwIfAborted();
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
  }
}

/** Replaces a file's content with a text or bytes. After an error the file is unchanged. @throws IOError */
export function replaceText(
  vm: NativeContext,
  path: string,
  text: string | Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  return io(`write ${path}`, async () => {
    const before = await existing(path);
    if (before !== null && !before.isFile()) {
      // A device has no content to protect, and must not be replaced by a file.
      if (before.isDirectory()) checkRegular(`write ${path}`, before);
      return writeInto(path, 0, text, signal);
    }
    const bytes = bytesOf(text);
    const content: Content = {
      length: bytes.length,
      part: (from, to) => bytes.subarray(from, Math.min(to, from + CHUNK)),
    };
    const make = (temporary: string): Promise<void> => writeNew(temporary, before, bytes, signal);
    await replace(vm, path, before, make, () => Promise.resolve(content), signal);
  });
}

/**
 * Puts what `make` makes in the place of a file, following links; if that is forbidden, changes the file itself. Nothing
 * is made for a file that this process may not write.
 */
async function replace(
  vm: NativeContext,
  path: string,
  before: Stats | null,
  make: (temporary: string) => Promise<void>,
  content: () => Promise<Content>,
  signal: AbortSignal,
): Promise<void> {
  if (before === null) {
    await swap(await newPlace(path), make, signal);
    return;
  }
  const handle = await openToChange(path);
  try {
    await swap(await fs.realpath(path), make, signal);
  } catch (error) {
    if (handle === null || !IN_PLACE.has(codeOf(error))) throw error;
    const whole = await content();
    signal.throwIfAborted();
    await toItsEnd(vm, overwrite(handle, whole));
  } finally {
    await handle?.close();
  }
}

/** Opens a file for writing. Null for a running program, which can only be replaced. */
async function openToChange(path: string): Promise<FileHandle | null> {
  try {
    return await fs.open(path, O_WRONLY | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ETXTBSY') return null;
    throw error;
  }
}

/** The path at which a file is made for `path`, which may be a link to nothing. */
async function newPlace(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    let target: string;
    try {
      target = await fs.readlink(place);
    } catch {
      return place;
    }
    place = resolve(await fs.realpath(dirname(place)), target);
  }
  return place;
}

/** Waits for a change that must not stay half done, also at the end of the program. */
async function toItsEnd(vm: NativeContext, change: Promise<void>): Promise<void> {
  const endings = ENDINGS.of(vm);
  const ending = (): Promise<void> => change;
  endings.add(ending);
  try {
    await change;
  } finally {
    endings.delete(ending);
  }
}

/**
 * Changes the content of an open file, even if its thread is cancelled meanwhile: half of a change is neither the old nor
 * the new content. What lies behind the old end comes first, because only that needs room, and can be taken back.
 */
async function overwrite(handle: FileHandle, content: Content): Promise<void> {
  const { size } = await handle.stat();
  const both = Math.min(size, content.length);
  try {
    await writeRange(handle, content, both, content.length);
  } catch (error) {
    await handle.truncate(size);
    throw error;
  }
  await writeRange(handle, content, 0, both);
  if (content.length < size) await handle.truncate(content.length);
  // Only the owner may change permissions.
  if (content.mode !== undefined) await handle.chmod(content.mode & 0o7777).catch(() => {});
}

async function writeRange(handle: FileHandle, content: Content, from: number, to: number): Promise<void> {
  const { signal } = new AbortController();
  for (let at = from; at < to;) {
    const part = await content.part(at, to);
    await writeAll(handle, part, signal, at);
    at += part.length;
  }
}

async function existing(path: string): Promise<Stats | null> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a new file, with owner, group and permissions of the one that it replaces. */
async function writeNew(path: string, before: Stats | null, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const handle = await fs.open(path, 'wx', before === null ? 0o666 : 0o600);
  try {
    if (before !== null) await keepOwner(handle, before);
    await writeAll(handle, bytes, signal);
    if (before !== null) await handle.chmod(before.mode & 0o7777);
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, before: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid);
}

/** Makes a temporary file beside `path` and moves it there. */
async function swap(path: string, make: (temporary: string) => Promise<void>, signal: AbortSignal): Promise<void> {
  const temporary = join(dirname(path), `.svc-${builtin('node:crypto').randomBytes(8).toString('hex')}.tmp`);
  addTemporary(temporary);
  try {
    await make(temporary);
    signal.throwIfAborted();
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  } finally {
    dropTemporary(temporary);
  }
}

/**
 * Replaces `to` with a copy of a file and its permissions; owner and group of `to` stay. After an error, `to` is
 * unchanged. @throws IOError
 */
export function copyFile(vm: NativeContext, from: string, to: string, signal: AbortSignal): Promise<void> {
  const action = `copy ${from} to ${to}`;
  return io(action, async () => {
    const source = await fs.stat(from);
    // Opening a pipe would wait for its other end.
    if (!source.isFile()) fail(Errors.IOError, `cannot ${action}: only files can be copied`);
    const before = await existing(to);
    if (before !== null) checkRegular(action, before, to);
    // A copy of a file to itself, also by another name.
    if (before !== null && before.dev === source.dev && before.ino === source.ino) return;
    const opened = await fs.open(from, O_RDONLY | O_NONBLOCK);
    try {
      const make = async (temporary: string): Promise<void> => {
        await longTurns.run(() => fs.copyFile(from, temporary), signal);
        if (before !== null) await keepOwnerOfCopy(temporary, before, source.mode);
      };
      await replace(vm, to, before, make, () => contentOf(opened, action), signal);
    } finally {
      await opened.close();
    }
  });
}

async function keepOwnerOfCopy(path: string, before: Stats, mode: number): Promise<void> {
  const { uid, gid } = await fs.stat(path);
  if (uid === before.uid && gid === before.gid) return;
  await fs.chown(path, before.uid, before.gid);
  // Another owner takes bits away.
  await fs.chmod(path, mode & 0o7777);
}

/** The content of an open file, as long as it is now. */
async function contentOf(handle: FileHandle, action: string): Promise<Content> {
  const { size, mode } = await handle.stat();
  return {
    length: size,
    mode,
    async part(from, to) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, to - from));
      const { bytesRead } = await longTurns.run(
        () => handle.read(buffer, 0, buffer.length, from),
        new AbortController().signal,
      );
      if (bytesRead === 0) fail(Errors.IOError, `cannot ${action}: the file became shorter meanwhile`);
      return buffer.subarray(0, bytesRead);
    },
  };
}
