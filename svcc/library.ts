import type { Program } from '../vm/bytecode/program.js';
import type { VM } from '../vm/vm.js';
import { NAMES } from './generated/names.js';

/** Parts of the library that are loaded only for programs that use one of their names. */
const PARTS: Record<string, (vm: VM, program: Program) => Promise<void>> = {
  local: async (vm) => (await import('../natives/io/local.js')).installLocal(vm),
  csv: async (vm) => vm.define((await import('../natives/io/tables.js')).tables),
  http: async (vm) => vm.define((await import('../natives/io/http.js')).http),
  encoding: async (vm) => vm.define((await import('../natives/io/encoding.js')).encoding),
  decimal: async (vm) => (await import('../natives/decimal/index.js')).installDecimal(vm),
  bus: async (vm) => (await import('../natives/bus/index.js')).installBus(vm),
  data: async (vm) => (await import('../natives/data/index.js')).installData(vm),
  jobs: async (vm) => (await import('../natives/jobs/index.js')).installJobs(vm),
  web: async (vm, program) => (await import('../natives/web/index.js')).installWeb(vm, mayUseRooms(program)),
  mail: async (vm) => (await import('../natives/mail/index.js')).installMail(vm),
  keystore: async (vm) => (await import('../natives/keystore/index.js')).installKeystore(vm),
  testing: async (vm) => (await import('../natives/testing/index.js')).installTesting(vm),
  auth: async (vm) => (await import('../natives/auth/index.js')).installAuth(vm),
};

const namesOf = (part: string): string[] => NAMES[part].split(' ');

/** Names that programs may use without declaring them. Reading them loads no part of the library. */
export function libraryNames(): ReadonlySet<string> {
  return new Set(Object.keys(NAMES).flatMap(namesOf));
}

/**
 * Loads the parts of the library that a program uses into a VM, except those in `installed`, to which it adds their
 * names.
 */
export async function installParts(vm: VM, program: Program, installed = new Set<string>()): Promise<void> {
  const wanted = new Set(program.natives);
  const add = async (part: string, install: () => unknown): Promise<void> => {
    if (installed.has(part)) return;
    installed.add(part);
    await install();
  };
  for (const [part, install] of Object.entries(PARTS))
    if (namesOf(part).some((name) => wanted.has(name))) await add(part, () => install(vm, program));
  if (usesLog(program))
    await add('logging', async () => (await import('../natives/logging/index.js')).installLogging(vm));
  if (usesZones(program)) (await import('../natives/zones/index.js')).installZones();
}

/** Methods of the function `log`. */
export const LOG_METHODS = 'debug info warn error with level format to redact flush';

/** Whether a program may write a log: `log` alone is the logarithm. */
function usesLog(program: Program): boolean {
  return program.natives.includes('log') && namesAny(program, LOG_METHODS.split(' '));
}

/** Whether a program may use rooms or broadcasts of WebSockets. */
function mayUseRooms(program: Program): boolean {
  return namesAny(program, ['rooms', 'join', 'broadcast']);
}

/** Whether a program contains one of these names of methods, or a text that is equal to one. */
function namesAny({ constants }: Program, names: readonly string[]): boolean {
  return constants.some((constant) => constant.kind === 'string' && names.includes(constant.value));
}

/** Whether a program may use named time zones: with functions of the type Date, or with `in_zone`. */
function usesZones(program: Program): boolean {
  return program.natives.includes('Date') || namesAny(program, ['in_zone']);
}
