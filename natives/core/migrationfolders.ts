import { ModuleState } from '../../vm/calls/modulestate.js';

/** Called with each folder whose migrations a program runs, before they are read; null outside of development. */
export const ON_MIGRATIONS = new ModuleState<((folder: string) => void) | null>(() => null);
