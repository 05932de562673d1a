import { ModuleState } from '../../../vm/calls/modulestate.js';

/** What the command line and the environment say of the address. */
export interface AddressOverrides {
  port?: number;
  host?: string;
  defaultPort?: number;
  defaultHost?: string;
}

/** What the command line says of the address of a VM's servers. */
export const ADDRESS = new ModuleState<AddressOverrides>(() => ({}));
