import { Errors, fail, SvcError } from '../../vm/values/error.js';
import { reasonOf } from '../reasons.js';

/** Raises a system error of `action` ("read /a/b") as FileNotFoundError or IOError. Rethrows a SvcError unchanged. */
export function failIo(action: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  // An error without a code does not come from the system: it is a bug in Svc.
  if (error instanceof SvcError || typeof code !== 'string') throw error;
  return fail(code === 'ENOENT' ? Errors.FileNotFoundError : Errors.IOError, `cannot ${action}: ${reasonOf(error)}`);
}

/** Runs a system operation; names the action if it fails. @throws FileNotFoundError, IOError */
export async function io<T>(action: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    return failIo(action, error);
  }
}

/** Prefixes a ValueError about a file's content with the file's name. */
export function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError && error.value.type === Errors.ValueError)
      fail(Errors.ValueError, `${path}: ${error.value.message}`);
    throw error;
  }
}

/** Like `inFile`, for work in steps. */
export function* namingFile<T>(path: string, steps: Generator<void, T, void>): Generator<void, T, void> {
  for (;;) {
    const step = inFile(path, () => steps.next());
    if (step.done === true) return step.value;
    yield;
  }
}
