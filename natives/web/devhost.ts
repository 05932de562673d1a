import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import type { App } from './application.js';

/** What `svcc run --dev` shares with the web library; `vm.modules` holds it as `dev`. */
export interface DevHost {
  /** The server that keeps its sockets while programs come and go. */
  server: { adopt(vm: VM, app: App, resume: (value: Value) => void): () => void } | null;
  /** A problem with the newest version of the program, as an HTML page; requests from this machine see it. */
  problem: string | null;
}

/** The dev host of a VM, or null when it does not run in development. */
export function devHostOf(vm: VM): DevHost | null {
  return (vm.modules.get('dev') as DevHost | undefined) ?? null;
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
