/** Memory of connections that are open and silent. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '../shared/server.js';
import { echo, open } from './client.js';

/** Number of connections opened at once. */
const BATCH = 100;

export async function openMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(BATCH, count - sockets.length) }, () => open(port)))),
    );
  return sockets;
}

/** Connections that the server kept, and kilobytes for each. @param args of node, for the port in them */
export async function idle(
  args: (port: string) => readonly string[],
  count: number,
): Promise<{ held: number; each: number }> {
  const server = await Server.start(args);
  const sockets: Socket[] = [];
  try {
    sockets.push(...(await openMany(server.port, 100)));
    await sleep(1000);
    const before = server.memory() ?? NaN;
    sockets.push(...(await openMany(server.port, count)));
    await sleep(1000);
    const after = server.memory() ?? NaN;
    const held = sockets.filter((socket) => !socket.destroyed).length;
    await echo(sockets.slice(-10), 100, 0.2);
    return { held: held - 100, each: (after - before) / count / 1024 };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}
