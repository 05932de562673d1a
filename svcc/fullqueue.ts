import net, { type Server, Socket } from 'node:net';
import { endSoon } from '../natives/web/connection/linger.js';
import { Descriptors, REFUSAL } from '../natives/web/server/descriptors.js';
import type { Host } from '../vm/host.js';

/** Milliseconds after which a connection without a request is answered. */
const WAIT_MS = 10_000;

/** A listening socket of node, or a connection that it has accepted. */
interface Handle {
  readonly fd?: number;
  onconnection?: (error: number, connection: Handle | undefined) => void;
}

/**
 * Answers connections with 503 that the first process accepts while few of its descriptors are free. Node's `cluster`
 * queues connections until workers take them, and in a burst they come faster than that. Without a free descriptor
 * they would be closed without an answer. A node whose `cluster` listens in another way is left alone.
 */
export function refuseBeyondQueue(host: Host): void {
  const descriptors = new Descriptors(host, () => ({ host }));
  const { createServer } = net;
  // `cluster` listens through a server from which it then takes the handle.
  net.createServer = (...args: unknown[]): Server => {
    const server = (createServer as (...args: unknown[]) => Server)(...args);
    server.once('listening', () => {
      const holder = server as unknown as { _handle: Handle | null };
      const handle = holder._handle;
      queueMicrotask(() => {
        if (handle !== null && holder._handle === null) watch(handle, descriptors);
      });
    });
    return server;
  };
}

function watch(handle: Handle, descriptors: Descriptors): void {
  const { onconnection } = handle;
  if (onconnection === undefined) return;
  handle.onconnection = (error, connection): void => {
    if (connection !== undefined && descriptors.isBeyond(connection.fd)) refuse(connection, descriptors);
    else onconnection.call(handle, error, connection);
  };
}

/** Answers a connection when its first bytes have come, or none for a while, or more connections wait than may. */
function refuse(connection: Handle, descriptors: Descriptors): void {
  const socket = new Socket({ handle: connection } as object);
  const answer = (): void => {
    if (socket.writable) socket.write(REFUSAL);
    endSoon(socket);
  };
  socket.on('error', () => {});
  socket.once('data', answer);
  socket.setTimeout(WAIT_MS, answer);
  descriptors.refuse(socket);
}
