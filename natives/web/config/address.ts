import { ModuleState } from '../../../vm/calls/modulestate.js';

/** What the command line and the environment say of the address, and of its announcement. */
export interface AddressOverrides {
  port?: number;
  host?: string;
  defaultPort?: number;
  defaultHost?: string;
  /** Whether the server does not print its address: another worker of the group does. */
  isUnannounced?: boolean;
  /** The last line of the announcement: what ends the server. */
  ending?: string;
}

/** What the command line says of the address of a VM's servers. */
export const ADDRESS = new ModuleState<AddressOverrides>(() => ({}));
