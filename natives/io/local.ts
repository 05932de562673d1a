import type { NativeContext } from '../../vm/nativecontext.js';
import { files } from './files.js';
import { lineReading } from './linereader.js';
import { paths } from './paths.js';
import { system } from './system.js';

/** Defines what concerns this machine in a VM: files and their paths, commands, the environment. */
export function installLocal(vm: NativeContext): void {
  for (const natives of [files, paths, system]) vm.define(natives);
  vm.define(lineReading);
}
