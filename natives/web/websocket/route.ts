import type { Route } from '../config/route.js';
import type { Rooms } from './rooms.js';
import type { Socket } from './socket.js';

/** What an application keeps of its connections: each with the pattern of its route, and their rooms. */
export interface Keeper {
  readonly open: Map<Socket, string>;
  readonly rooms: Rooms;
}

/** A registered WebSocket route. */
export interface SocketRoute extends Route {
  /** Origins whose pages may connect; null means all. */
  origins: readonly string[] | null;
  /** Whether messages are compressed for clients that offer it (RFC 7692). */
  compress: boolean;
  /** Whether binary messages are received as Bytes; else as texts. */
  binary: boolean;
  /** The mounted applications that the route belongs to, outermost first, and its pattern in each. */
  owners: readonly { readonly keeper: Keeper; readonly pattern: string }[];
}
