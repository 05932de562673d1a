import type * as childProcess from 'node:child_process';
import type * as crypto from 'node:crypto';
import { createRequire } from 'node:module';
import type * as os from 'node:os';
import type * as perfHooks from 'node:perf_hooks';
import type * as tty from 'node:tty';
import type * as v8 from 'node:v8';
import type * as vm from 'node:vm';
import type * as zlib from 'node:zlib';

interface Builtins {
  'node:child_process': typeof childProcess;
  'node:crypto': typeof crypto;
  'node:os': typeof os;
  'node:perf_hooks': typeof perfHooks;
  'node:tty': typeof tty;
  'node:v8': typeof v8;
  'node:vm': typeof vm;
  'node:zlib': typeof zlib;
}

const load = createRequire(import.meta.url) as <Name extends keyof Builtins>(name: Name) => Builtins[Name];
const loaded: Partial<Builtins> = {};

/**
 * Loads one of node's own modules on first use. Loading takes up to five milliseconds of a program's start, and
 * `import()` would make every function that needs a module asynchronous.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  return loaded[name] ?? (loaded[name] = load(name));
}
