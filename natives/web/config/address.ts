import { ModuleState } from '../../../vm/calls/modulestate.js';

/** What the command line and the environment say of the address, and of its announcement. */
export interface AddressOverrides {
  port?: number;
  host?: string;
  defaultPort?: number;
  defaultHost?: string;
  /** Whether the server does not print its address: another worker of the group does. */
  isUnannounced?: boolean;
  /** Whether the server is part of a session, which goes on when it cannot listen, and ends it by a command. */
  inSession?: boolean;
}

/** What the command line says of the address of a VM's servers. */
export const ADDRESS = new ModuleState<AddressOverrides>(() => ({}));
