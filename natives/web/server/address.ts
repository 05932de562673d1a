import type { NativeContext } from '../../../vm/nativecontext.js';
import { ADDRESS } from '../config/address.js';

/** Where a server listens. */
export interface Address {
  readonly port: number;
  readonly host: string;
}

/** The address of a server: the command line, then `app.run`'s arguments, then the environment, then port 3000 of every interface. */
export function addressOf(vm: NativeContext, port: number | null, host: string | null): Address {
  const given = ADDRESS.of(vm);
  return {
    port: given.port ?? port ?? given.defaultPort ?? 3000,
    host: given.host ?? host ?? given.defaultHost ?? '0.0.0.0',
  };
}

/** Addresses that mean every interface; development shows source code only to requests for a local host name. */
const EVERYWHERE = /^(0\.0\.0\.0|::)$/;

/** The URL that a server prints. In development it names `localhost` for every interface. */
export function urlOf(host: string, port: number, isDev: boolean): string {
  if (isDev && EVERYWHERE.test(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Explains in plain words why a server cannot listen. */
export function listenProblem(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'the port is in use; stop the other program or choose another port';
    case 'EACCES':
      return 'permission denied; ports below 1024 need privileges';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address';
    default:
      return error.code === 'ERR_SOCKET_BAD_PORT'
        ? 'a port is a number from 0 to 65535'
        : (error.code ?? error.message);
  }
}
