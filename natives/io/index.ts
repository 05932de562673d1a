import type { NativeContext } from '../../vm/nativecontext.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { encoding } from './encoding.js';
import { files } from './files.js';
import { http } from './http.js';
import { installLocal } from './local.js';
import { paths } from './paths.js';
import { system } from './system.js';
import { tables } from './tables.js';

/** The library of files, networks and processes, grouped by subject. */
export const IO_MODULES: Readonly<Record<string, readonly NativeFunction[]>> = {
  Files: files,
  Paths: paths,
  CSV: tables,
  'HTTP requests': http,
  System: system,
  'Encodings and secrets': encoding,
};

/** Defines files, requests, commands and encodings in a VM. */
export function installIo(vm: NativeContext): void {
  installLocal(vm);
  for (const natives of [tables, http, encoding]) vm.define(natives);
}
