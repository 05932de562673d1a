import type { Route } from '../config/route.js';

/** A registered WebSocket route. */
export interface SocketRoute extends Route {
  /** Origins whose pages may connect; null means all. */
  origins: readonly string[] | null;
  /** Whether messages are compressed for clients that offer it (RFC 7692). */
  compress: boolean;
  /** Whether binary messages are received as Bytes; else as texts. */
  binary: boolean;
}
