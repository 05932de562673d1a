import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';

/** Something outside of the process that a program is connected to, such as a database. */
export interface Resource {
  /** Its name without a password. */
  readonly name: string;
  readonly connections: number;
  /** Operations that wait for a connection. */
  readonly waiting: number;
  /** Operations that have ended, and the seconds that they took. */
  readonly operations: number;
  readonly seconds: number;
}

/** Parts of the library that list resources for the inspector. */
export const RESOURCES = new ModuleState<Map<string, () => Resource[]>, NativeContext>(() => new Map());
