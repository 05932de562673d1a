import { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions, type Num } from '../core/declare.js';
import type { DurationValue } from '../core/dates/duration.js';
import { PROCESS } from '../core/process.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { runCommand } from './children.js';
import { parseDotenv } from './dotenv.js';
import { decodeLater } from './decoding.js';
import { inFile } from './errors.js';
import { checkPath } from './files.js';
import { readPlainText } from './filetext.js';
import { waitForOperation } from './waiting.js';

/** Default settings file in the working directory; may be missing. */
const DEFAULT_FILE = '.env';

/**
 * Validates a command: a text for the shell, or a program with its arguments. @throws TypeError, ValueError,
 * ArgumentError
 */
function commandOf(command: string | Value[]): string | string[] {
  const parts = typeof command === 'string' ? [command] : command;
  for (const part of parts) {
    if (typeof part !== 'string')
      fail(Errors.TypeError, `shell(): the parts of a command must be String, got ${typeName(part)}`);
    if (part.includes('\0')) fail(Errors.ValueError, 'shell(): a command cannot contain a NUL character');
    wellFormed(part, 'shell(): the command');
  }
  if (parts.length === 0 || parts[0] === '') fail(Errors.ArgumentError, 'shell() needs a command');
  return command as string | string[];
}

function shell(
  vm: NativeContext,
  given: string | Value[],
  seconds: Num | DurationValue | null,
  input: string | Bytes,
  asBytes: boolean,
): undefined {
  const command = commandOf(given);
  const data = input instanceof Bytes ? input.data : wellFormed(input, 'shell(): the input');
  const { env } = PROCESS.of(vm);
  return waitForOperation(
    vm,
    'command',
    async (signal) => {
      const { status, stdout, stderr } = await runCommand({ command, input: data, env }, signal);
      const shown = async (output: Bytes, name: string): Promise<Value> =>
        asBytes ? output : decodeLater(vm, output, signal, `shell(): ${name} is`, 'bytes: true returns Bytes');
      return Hash.from([
        ['status', status],
        ['stdout', await shown(stdout, 'stdout')],
        ['stderr', await shown(stderr, 'stderr')],
      ]);
    },
    seconds,
  );
}

/** Adds settings to the environment seen by this program; existing ones stay unless `override` is true. */
function load(vm: NativeContext, pairs: readonly [string, string][], override: boolean): Hash {
  const info = PROCESS.of(vm);
  const settings = Object.fromEntries(pairs);
  // Copied: the process's own environment belongs to the host.
  PROCESS.set(vm, { ...info, env: override ? { ...info.env, ...settings } : { ...settings, ...info.env } });
  return Hash.from(pairs);
}

function dotenv(vm: NativeContext, given: string | null, override: boolean): undefined {
  const path = checkPath(given ?? DEFAULT_FILE);
  return waitForOperation(vm, 'file', async (signal) => {
    const text = given === null ? await optionalText(vm, path, signal) : await readPlainText(vm, path, signal);
    return load(
      vm,
      inFile(path, () => parseDotenv(text)),
      override,
    );
  });
}

async function optionalText(vm: NativeContext, path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readPlainText(vm, path, signal);
  } catch (error) {
    if ((error as { value?: { type: unknown } }).value?.type === Errors.FileNotFoundError) return '';
    throw error;
  }
}

/** Operating system commands, and settings from files. */
export const system = functions([
  [
    'shell',
    'command: String|Vector, timeout: Number|Duration? = nil, input: String|Bytes = "", bytes: Boolean = false',
    'Hash',
    'Runs a command until it ends and returns its `status`, `stdout` and `stderr`, these as Bytes if `bytes`; ValueError for an output that is not UTF-8 otherwise. A vector of program and arguments bypasses the shell, so nothing in it needs quoting.',
    shell,
  ],
  [
    'dotenv',
    'path: String? = nil, override: Boolean = false',
    'Hash',
    'Loads the NAME=value lines of a file, by default `.env` if there is one, into the environment read by env(), and returns them.',
    dotenv,
  ],
]);
