import { constants, promises as fs, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';

/*
 * Finds and opens files below a directory, so that no file outside it can be read.
 *
 * Guarantees: the bytes come from a descriptor that
 * - was opened without following a symbolic link in the last segment and without waiting (a FIFO would block), and
 *   belongs to a regular file;
 * - on Linux, belongs to a file whose path, as the kernel reports it for the open descriptor, lies inside the real path
 *   of the directory: replacing files or directories by links at any moment achieves nothing;
 * - elsewhere, belongs to the file that the same path inside the directory still leads to after opening: to have another
 *   file served, an attacker who can write below the directory must replace a directory by a link and back, hitting two
 *   gaps between system calls.
 * Dots and types are checked in the requested path, not in the target of a link inside the directory: creating the link
 * is taken as consent (and Kubernetes mounts every file through a directory called `..data`). Hard links count as
 * ordinary files: creating one below the directory publishes its file.
 */

/** A regular file, with the `stat` that identifies it and its version. */
export interface Found {
  /** The real path, without symbolic links. */
  path: string;
  stat: BigIntStats;
}

/** An open regular file. The caller must close it. */
export interface Opened {
  handle: FileHandle;
  stat: BigIntStats;
}

/**
 * Errors that mean there is no such file for us. Others (too many open files, a broken disk) are the server's problem
 * and are thrown.
 */
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
  // lstat: do not follow a link that has replaced the file since `realpath`.
  const stat = await fs.lstat(path, { bigint: true });
  return stat.isFile() ? { path, stat } : null;
}

/**
 * The regular file at `path` below the directory `root`; links inside the directory may lead anywhere in it. null when
 * there is none.
 */
export function findInside(root: string, path: string): Promise<Found | null> {
  const find = async (): Promise<Found | null> => {
    // Resolve the directory each time: deployments often make it a link and redirect it.
    const [directory, file] = await Promise.all([fs.realpath(root), fs.realpath(root + path)]);
    return isInside(file, directory) ? regular(file) : null;
  };
  return orNull(find());
}

/** The regular file at `path`, which the program chose and may lie anywhere. */
export function findAnywhere(path: string): Promise<Found | null> {
  return orNull(fs.realpath(path).then(regular));
}

/** Windows has neither O_NOFOLLOW nor O_NONBLOCK. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file found by `findInside` below `root` or, if null, by `findAnywhere`. Returns null when it has been removed
 * or now lies elsewhere.
 */
export function openFound(path: string, root: string | null): Promise<Opened | null> {
  const opening = async (): Promise<Opened | null> => {
    // Opening a device can have side effects, so check first; `checked` repeats the check on the descriptor.
    if ((await regular(path)) === null) return null;
    const handle = await fs.open(path, FLAGS);
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
  const directory = await fs.realpath(root);
  const actual = await fs.readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (actual !== null) return isInside(actual, directory);
  const [again, now] = await Promise.all([fs.realpath(path), fs.lstat(path, { bigint: true })]);
  return again === path && isInside(again, directory) && now.dev === stat.dev && now.ino === stat.ino;
}

/** Reads an open file up to the size it had when `stat` was taken; fewer bytes if it has shrunk. */
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
