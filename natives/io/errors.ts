import { Errors, fail, SvcError } from '../../vm/values/error.js';

/** Error codes of the system in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory, or a part of its path is none',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the directory is not empty',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'too many symbolic links lead to each other',
  EBUSY: 'it is in use',
  EXDEV: 'the other path is on another file system',
  EFBIG: 'the file would be too large',
  ENXIO: 'nobody reads from this pipe',
  E2BIG: 'the command is too long',
  EIO: 'the disk reports an error',
};

/** Raises what the system says of `action` ("read /a/b"): FileNotFoundError or IOError. Svc errors go on as they are. */
export function failIo(action: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  // Without a code it is no answer of the system but a mistake of ours.
  if (error instanceof SvcError || typeof code !== 'string') throw error;
  return fail(code === 'ENOENT' ? Errors.FileNotFoundError : Errors.IOError, `cannot ${action}: ${REASONS[code] ?? code}`);
}

/** Runs an operation on the system and says what it was when it fails. @throws FileNotFoundError, IOError */
export async function io<T>(action: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    return failIo(action, error);
  }
}

/** Puts a file's name before the message of a ValueError about its content. */
export function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError && error.value.type === Errors.ValueError) fail(Errors.ValueError, `${path}: ${error.value.message}`);
    throw error;
  }
}

/** The same for work in steps. */
export function* namingFile<T>(path: string, steps: Generator<void, T, void>): Generator<void, T, void> {
  for (;;) {
    const step = inFile(path, () => steps.next());
    if (step.done === true) return step.value;
    yield;
  }
}
