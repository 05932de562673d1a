import { tlsReason } from './tlsreasons.js';

/** Plain descriptions of system error codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory, or a part of its path is not one',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the directory is not empty',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EAGAIN: 'a limit of the system is reached, such as its number of processes',
  ENOMEM: 'the system is out of memory',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'too many symbolic links lead to each other',
  EBUSY: 'it is in use',
  EXDEV: 'the other path is on another file system',
  EFBIG: 'the file would be too large',
  ENXIO: 'no process reads from this pipe',
  E2BIG: 'the command or its environment is too long',
  EIO: 'the disk reports an error',
};

/** Describes a system error in plain words; falls back to its code or message. */
export function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code === 'string') return REASONS[code] ?? tlsReason(code, message) ?? code;
  return error instanceof Error ? error.message : String(error);
}
