import { Errors, fail, SvcError } from '../../vm/values/error.js';
import { reasonOf } from '../reasons.js';

/** Raises what the system says of `action` ("read /a/b"): FileNotFoundError or IOError. Svc errors go on as they are. */
export function failIo(action: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  // Without a code it is no answer of the system but a mistake of ours.
  if (error instanceof SvcError || typeof code !== 'string') throw error;
  return fail(code === 'ENOENT' ? Errors.FileNotFoundError : Errors.IOError, `cannot ${action}: ${reasonOf(error)}`);
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
    if (error instanceof SvcError && error.value.type === Errors.ValueError)
      fail(Errors.ValueError, `${path}: ${error.value.message}`);
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
