import type { BigIntStats } from 'node:fs';
import { constants, lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';

/*
 * Finding and opening files below a directory, so that nothing outside of it can be had.
 *
 * What is guaranteed: the bytes come from a descriptor that
 * - was opened without following a symbolic link in the last place and without waiting (a FIFO would), and belongs to a regular file;
 * - on Linux, belongs to a file whose path, as the kernel gives it for the descriptor after opening, lies inside the real path of the
 *   directory: swapping files or directories for links at any moment gains nothing;
 * - elsewhere, belongs to the file that the same path inside the directory still leads to after opening: to have another file served,
 *   somebody who can write below the directory must swap a directory for a link and back, and hit two gaps between system calls.
 * Dots and types are looked at in the path that is asked for, not in what a link in the directory leads to: whoever makes the link means it
 * (and Kubernetes mounts every file by way of a directory called `..data`). Hard links are files like any other: whoever can make one below the directory publishes its file.
 */

/** A regular file, and what tells it from another or a changed one. */
export interface Found {
  /** Without symbolic links. */
  path: string;
  stat: BigIntStats;
}

/** An open regular file. Whoever has it must close it. */
export interface Opened {
  handle: FileHandle;
  stat: BigIntStats;
}

/** Errors that say that there is no such file for us. Others (too many open files, a broken disk) are the server's trouble and are raised. */
const ABSENT = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
  'EINVAL',
  'EISDIR',
  'ENXIO',
  'ENODEV',
  'EOVERFLOW',
  'ERR_INVALID_ARG_VALUE',
]);

/** The value of `work`, or null when it fails because there is no such file. */
async function orNull<T>(work: Promise<T | null>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Whether the real path `path` lies below the real directory `root`. */
function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function regular(path: string): Promise<Found | null> {
  // lstat: a link that took the file's place after `realpath` is not followed.
  const stat = await lstat(path, { bigint: true });
  return stat.isFile() ? { path, stat } : null;
}

/** The regular file at `path` below the directory `root`, wherever links inside of it lead; null when there is none. */
export function findInside(root: string, path: string): Promise<Found | null> {
  const find = async (): Promise<Found | null> => {
    // The directory anew each time: deployments like to make it a link that they turn.
    const [directory, file] = await Promise.all([realpath(root), realpath(root + path)]);
    return isInside(file, directory) ? regular(file) : null;
  };
  return orNull(find());
}

/** The regular file at `path`, which is the program's choice and may lie anywhere. */
export function findAnywhere(path: string): Promise<Found | null> {
  return orNull(realpath(path).then(regular));
}

/** Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file that `findInside` has found below `root`, or, with null, `findAnywhere`; null when it is gone or lies elsewhere by now. */
export function openFound(path: string, root: string | null): Promise<Opened | null> {
  const opening = async (): Promise<Opened | null> => {
    // Opening a device can do things; that it is none any more is checked again below.
    if ((await regular(path)) === null) return null;
    const handle = await open(path, FLAGS);
    let stat: BigIntStats | null = null;
    try {
      stat = await checked(handle, path, root);
    } finally {
      if (stat === null) await handle.close();
    }
    return stat === null ? null : { handle, stat };
  };
  return orNull(opening());
}

async function checked(handle: FileHandle, path: string, root: string | null): Promise<BigIntStats | null> {
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) return null;
  return root === null || (await liesInside(handle, stat, path, root)) ? stat : null;
}

async function liesInside(handle: FileHandle, stat: BigIntStats, path: string, root: string): Promise<boolean> {
  const directory = await realpath(root);
  const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (actual !== null) return isInside(actual, directory);
  const [again, now] = await Promise.all([realpath(path), lstat(path, { bigint: true })]);
  return again === path && isInside(again, directory) && now.dev === stat.dev && now.ino === stat.ino;
}

/** The first bytes of an open file, as many as it has or had when it was asked for its size. */
export async function readWhole({ handle, stat }: Opened): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Number(stat.size));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
