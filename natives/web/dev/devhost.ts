import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { IncomingMessage } from 'node:http';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import type { App } from '../app/app.js';

/** What `svcc run --dev` shares with the web library. */
export interface DevHost {
  /** The server that keeps its sockets while programs come and go. */
  server: { adopt(vm: VM, app: App, resume: (value: Value) => void): () => void } | null;
  /** A problem with the newest version of the program, as an HTML page; requests of a developer see it. */
  problem: string | null;
}

/** The dev host of a VM; null outside of development. */
export const DEV_HOST = new ModuleState<DevHost | null>(() => null);

/** Whether an address is this machine's own. */
function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Names that no resolver leads elsewhere (RFC 6761 §6.3) and loopback addresses, with any port. Any other name may be a stranger's that leads here. */
const OWN_HOST = /^(([a-z0-9_-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Fields that proxies add. */
const OF_PROXIES = /^(forwarded|x-forwarded-.*|x-real-ip|via)$/i;

/**
 * Whether a request may see what development shows: source lines, backtraces, headers. True when it comes from a browser or a tool on this
 * machine, to this machine's own name, through no proxy, and when no page of another site has caused it (Fetch Metadata, `Sec-Fetch-Site`).
 * Everything that only developers may see asks here.
 */
export function isDeveloper({ socket, rawHeaders, headers, url = '' }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, i) => i % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  // A target with an authority outranks Host (RFC 9112 §3.2.2).
  if (
    !isLoopback(socket.remoteAddress ?? '') ||
    hosts !== 1 ||
    !OWN_HOST.test(headers.host ?? '') ||
    !url.startsWith('/')
  )
    return false;
  const site = headers['sec-fetch-site'] ?? 'none';
  return !names.some((name) => OF_PROXIES.test(name)) && (site === 'none' || site === 'same-origin');
}
