import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';

/** Records requests for `svcc replay`. */
export interface RequestRecorder {
  /** Called when an application begins to serve. */
  serves(app: App): void;
  /** Called for each request that is let in, before its body is read. */
  begin(req: IncomingMessage, res: ServerResponse, app: App, vm: NativeContext): void;
  /** Called before a page is sent that explains an error to the developer: it is not the program's. */
  explains(res: ServerResponse): void;
}

/** State that `svcc run --dev` shares with the web library; stored in `vm.modules` as `dev`. */
export interface DevHost {
  /** The server that keeps its sockets open while programs are reloaded. */
  server: {
    adopt(
      vm: NativeContext,
      app: App,
      asked: Readonly<{ port: number; host: string }>,
      resume: (value: Value) => void,
    ): () => void;
    whenOver(vm: NativeContext, then: (value: Value) => void): void;
    /** Whether it serves another version than that of `vm`, and goes on. */
    servesOther(vm: NativeContext): boolean;
  } | null;
  /** An HTML page describing a problem with the newest version of the program, shown to developers. */
  problem: string | null;
  /** Null without `--record`. */
  readonly recorder: RequestRecorder | null;
}

/** The dev host of a VM, or null outside development. */
export const DEV_HOST = new ModuleState<DevHost | null>(() => null);

/** Whether an address belongs to this machine. */
function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/**
 * Loopback addresses and names that always resolve to them (RFC 6761 §6.3), with any port. Any other name may be an
 * attacker's that resolves here (DNS rebinding).
 */
const OWN_HOST = /^(([a-z0-9_-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Header fields added by proxies. */
const OF_PROXIES = /^(forwarded|x-forwarded-.*|x-real-ip|via)$/i;

/** Whether a request that names an origin, as those of scripts and forms do, comes from a page of this server. */
function isOwnOrigin(origin: string | undefined, host: string): boolean {
  return origin === undefined || origin === `http://${host}`;
}

/**
 * Whether a request may see development details: source lines, backtraces, headers. True when it comes from a browser
 * or tool on this machine, names this machine as host, passed no proxy, and was not caused by a page of another site
 * (`Origin`, and `Sec-Fetch-Site` of Fetch Metadata). Everything that only developers may see must check this.
 */
export function isDeveloper({ socket, rawHeaders, headers, url = '' }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, i) => i % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  // An absolute target overrides Host (RFC 9112 §3.2.2).
  if (
    !isLoopback(socket.remoteAddress ?? '') ||
    hosts !== 1 ||
    !OWN_HOST.test(headers.host ?? '') ||
    !isOwnOrigin(headers.origin, headers.host ?? '') ||
    !url.startsWith('/')
  )
    return false;
  const site = headers['sec-fetch-site'] ?? 'none';
  return !names.some((name) => OF_PROXIES.test(name)) && (site === 'none' || site === 'same-origin');
}
